"""What functions get in the place of a value that may be None: the value, where None would be an error there."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType, NoneType
from typing import Any

import numpy as np

from ....source.modules import module_of, told
from ....tracing.array import TracedArray
from .optional import Optional, got_none

_MOST_ITEMS = 64
"""In longer lists nothing is looked for: a function of NumPy refuses them."""

_MESSAGES: dict[Any, str] = {
    int: "int() argument must be a string, a bytes-like object or a real number, not 'NoneType'",
    float: "float() argument must be a string or a real number, not 'NoneType'",
    complex: "complex() first argument must be a string or a number, not 'NoneType'",
    round: "type NoneType doesn't define __round__ method",
    divmod: "unsupported operand type(s) for divmod(): an operand is None",
    pow: "unsupported operand type(s) for ** or pow(): an operand is None",
    range: "'NoneType' object cannot be interpreted as an integer",
    chr: "'NoneType' object cannot be interpreted as an integer",
    format: "unsupported format string passed to NoneType.__format__",
}
"""What Python says of None as an argument of a builtin."""


def present_arguments(function: Callable[..., Any], args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments of a call; the call of the program ends with an error where one is None that must not be."""
    if not any(isinstance(value, (Optional, list, tuple)) for value in args):
        return args
    package = module_of(function).partition(".")[0]
    owner = told(function, "__self__")
    is_method = not isinstance(owner, (ModuleType, NoneType))
    if isinstance(owner, TracedArray) and function.__name__ == "fill":
        return tuple(value.stored(owner.dtype) if isinstance(value, Optional) else value for value in args)
    if package == "numpy" and not isinstance(function, np.ufunc) and not is_method:
        return tuple(_present(value, got_none(function)) for value in args)
    if package in ("math", "cmath"):
        message: str | None = f"must be {'real ' if package == 'math' else ''}number, not NoneType"
    else:
        message = _MESSAGES.get(function) if isinstance(function, (type, type(len))) else None
    if message is None or (function is format and len(args) < 2):
        return args
    return tuple(value._get("TypeError", message) if isinstance(value, Optional) else value for value in args)


def _present(value: Any, message: str) -> Any:
    """An argument of a function of NumPy's, or the items of one."""
    if isinstance(value, Optional):
        return value._get("TypeError", message)
    if type(value) not in (list, tuple) or len(value) > _MOST_ITEMS:
        return value
    items = [_present(item, message) for item in value]
    is_same = all(item is before for item, before in zip(items, value, strict=True))
    return value if is_same else type(value)(items)
