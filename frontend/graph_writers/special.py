"""Special functions, of which StableHLO has one, `logistic`."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ...dialect.dtypes import is_half
from ...dialect.emitter import Tensor
from .table import GraphBuilder, of, writer


@writer("logit")
def logit(b: GraphBuilder, x: Tensor) -> Tensor:
    return b.one("log", x / (1 - x))


@writer("log_expit")
def log_expit(b: GraphBuilder, x: Tensor) -> Tensor:
    found: Tensor = b.minimum(x, -0.0) - b.log1p(b.exp(b.negative(b.absolute(x))))
    return found


@writer("xlogy")
def xlogy(b: GraphBuilder, x: Tensor, y: Tensor) -> Tensor:
    x, y = b.spread(x, y)
    return b.one("select", b.logical_and(x.equals(0), b.logical_not(b.isnan(y))), of(b, x, 0), x * b.log(y))


@writer("xlog1py")
def xlog1py(b: GraphBuilder, x: Tensor, y: Tensor) -> Tensor:
    x, y = b.spread(x, y)
    return b.one("select", b.logical_and(x.equals(0), b.logical_not(b.isnan(y))), of(b, x, 0), x * b.log1p(y))


@writer("entr")
def entr(b: GraphBuilder, x: Tensor) -> Tensor:
    found = b.select(x.equals(0), of(b, x, 0), b.negative(x * b.log(x)))
    return b.one("select", b.less(x, 0), of(b, x, -np.inf), found)


# The error function, by the rational approximations of Cephes: near 0, up to 8, and beyond

_NEAR = (9.60497373987051638749e0, 9.00260197203842689217e1, 2.23200534594684319226e3, 7.00332514112805075473e3,
         5.55923013010394962768e4)  # fmt: skip
_NEAR_BELOW = (1.0, 3.35617141647503099647e1, 5.21357949780152679795e2, 4.59432382970980127987e3,
               2.26290000613890934246e4, 4.92673942608635921086e4)  # fmt: skip
_MIDDLE = (2.46196981473530512524e-10, 5.64189564831068821977e-1, 7.46321056442269912687e0, 4.86371970985681366614e1,
           1.96520832956077098242e2, 5.26445194995477358631e2, 9.34528527171957607540e2, 1.02755188689515710272e3,
           5.57535335369399327526e2)  # fmt: skip
_MIDDLE_BELOW = (1.0, 1.32281951154744992508e1, 8.67072140885989742329e1, 3.54937778887819891062e2,
                 9.75708501743205489753e2, 1.82390916687909736289e3, 2.24633760818710981792e3,
                 1.65666309194161350182e3, 5.57535340817727675546e2)  # fmt: skip
_FAR = (5.64189583547755073984e-1, 1.27536670759978104416e0, 5.01905042251180477414e0, 6.16021097993053585195e0,
        7.40974269950448939160e0, 2.97886665372100240670e0)  # fmt: skip
_FAR_BELOW = (1.0, 2.26052863220117276590e0, 9.39603524938001434673e0, 1.20489539808096656605e1,
              1.70814450747565897222e1, 9.60896809063285878198e0, 3.36907645100081516050e0)  # fmt: skip


def _polynomial(x: Tensor, coefficients: Sequence[float]) -> Tensor:
    """The polynomial with some coefficients, that of the highest power first."""
    first, second, *rest = coefficients
    found = x * first + second
    for coefficient in rest:
        found = found * x + coefficient
    return found


def _near(x: Tensor) -> Tensor:
    """The error function of numbers from -1 to 1."""
    square = x * x
    return x * _polynomial(square, _NEAR) / _polynomial(square, _NEAR_BELOW)


def _complement(b: GraphBuilder, x: Tensor) -> Tensor:
    """1 - erf(x) of numbers that are not near 0."""
    size = b.absolute(x)
    least = b.exp(b.negative(size * size))
    middle = least * _polynomial(size, _MIDDLE) / _polynomial(size, _MIDDLE_BELOW)
    far = least * _polynomial(size, _FAR) / _polynomial(size, _FAR_BELOW)
    found = b.select(b.less(size, 8), middle, far)
    found = b.select(b.greater(size, 27), of(b, x, 0), found)
    return b.one("select", b.less(x, 0), 2 - found, found)


@writer("erf")
def erf(b: GraphBuilder, x: Tensor) -> Tensor:
    if is_half(x.dtype):
        return b.converted(erf(b, b.converted(x, np.dtype(np.float32))), x.dtype)
    return b.one("select", b.less(b.absolute(x), 1), _near(x), 1 - _complement(b, x))


@writer("erfc")
def erfc(b: GraphBuilder, x: Tensor) -> Tensor:
    if is_half(x.dtype):
        return b.converted(erfc(b, b.converted(x, np.dtype(np.float32))), x.dtype)
    return b.one("select", b.less(b.absolute(x), 1), 1 - _near(x), _complement(b, x))


@writer("ndtr")
def ndtr(b: GraphBuilder, x: Tensor) -> Tensor:
    if is_half(x.dtype):
        return b.converted(ndtr(b, b.converted(x, np.dtype(np.float32))), x.dtype)
    return erfc(b, x * -math.sqrt(0.5)) * 0.5
