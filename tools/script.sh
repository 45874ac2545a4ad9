# SPDX-License-Identifier: Apache-2.0
# Shared by the shell scripts of tools/, which source it first: root=...; . "$root/tools/script.sh". With --help among its
# words a script prints the comment at its head, and does nothing else.

script=$(cd "$(dirname "$0")" && pwd)/${0##*/}
script=${script#"$root"/}

say() {
    echo "$script: $*" >&2
}

# The command line is wrong: one sentence.
refuse() {
    say "$*; \"$script --help\" shows how to call it"
    exit 2
}

no_option() {
    refuse "\"$1\" is no option"
}

# need_file WHAT PATH, need_folder WHAT PATH, need_number WHAT WORD: refuse what is not there, or none.
need_file() {
    [ -f "$2" ] || refuse "there is no $1 \"$2\""
}

need_folder() {
    [ -d "$2" ] || refuse "there is no $1 \"$2\""
}

need_number() {
    case $2 in
    '' | *[!0-9]*) refuse "$1 is \"$2\", which is no number" ;;
    esac
}

# logged LOG COMMAND...: the command's output goes to a file, and its last line is shown every few seconds. The exit status is
# the command's, a program. A script that is killed leaves nobody: the command and what it started end first, and with the
# script those that show lines. The command has a session of its own, because ninja's compilers leave its process group; but
# sudo stays, for it may know its user by the terminal.
logged() {
    log=$1
    shift
    (
        seconds=0
        while sleep 5 >/dev/null 2>&1 && kill -0 $$ 2>/dev/null; do
            seconds=$((seconds + 5))
            last=$(tail -n 1 "$log" | tr -d '\r' | cut -c 1-100)
            echo "  $seconds s: ${last:-${1##*/} is at work}"
        done
    ) &
    shows=$!
    status=0
    session=setsid
    [ "$1" != sudo ] || session=
    $session "$@" >"$log" 2>&1 </dev/null &
    works=$!
    for number in 1 2 15; do
        # shellcheck disable=SC2064 # the numbers of now
        trap "ended $number" $number
    done
    wait $works || status=$?
    trap - 1 2 15
    kill $shows 2>/dev/null || true
    wait $shows 2>/dev/null || true
    return $status
}

# ended SIGNAL: what a script does that a signal ends while a command is at work. A process that has not ended after 5 seconds
# is killed; after 10 the script ends without it.
ended() {
    trap - 1 2 15
    kill "$shows" "$works" 2>/dev/null || true
    asked=
    begin=$(date +%s)
    while left=$(cat /proc/[0-9]*/stat 2>/dev/null |
        awk -v session="$works" '{ process = $1; sub(/.*\) /, "") } $4 == session && $1 != "Z" { print process }') && [ -n "$left" ]; do
        seconds=$(($(date +%s) - begin))
        [ $seconds -le 10 ] || exit $((128 + $1)) # another user's, or in the kernel
        for process in $left; do
            case " $asked " in
            *" $process "*) [ $seconds -le 5 ] || kill -9 "$process" 2>/dev/null || true ;;
            *) kill "$process" 2>/dev/null || true ;; # another user's ends by itself
            esac
        done
        asked="$asked $(echo $left)"
        sleep 0.1
    done
    wait "$works" 2>/dev/null || true # sudo
    exit $((128 + $1))
}

for word; do
    [ "$word" != --help ] || {
        sed -n '1d; /^# SPDX/d; /^#/!q; s/^# \{0,1\}//p' "$0"
        exit 0
    }
done
