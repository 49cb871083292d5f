"""What Python's operators say of classes of its own, where NumPy would take a traced number for an array."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import cache
from typing import Any

from ....tracing.array import TracedArray
from ....tracing.number_types import PYTHON_NUMBERS, number_type

_EXAMPLES: dict[type, Any] = {list: [], tuple: ()}
_PYTHONS = frozenset({*_EXAMPLES, *PYTHON_NUMBERS.values()})


def told_by_class(operate: Callable[[Any, Any], Any], left: Any, right: Any) -> bool | None:
    """Whether a number is equal to a list, which it never is; None where the values tell.

    Raises what Python does where two classes of its own have no such operator, as floats have no bits.
    """
    one, other = _class_in_python(left), _class_in_python(right)
    return None if one is None or other is None else _told(operate, one, other)


def _class_in_python(value: Any) -> type | None:
    """The class of a number of Python's, traced or not, or of a list or tuple; None for what NumPy computes with."""
    kind = type(value)
    return kind if kind in _PYTHONS else number_type(value) if isinstance(value, TracedArray) else None


@cache
def _told(operate: Callable[[Any, Any], Any], left: type, right: type) -> bool | None:
    answer = operate(*(_EXAMPLES[kind] if kind in _EXAMPLES else kind(1) for kind in (left, right)))
    is_never = operate in (operator.eq, operator.ne) and (left in _EXAMPLES) != (right in _EXAMPLES)
    return bool(answer) if is_never else None
