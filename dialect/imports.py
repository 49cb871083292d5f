"""Imports of much code at once."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def uncollected() -> Iterator[None]:
    """Do not look for garbage inside of the `with` block: what is imported stays.

    Python would look through all new objects again and again, which takes as long as half of the imports. Afterwards it
    takes them for old ones, as if it had looked.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        if not gc.get_freeze_count():  # the user's own frozen objects stay so
            gc.freeze()
            gc.unfreeze()
        gc.enable()


__all__ = ["uncollected"]
