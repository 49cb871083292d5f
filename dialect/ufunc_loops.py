"""The loops of universal functions: what a ufunc's signature says of the shapes of what it takes and gives.

A generalised ufunc, such as that behind `numpy.linalg.solve` with `(m,m),(m,n)->(m,n)`, works on the last axes of its
operands, its core, and loops over the axes before these; of other ufuncs the core is a scalar. Each has loops for some
dtypes, `dd->d`: characters of dtypes. A function is named by the module in which it is:
`numpy.linalg._umath_linalg.solve`.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Sequence
from functools import cache
from typing import Any, TypeAlias

import numpy as np

from .errors import WeftTypeError, WeftValueError
from .records import dataclass
from .types import Shape, TensorType

Sizes: TypeAlias = "dict[str, int | None]"
"""The extents of core axes by their names; None for one that is not known."""


@dataclass(frozen=True)
class Signature:
    """The names of the core axes of every operand and result."""

    operands: tuple[tuple[str, ...], ...]
    results: tuple[tuple[str, ...], ...]

    @property
    def new(self) -> tuple[str, ...]:
        """The axes that no operand has."""
        known = {name for axes in self.operands for name in axes}
        return tuple(dict.fromkeys(name for axes in self.results for name in axes if name not in known))


_LIBRARIES = ("numpy", "scipy")
"""The packages of which programs name ufuncs: to read a program imports no others."""


@cache
def find_ufunc(function: str) -> np.ufunc:
    """The ufunc of a name, one of NumPy's or SciPy's. Raises `WeftValueError` where there is none."""
    module, _, name = function.rpartition(".")
    if module.partition(".")[0] not in _LIBRARIES:
        raise WeftValueError(f"{function} is no ufunc of {' or '.join(_LIBRARIES)}")
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise WeftValueError(f"there is no ufunc {function}: {error}") from error
    if not isinstance(found, np.ufunc):
        raise WeftValueError(f"{function} is no ufunc")
    return found


@cache
def signature_of(function: str) -> Signature:
    """The core axes of a ufunc.

    >>> signature_of("numpy.linalg._umath_linalg.solve").operands
    (('m', 'm'), ('m', 'n'))
    """
    ufunc = find_ufunc(function)
    if ufunc.signature is None:
        return Signature(((),) * ufunc.nin, ((),) * ufunc.nout)
    sides = [
        tuple(tuple(name.strip() for name in axes.split(",") if name.strip()) for axes in groups)
        for groups in (re.findall(r"\(([^)]*)\)", side) for side in ufunc.signature.split("->"))
    ]
    return Signature(*sides)


def loop_of(function: str, dtypes: Sequence[np.dtype[Any]]) -> str:
    """The loop of a ufunc for exactly these dtypes of operands. Raises `WeftTypeError` where there is none."""
    wanted = "".join(dtype.char for dtype in dtypes)
    for loop in find_ufunc(function).types:
        if loop.partition("->")[0] == wanted and "O" not in loop:
            return str(loop)
    listing = ", ".join(map(str, dtypes))
    raise WeftTypeError(f"{function.rpartition('.')[2]} has no loop for {listing}")


def core_sizes(function: str, operands: Sequence[TensorType]) -> tuple[Shape, Sizes]:
    """The shape of the loop, and the sizes of the core axes of the operands.

    An operand has all axes of the loop, or none. Raises `WeftValueError` for shapes that do not fit.
    """
    signature = signature_of(function)
    sizes: Sizes = {}
    around: Shape = ()
    for axes, operand in zip(signature.operands, operands, strict=True):
        split = operand.rank - len(axes)
        if split < 0:
            raise WeftValueError(f"needs at least {len(axes)} axes, and {operand} has {operand.rank}")
        for name, extent in zip(axes, operand.shape[split:], strict=True):
            sizes[name] = _same(function, sizes[name], extent) if name in sizes else extent
        if around and split:
            if len(around) != split:
                raise WeftValueError(f"the axes before the last {len(axes)} of {operand} do not fit")
            around = tuple(_same(function, a, b) for a, b in zip(around, operand.shape[:split], strict=True))
        elif split:
            around = operand.shape[:split]
    return around, sizes


def _same(function: str, one: int | None, other: int | None) -> int | None:
    if one is not None and other is not None and one != other:
        raise WeftValueError(
            f"extents of {function.rpartition('.')[2]} that must agree are {one} and {other}"
        )
    return other if one is None else one


def result_dtypes(loop: str) -> list[np.dtype[Any]]:
    """The dtypes of the results of a loop.

    >>> result_dtypes("d->dD")
    [dtype('float64'), dtype('complex128')]
    """
    return [np.dtype(character) for character in loop.partition("->")[2]]


def axis_source(
    function: str, operands: Sequence[TensorType], result: int, axis: int
) -> tuple[int, int] | None:
    """The operand, and its axis, from which an axis of a result gets its extent; None for a new one."""
    signature = signature_of(function)
    core = signature.results[result]
    splits = [operand.rank - len(axes) for axes, operand in zip(signature.operands, operands, strict=True)]
    loop = max(splits)
    if axis < loop:
        return splits.index(loop), axis
    for number, axes in enumerate(signature.operands):
        if core[axis - loop] in axes:
            return number, splits[number] + axes.index(core[axis - loop])
    return None


class Known:
    """Arithmetic on extents, None for those that are not known; the lowering has the same on values."""

    def add(self, x: int | None, y: int | None) -> int | None:
        return None if x is None or y is None else x + y

    def multiply(self, x: int | None, y: int | None) -> int | None:
        return None if x is None or y is None else x * y

    def minimum(self, x: int | None, y: int | None) -> int | None:
        return None if x is None or y is None else min(x, y)

    def steps(self, distance: int | None, step: int) -> int | None:
        """How many steps it takes."""
        return None if distance is None else -(-distance // step)


def call_loop(function: str, loop: str, arguments: Sequence[np.ndarray[Any, Any]]) -> bool:
    """Call a loop of a ufunc, which writes to its last arguments; whether it found an operand to be invalid."""
    ufunc, invalid = find_ufunc(function), []
    with np.errstate(all="ignore", invalid="call", call=lambda *_: invalid.append(True)):
        ufunc(*arguments[: ufunc.nin], out=tuple(arguments[ufunc.nin :]), signature=loop)
    return bool(invalid)
