# SPDX-License-Identifier: Apache-2.0
"""Shared by the programs of tools/ in Python: how they read their words, how they show that they work, and how they end."""

import argparse
import concurrent.futures
import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SHOWN_S = 5.0  # between two lines; twice that between the last line of a command and the first of the next
END_S = 5.0  # that programs have to end by themselves before they are killed
sessions = set()  # of programs that run
ending = threading.Event()  # nothing else begins
beginning = threading.Lock()  # held while a program begins: it is in sessions, or it does not begin


class Parser(argparse.ArgumentParser):
    def parse_args(self, args=None, namespace=None):
        """--help counts wherever it is, also behind what is wrong."""
        if "--help" in sys.argv[1:]:
            self.print_help()
            self.exit()
        return super().parse_args(args, namespace)

    def error(self, message):
        """One sentence, as tools/script.sh has it. An unknown option is the reason for whatever else is wrong."""
        unknown = [word for word in sys.argv[1:] if word.startswith("--") and word.partition("=")[0] not in self._option_string_actions]
        sentence = f'"{unknown[0]}" is no option' if unknown else message
        self.exit(2, f'{self.prog}: {sentence}; "{self.prog} --help" shows how to call it\n')


def parser(document, name=None):
    """A parser whose --help is the program's docstring and its options. A wrong word ends the program with status 2."""
    program = Path(sys.argv[0]).resolve()
    path = str(program.relative_to(ROOT)) if program.is_relative_to(ROOT) else program.name
    return Parser(prog=name or path, description=document, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False)


def existing(word):
    """The path of an argument that has to be there."""
    path = Path(word)
    if not path.exists():
        raise argparse.ArgumentTypeError(f'there is no "{word}"')
    return path.absolute()


def last_line(output):
    """The last whole or begun line that a running program has written to an open file, whose place is left."""
    try:
        size = os.fstat(output.fileno()).st_size
    except ValueError:  # it was closed meanwhile
        return ""
    lines = os.pread(output.fileno(), 4096, max(0, size - 4096)).decode(errors="replace").split("\n")
    return next((line.strip()[:100] for line in reversed(lines) if line.strip()), "")


class Shown:
    """Prints a line every few seconds as long as the block runs: line(seconds since it began), or nothing where that is empty."""

    def __init__(self, line, every=SHOWN_S, to=None):
        self.line, self.every, self.to, self.ended = line, every, to, threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)

    def run(self):
        begin = time.monotonic()
        while not self.ended.wait(self.every):
            if text := self.line(time.monotonic() - begin):
                print(text, flush=True, file=self.to or sys.stdout)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()


def of_sessions(numbers):
    """Processes of sessions that run."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, _, session = path.read_text().rpartition(")")[2].split()[:4]
        except OSError:  # it has ended meanwhile
            continue
        if int(session) in numbers and state not in "ZX":
            yield int(path.parent.name)


def end(numbers):
    """Ends all processes of sessions, ninja's compilers in groups of their own among them. Each may end by itself first."""
    latest = time.monotonic() + END_S
    asked = set()
    while left := set(of_sessions(numbers)):
        late = time.monotonic() > latest
        for process in left if late else left - asked:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL if late else signal.SIGTERM)
        if late and left <= asked and time.monotonic() > latest + END_S:
            return  # another user's, or in the kernel
        asked |= left
        time.sleep(0.02)


def begin(words, settings):
    with beginning:
        if ending.is_set():
            raise InterruptedError
        program = subprocess.Popen(words, start_new_session=True, **settings)
        sessions.add(program.pid)
        return program


@contextlib.contextmanager
def running(words, **settings):
    """A program in a session of its own, which ends where the block is left, or where a signal ends this program."""
    # Signals arrive in the main thread, which thus may wait for the lock and never has it when one does.
    with concurrent.futures.ThreadPoolExecutor(1) as beginner:
        program = beginner.submit(begin, [str(word) for word in words], settings).result()
    try:
        yield program
    except BaseException:
        end({program.pid})
        raise
    finally:
        program.wait()
        sessions.discard(program.pid)


def end_with_programs():
    """Ctrl-C, a terminal that closes, and SIGTERM end the programs that this one runs, and then this one."""
    def ended(number, _):
        for caught in handled:
            signal.signal(caught, lambda *_: None)  # one is enough
        ending.set()
        with beginning:
            end(sessions)
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    handled = [number for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM)
               if signal.getsignal(number) != signal.SIG_IGN]  # nohup
    for number in handled:
        signal.signal(number, ended)
