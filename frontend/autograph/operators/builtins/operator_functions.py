"""The functions of the `operator` module: they do what the operators of converted code do."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterator
from typing import Any

from ..interface import operators
from ..values.resolve_grown_lists import resolve_grown_list
from .builtins_on_arrays import bool_

Function = Callable[..., Any]

_BINARY = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**", "matmul": "@",
    "and_": "&", "or_": "|", "xor": "^", "lshift": "<<", "rshift": ">>",
}  # fmt: skip
_COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_UNARY = {"neg": "-", "pos": "+", "invert": "~"}


def _binary(symbol: str, left: Any, right: Any, /) -> Any:
    return operators().binary(symbol, left, right)


def _compare(symbol: str, left: Any, right: Any, /) -> Any:
    return operators().compare(symbol, left, right)


def _unary(symbol: str, value: Any, /) -> Any:
    return operators().unary(symbol, value)


def _update(symbol: str, target: Any, value: Any, /) -> Any:
    return operators().update(symbol, target, value)


def _delete(container: Any, key: Any, /) -> None:
    del resolve_grown_list(container)[key]


_OTHERS: dict[Function, Function] = {
    operator.getitem: lambda container, key, /: operators().item(container, key),
    operator.setitem: lambda container, key, value, /: operators().set_item(container, key, value),
    operator.delitem: _delete,
    operator.contains: lambda container, item, /: operators().in_(item, container),
    operator.concat: lambda left, right, /: operators().binary("+", left, right),
    operator.iconcat: lambda target, value, /: operators().update("+=", target, value),
    operator.not_: lambda value, /: operators().not_(value),
    operator.truth: bool_,
    operator.is_: lambda left, right, /: operators().is_(left, right),
    operator.is_not: lambda left, right, /: operators().is_not_(left, right),
}


def operator_rows() -> Iterator[tuple[Function, Function]]:
    """For each function of the module what is called in its place."""
    for table, ours in ((_BINARY, _binary), (_COMPARISONS, _compare), (_UNARY, _unary)):
        for name, symbol in table.items():
            yield getattr(operator, name), functools.partial(ours, symbol)
    for name, symbol in _BINARY.items():
        yield getattr(operator, f"i{name.rstrip('_')}"), functools.partial(_update, f"{symbol}=")
    yield from _OTHERS.items()
