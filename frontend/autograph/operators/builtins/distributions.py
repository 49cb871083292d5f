"""Distributions of SciPy: `scipy.stats.norm(x.mean(), x.std())`, and `norm.cdf(x, loc, scale)`.

What SciPy does around the formula of a distribution chooses and puts back the values that it is to see, so that
sizes depend on values; here each value is seen, and what is outside of the support is chosen afterwards.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from .....dialect.errors import UnsupportedError
from ....numpy_api import lookup
from ....runtime_values.values import holds_traced
from ....source.modules import told
from ..interface import operators
from ..values.looked_up import getattr_

_OUTSIDE = {
    "pdf": (0.0, 0.0), "logpdf": (-np.inf, -np.inf), "cdf": (0.0, 1.0), "logcdf": (-np.inf, 0.0), "sf": (1.0, 0.0),
    "logsf": (0.0, -np.inf),
}  # fmt: skip
"""The methods of continuous distributions that a formula tells, with what they give below and above the support."""


def method_of(function: Any) -> Callable[..., Any] | None:
    """What is called instead of a distribution or a method of one; None for anything else."""
    library: Any = sys.modules.get("scipy.stats._distn_infrastructure")
    owner = told(function, "__self__", function)
    if library is None or not isinstance(owner, library.rv_generic):
        return None
    is_continuous = isinstance(owner, library.rv_continuous)
    if owner is function or function.__name__ in ("freeze", "__call__"):
        kind = library.rv_continuous_frozen if is_continuous else library.rv_discrete_frozen
        return partial(_frozen, owner, kind)
    is_formula = is_continuous and function.__name__ in _OUTSIDE
    if is_formula and function.__func__ is getattr(library.rv_continuous, function.__name__):
        return partial(_evaluated, function)
    return None


def _frozen(distribution: Any, kind: type, /, *args: Any, **kwds: Any) -> Any:
    """A frozen distribution; SciPy's own is a copy of the distribution, whose methods it compiles from their text."""
    if not holds_traced((args, kwds), depth=3):
        return distribution.freeze(*args, **kwds)
    made: Any = object.__new__(kind)
    made.args, made.kwds, made.dist = args, kwds, distribution
    return made


def _evaluated(method: Any, x: Any, *args: Any, **kwds: Any) -> Any:
    """What a method gives of values, some of which are known when the program runs only."""
    distribution, name = method.__self__, method.__name__
    if not holds_traced((x, args, kwds), depth=3):
        return method(x, *args, **kwds)
    asarray, where, call = lookup("asarray"), lookup("where"), operators().call
    shapes, loc, scale = distribution._parse_args(*args, **kwds)  # which only names them
    shapes, x, loc, scale = tuple(map(asarray, shapes)), *map(asarray, (x, loc, scale))
    if np.promote_types(x.dtype, np.float64) != np.float64:
        raise UnsupportedError(f"{name} of {x.dtype} is none of real numbers")
    value = ((x - loc) / scale).astype(np.float64)
    found = call(getattr(distribution, "_" + name), value, *shapes)
    if name == "pdf":
        found = found / scale
    if name == "logpdf":
        found = found - lookup("log")(scale)
    _, upper = call(distribution._get_support, *shapes)
    mask = distribution._support_mask if "pdf" in name else distribution._open_support_mask
    is_inside = call(mask, value, *shapes)  # some densities are of the open support, too
    below, above = _OUTSIDE[name]
    found = where(is_inside, found, where(value >= upper, above, below))
    is_valid = call(distribution._argcheck, *shapes) & (scale > 0) & ~lookup("isnan")(value)
    return where(is_valid, found, getattr_(distribution, "badvalue"))[()]
