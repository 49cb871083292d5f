"""Arrays whose elements are known and whose derivatives may be asked for: those of a tape in plain Python."""

from __future__ import annotations

from typing import Any

from ...dialect.errors import UnsupportedError


def given_away(array: Any, what: str) -> Any:
    """The elements of a traced array, if they are known, for what computes with them; refused where that is lost."""
    known = array._known()
    if known is not None and array._storage.trace.is_remembered(array._value()):
        raise UnsupportedError(
            f"{what} takes the elements of an array ({array.type}) by which a gradient may be asked for, and what is "
            "computed of them would have none: use functions of NumPy on the array, write it into arrays made with "
            "weft (weft.zeros), or say that this is meant, weft.stop_gradient(x)"
        )
    return known


def shown(array: Any) -> Any:
    """What an array whose elements are known looks like: that of NumPy, or a number."""
    known = array._storage.trace.elements(array._value())
    return known if not array._is_scalar else known[()] if array._python_type is None else known.item()
