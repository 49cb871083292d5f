"""The functions of the `operator` module: they do what the operators of converted code do."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

from ....signature.traced_value import COMPARISONS
from ..interface import operators
from ..values.resolve_grown_lists import resolve_grown_list
from ..values.special_methods import NAMES
from .builtins_on_arrays import bool_

Function = Callable[..., Any]

_UNARY = {"neg": "-", "pos": "+", "invert": "~"}


def _calling(operator: str, symbol: str) -> Function:
    return lambda *operands: getattr(operators(), operator)(symbol, *operands)


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
    for symbol, name in NAMES.items():
        yield getattr(operator, f"__{name}__"), _calling("binary", symbol)
        yield getattr(operator, f"__i{name}__"), _calling("update", f"{symbol}=")
    for symbol, compare in COMPARISONS.items():
        yield compare, _calling("compare", symbol)
    for name, symbol in _UNARY.items():
        yield getattr(operator, name), _calling("unary", symbol)
    yield from _OTHERS.items()
