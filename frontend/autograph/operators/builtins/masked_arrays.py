"""What `np.ma` tells of arrays that have no mask: no array of compiled code has one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from .....dialect.errors import UnsupportedError
from ....numpy_api import lookup
from ....signature.traced_value import CompositeValue
from ....source.modules import module_of, told
from ....tracing.array import TracedArray
from ....tracing.current import current_trace

Function = Callable[..., Any]


def _is_array(a: Any) -> bool:
    return isinstance(a, (TracedArray, CompositeValue)) and bool(a.shape)


_ROWS: dict[str, Function] = {
    "isMaskedArray": lambda x: False,
    "is_masked": lambda x: False,
    "getmask": lambda a: np.ma.nomask,
    "getmaskarray": lambda arr: lookup("zeros")(lookup("shape")(arr), np.bool_),
    "getdata": lambda a, subok=True: lookup("asarray")(a),
    "filled": lambda a, fill_value=None: a if _is_array(a) else lookup("asarray")(a),
}


def masked_row(function: Any) -> Function | None:
    """What is called in the place of one of `np.ma`'s functions; None for other functions."""
    if not module_of(function).startswith("numpy.ma."):
        return None
    name = told(function, "__name__", type(function).__name__)
    ours = _ROWS.get(name)

    def of_unmasked(*args: Any, **kwargs: Any) -> Any:
        if current_trace() is None:
            return function(*args, **kwargs)
        is_masked = any(isinstance(value, np.ma.MaskedArray) for value in (*args, *kwargs.values()))
        return _refuse(name) if ours is None or is_masked else ours(*args, **kwargs)

    of_unmasked.__name__ = name
    return of_unmasked


def _refuse(name: str) -> NoReturn:
    raise UnsupportedError(
        f"np.ma.{name} makes or takes masked arrays, which compiled code does not have: keep the mask as an array "
        "of its own (np.where(mask, 0, x).sum(), x[~mask]), or call the function outside of the compiled function"
    )
