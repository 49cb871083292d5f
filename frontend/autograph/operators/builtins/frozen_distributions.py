"""Distributions of SciPy with parameters that the program computes: `scipy.stats.norm(x.mean(), x.std())`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any

from ....runtime_values.values import holds_traced


def maker_of(function: Any) -> Callable[..., Any] | None:
    """What makes a frozen distribution in the place of a distribution that is called; None for anything else.

    SciPy's own makes a copy of the distribution, whose methods it compiles anew from their text.
    """
    library: Any = sys.modules.get("scipy.stats._distn_infrastructure")
    owner = getattr(function, "__self__", function)
    if library is None or not isinstance(owner, library.rv_generic):
        return None
    if owner is not function and function.__name__ not in ("freeze", "__call__"):
        return None
    is_continuous = isinstance(owner, library.rv_continuous)
    return partial(
        _frozen, owner, library.rv_continuous_frozen if is_continuous else library.rv_discrete_frozen
    )


def _frozen(distribution: Any, kind: type, /, *args: Any, **kwds: Any) -> Any:
    if not holds_traced((args, kwds), depth=3):
        return distribution.freeze(*args, **kwds)
    made: Any = object.__new__(kind)
    made.args, made.kwds, made.dist = args, kwds, distribution
    return made
