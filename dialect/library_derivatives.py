"""Derivatives of ufuncs of libraries, by their names: where they follow from the ufunc itself and from ops."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias

from .emitter import Emitter, Tensor

Partial: TypeAlias = Callable[..., Tensor]
"""The derivative by an operand, as in `Op.partials`: of the emitter, the operands and the result."""

_HALF_ROOT_OF_PI = math.sqrt(math.pi) / 2


def _library(b: Emitter, name: str, x: Tensor) -> Tensor:
    """Another function of the library."""
    found: Tensor = b.call_ufunc(x, ufunc=f"scipy.special.{name}")
    return found


def by_itself(b: Emitter, x: Tensor, r: Tensor) -> Tensor:
    """r / x for a function that is x / 2 near 0."""
    ratio: Tensor = b.select(x.equals(0), 0.5, r / x)
    return ratio


_OF_SCIPY: dict[str, tuple[Partial, ...]] = {
    "erfinv": (lambda b, x, r: _HALF_ROOT_OF_PI * b.exp(r * r),),
    "erfcinv": (lambda b, x, r: -_HALF_ROOT_OF_PI * b.exp(r * r),),
    "ndtri": (lambda b, x, r: math.sqrt(2 * math.pi) * b.exp(0.5 * r * r),),
    "ndtri_exp": (lambda b, x, r: math.sqrt(2 * math.pi) * b.exp(x + 0.5 * r * r),),
    "erfcx": (lambda b, x, r: 2 * x * r - 1 / _HALF_ROOT_OF_PI,),
    "dawsn": (lambda b, x, r: 1 - 2 * x * r,),
    "expi": (lambda b, x, r: b.exp(x) / x,),
    "exp1": (lambda b, x, r: -b.exp(-x) / x,),
    "spence": (lambda b, x, r: b.select(x.equals(1), -1, b.log(x) / (1 - x)),),
    "j0": (lambda b, x, r: -_library(b, "j1", x),),
    "j1": (lambda b, x, r: _library(b, "j0", x) - by_itself(b, x, r),),
    "y0": (lambda b, x, r: -_library(b, "y1", x),),
    "y1": (lambda b, x, r: _library(b, "y0", x) - r / x,),
    "k0": (lambda b, x, r: -_library(b, "k1", x),),
    "k1": (lambda b, x, r: -_library(b, "k0", x) - r / x,),
    "betaln": (
        lambda b, x, y, r: b.digamma(x) - b.digamma(x + y),
        lambda b, x, y, r: b.digamma(y) - b.digamma(x + y),
    ),
    "beta": (
        lambda b, x, y, r: r * (b.digamma(x) - b.digamma(x + y)),
        lambda b, x, y, r: r * (b.digamma(y) - b.digamma(x + y)),
    ),
}

LIBRARY_PARTIALS: Mapping[str, tuple[Partial, ...]] = MappingProxyType(
    {f"scipy.special.{name}": partials for name, partials in _OF_SCIPY.items()}
)
