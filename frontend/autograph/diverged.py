"""The signal that what follows in the recording is never reached."""

from __future__ import annotations


class Diverged(BaseException):
    """Every path to this point raises at run time. Not for users: staged code stops being recorded."""
