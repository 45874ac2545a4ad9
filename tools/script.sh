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
# the command's. A script that is killed leaves nobody that shows lines: they end with it.
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
    "$@" >"$log" 2>&1 </dev/null || status=$?
    kill $shows 2>/dev/null || true
    wait $shows 2>/dev/null || true
    return $status
}

for word; do
    [ "$word" != --help ] || {
        sed -n '1d; /^#/!q; s/^# \{0,1\}//p' "$0"
        exit 0
    }
done
