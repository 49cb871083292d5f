"""What Python calls when it drops an object: compiled code drops none, so that it is refused."""

from __future__ import annotations

import weakref
from typing import Any, NoReturn

from .....dialect.errors import UnsupportedError


def refuse_finalizer(what: str) -> NoReturn:
    """Refuse what would run whenever Python drops an object."""
    raise UnsupportedError(
        f"{what} runs whenever Python drops an object, which compiled code does not do: call a "
        "method where the object is not needed any more"
    )


def finalize(*args: Any, **kwargs: Any) -> NoReturn:
    """`weakref.finalize(object, function)`."""
    refuse_finalizer("the function that weakref.finalize gets")


def is_with_callback(value: Any = None, callback: Any = None, *more: Any) -> bool:
    """Whether a weak reference or proxy is made that calls a function."""
    return callback is not None


def referred(*args: Any, **kwargs: Any) -> NoReturn:
    """`weakref.ref(object, function)`, `weakref.proxy(object, function)`."""
    refuse_finalizer("the function that a weak reference gets")


REFERENCES = (weakref.ref, weakref.proxy, weakref.WeakMethod)
"""What may get a function to call."""
