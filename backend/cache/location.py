"""Where the cache is, and whether it may be used: machine code that another user could have written is never run."""

from __future__ import annotations

import os
import stat
import sys

LAYOUT = "1"
"""The version of the layout of the directory; each has a directory of its own."""


class UnusableDirectory(Exception):
    """The directory of the cache cannot be used; the message says why."""


def default_directory() -> str:
    """Where the cache is unless the user says it; raises UnusableDirectory where there is no home directory."""
    home = os.path.expanduser("~")
    if not os.path.isabs(home):
        raise UnusableDirectory("there is no home directory")
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local")
    elif sys.platform == "darwin":
        base = os.path.join(home, "Library", "Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or os.path.join(home, ".cache")
    return os.path.join(base, "weft")


def prepared(directory: str) -> str:
    """The place for files in a directory, made with mode 0700 if it is not there.

    Raises UnusableDirectory where it cannot be made, belongs to somebody else or is open to others.
    """
    path = os.path.join(os.path.abspath(directory), LAYOUT)
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        try:
            os.mkdir(path, 0o700)
        except FileExistsError:
            pass
        except OSError:
            if not os.path.isdir(
                path
            ):  # some systems say that it cannot be written before they say that it is there
                raise
        require_private(path)
    except OSError as error:
        raise UnusableDirectory(f"{path}: {error.strerror or error}") from error
    return path


def require_private(path: str) -> None:
    """Raise UnusableDirectory unless a directory can be written by this user alone."""
    if not hasattr(os, "geteuid"):
        return  # Windows gives the directories of a profile to their user
    require_own_directory(path)
    around = os.stat(os.path.dirname(path))
    if around.st_uid not in (os.geteuid(), 0):
        raise UnusableDirectory(f"{os.path.dirname(path)} belongs to another user")
    if around.st_mode & 0o022 and not around.st_mode & stat.S_ISVTX:
        raise UnusableDirectory(f"{os.path.dirname(path)} can be written by other users")


def require_own_directory(path: str) -> None:
    """Raise UnusableDirectory unless a directory is one of this user's, to which nobody else has access."""
    if not hasattr(os, "geteuid"):
        return
    found = os.lstat(path)
    if not stat.S_ISDIR(found.st_mode):
        raise UnusableDirectory(f"{path} is not a directory")
    if found.st_uid != os.geteuid():
        raise UnusableDirectory(f"{path} belongs to another user")
    if stat.S_IMODE(found.st_mode) & 0o077:
        raise UnusableDirectory(
            f"{path} is open to other users (mode {stat.S_IMODE(found.st_mode):04o}, not 0700)"
        )


def is_own_file(found: os.stat_result) -> bool:
    """Whether an open file is a plain one that this user alone could write."""
    if not stat.S_ISREG(found.st_mode):
        return False
    return not hasattr(os, "geteuid") or (found.st_uid == os.geteuid() and not found.st_mode & 0o022)
