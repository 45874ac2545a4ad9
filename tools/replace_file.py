# SPDX-License-Identifier: Apache-2.0
"""Files that scripts write: as a whole or not at all, and in place of nothing but what they wrote.

The rule is that of host/base/platform/file.h: a name is taken when it is new, or a regular file that begins
as the script's own files do. Links, devices and pipes are refused.
"""

import contextlib
import os
import stat
import tempfile


class Refused(Exception):
    """One sentence that names the path and what is there."""


KINDS = ((stat.S_ISLNK, "a symbolic link"), (stat.S_ISDIR, "a directory"), (stat.S_ISFIFO, "a named pipe"),
         (stat.S_ISCHR, "a device"), (stat.S_ISBLK, "a device"), (stat.S_ISSOCK, "a socket"))


def look(path, begins):
    """Raises Refused unless the name may be taken. begins: how files of the script's own begin, in bytes."""
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        return
    for is_kind, kind in KINDS:
        if is_kind(mode):
            raise Refused(f"{path!s}: it is {kind}")
    file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(file, "rb") as opened:
        if not opened.read(len(begins)) == begins:
            raise Refused(f"{path!s}: it is a regular file that this program did not write")


@contextlib.contextmanager
def replacing(path, begins):
    """A file to write bytes to, which gets its name when the block ends without an exception."""
    look(path, begins)
    folder, name = os.path.split(os.fspath(path))
    fd, aside = tempfile.mkstemp(prefix=f"{name[:200]}.", suffix=".tmp", dir=folder or ".")
    try:
        with open(fd, "wb") as file:
            yield file
            file.flush()
            mask = os.umask(0)
            os.umask(mask)
            os.fchmod(file.fileno(), 0o666 & ~mask)
            os.fsync(file.fileno())
        look(path, begins)
        os.rename(aside, path)
    except BaseException:
        os.unlink(aside)
        raise


def write(path, text, begins):
    with replacing(path, begins) as file:
        file.write(text.encode("utf-8"))
