"""`weft.while_loop` and `weft.fori_loop`: loops as functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..autograph.operators.builtins.converted_functions import convert_once
from ..tracing.current import current_trace
from .carries import Carry


def while_loop(cond: Callable[[Any], Any], body: Callable[[Any], Any], init: Any) -> Any:
    """`while cond(carry): carry = body(carry)`, beginning with `init`; returns the carry at the end.

    The carry is an array or number, or tuples, lists, dicts and dataclasses of these, of which `body` keeps structure,
    shapes and dtypes; a Python number has no dtype, and may become another number. Raises `TypeError` for a carry that
    changes.

    >>> weft.while_loop(lambda c: c[0] < 4, lambda c: (c[0] + 1, c[1] * 2), (0, np.ones(2)))
    (4, array([16., 16.]))
    """
    carry = Carry(init, "init", "body of weft.while_loop")
    run = _while_loop if current_trace() is None else convert_once(_while_loop)
    return carry.structured(run(cond, body, carry))


def _while_loop(cond: Callable[[Any], Any], body: Callable[[Any], Any], carry: Carry) -> Any:
    leaves = carry.leaves()
    while cond(carry.structured(leaves)):
        leaves = carry.fitted(body(carry.structured(leaves)), leaves)
    return leaves


def fori_loop(lower: Any, upper: Any, body: Callable[[Any, Any], Any], init: Any) -> Any:
    """`for i in range(lower, upper): carry = body(i, carry)`, beginning with `init`; returns the carry at the end.

    The carry is what `weft.while_loop` takes; a short loop is unrolled as a `for` statement is. Raises `TypeError` for
    bounds that are no integers, and for a carry that changes.

    >>> weft.fori_loop(0, 5, lambda i, total: total + i, 0)
    10
    """
    carry = Carry(init, "init", "body of weft.fori_loop")
    run = _fori_loop if current_trace() is None else convert_once(_fori_loop)
    return carry.structured(run(lower, upper, body, carry))


def _fori_loop(lower: Any, upper: Any, body: Callable[[Any, Any], Any], carry: Carry) -> Any:
    leaves = carry.leaves()
    for i in range(lower, upper):
        leaves = carry.fitted(body(i, carry.structured(leaves)), leaves)
    return leaves
