"""Ops that are loops of generalised ufuncs: their rules follow from the signature of the ufunc."""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from ..batching import looped
from ..device_routines import ROUTINES
from ..emitter import Emitter, Tensor
from ..errors import WeftTypeError
from ..library_derivatives import LIBRARY_PARTIALS
from ..op import (
    VARIADIC,
    Array,
    Attributes,
    Cost,
    ExtentSource,
    Int,
    Op,
    Operands,
    ShapedOp,
    String,
    TensorType,
)
from ..ufunc_loops import (
    Known,
    axis_source,
    call_loop,
    core_sizes,
    find_ufunc,
    loop_of,
    result_dtypes,
    signature_of,
)

_FAILED = TensorType((), np.dtype(np.bool_))
_STATUS = TensorType((), np.dtype(np.int64))


def _core_axes(op_class: Any, attributes: Attributes) -> list[int]:
    """How many of the last axes of each operand the loop works on at once."""
    return [len(axes) for axes in signature_of(op_class.function_of(attributes)).operands]


def _ends(op_class: Any) -> int:
    """How many of the last results tell of all matrices whether the loop failed."""
    return int(op_class.fails)


class LoopOp(ShapedOp, cost=Cost.EXPENSIVE):
    """Base of ops that are a loop of a ufunc: operands of exactly its dtypes, with all axes of the loop or none.

    Operands that the loop overwrites come first among the results; whether the loop failed, where it may, comes last.
    """

    function: ClassVar[str] = ""
    """The ufunc, with its module."""
    overwrites: ClassVar[int] = 0
    """How many operands, of the first, the loop overwrites with results."""
    fails: ClassVar[bool] = True
    """Whether the loop may find operands invalid."""
    batching = looped(_core_axes, _ends)

    @classmethod
    def function_of(cls, attributes: Attributes) -> str:
        """The ufunc that attributes choose."""
        return cls.function

    @classmethod
    def new_sizes(cls, math: Any, sizes: dict[str, Any], attributes: Attributes) -> dict[str, Any]:
        """The extents of axes that no operand has, from those of operands."""
        return {}

    @classmethod
    def require_sizes(cls, sizes: dict[str, Any]) -> None:
        """Raise `WeftValueError` for extents that the loop does not take, None for those that are not known."""

    @classmethod
    def infer(cls, *operands: TensorType, **attributes: Any) -> Any:
        """What the ufunc's signature says."""
        function = cls.function_of(attributes)
        around, sizes = core_sizes(function, operands)
        sizes.update(cls.new_sizes(Known(), sizes, attributes))
        cls.require_sizes(sizes)
        dtypes = result_dtypes(loop_of(function, [operand.dtype for operand in operands]))
        made = [
            TensorType((*around, *(sizes[name] for name in axes)), dtype)
            for axes, dtype in zip(signature_of(function).results, dtypes, strict=True)
        ]
        types = (*operands[: cls.overwrites], *made, *((_FAILED,) if cls.fails else ()))
        return types[0] if len(types) == 1 else types

    @classmethod
    def source_of_result(
        cls, types: Sequence[TensorType], attributes: Attributes, result: int, axis: int
    ) -> ExtentSource:
        """Of the operand that is overwritten, or that has the axis."""
        if result < cls.overwrites:
            return result, axis
        return axis_source(cls.function_of(attributes), types, result - cls.overwrites, axis)

    @classmethod
    def evaluate(cls, *operands: Array, **attributes: Any) -> Any:
        """Call the ufunc."""
        function = cls.function_of(attributes)
        inferred = cls.result_types([TensorType(a.shape, a.dtype) for a in operands], attributes)
        types = inferred[cls.overwrites : len(inferred) - cls.fails]
        made = [np.empty([e or 0 for e in t.shape], t.dtype) for t in types if isinstance(t, TensorType)]
        given = [a.copy() if number < cls.overwrites else a for number, a in enumerate(operands)]
        failed = call_loop(function, loop_of(function, [a.dtype for a in operands]), [*given, *made])
        results = (*given[: cls.overwrites], *made, *((np.bool_(failed),) if cls.fails else ()))
        return results[0] if len(results) == 1 else results


class CallUfunc(LoopOp, name="call_ufunc", family="ufunc_loops"):
    """A loop of any ufunc of NumPy or SciPy: operands have the shape of all of them, or no axes."""

    arguments: Operands
    ufunc: String
    results = VARIADIC
    fails = False

    @staticmethod
    def why_underived(attributes: Attributes) -> str:
        """Of some functions the derivative is known."""
        if attributes["ufunc"] in LIBRARY_PARTIALS:
            return ""
        return "what a library computes is not known; write the function with NumPy's own, or as weft.custom_gradient"

    @staticmethod
    def pullback(
        b: Emitter,
        given: Sequence[Tensor | None],
        operands: Sequence[Tensor],
        results: Sequence[Tensor],
        ufunc: str,
    ) -> list[Tensor | None]:
        """The cotangent times the derivative by each operand."""
        (g,) = given
        if g is None:
            return [None] * len(operands)
        partials = [partial(b, *operands, *results) for partial in LIBRARY_PARTIALS[ufunc]]
        return [b.unbroadcast(g * partial, x) for partial, x in zip(partials, operands, strict=True)]

    @staticmethod
    def pushforward(
        b: Emitter,
        given: Sequence[Tensor | None],
        operands: Sequence[Tensor],
        results: Sequence[Tensor],
        ufunc: str,
    ) -> list[Tensor | None]:
        """The sum of the tangents times the derivatives by their operands."""
        terms = [
            tangent * partial(b, *operands, *results)
            for tangent, partial in zip(given, LIBRARY_PARTIALS[ufunc], strict=True)
            if tangent is not None
        ]
        return [b.like(functools.reduce(operator.add, terms), results[0]) if terms else None]

    @classmethod
    def function_of(cls, attributes: Attributes) -> str:
        """That of the attribute."""
        function: str = attributes["ufunc"]
        return function

    @classmethod
    def infer(cls, *operands: Any, **attributes: Any) -> Any:
        """What the ufunc's signature says, as a tuple."""
        (arguments,) = operands
        types = super().infer(*arguments, **attributes)
        return types if isinstance(types, tuple) else (types,)

    @classmethod
    def evaluate(cls, *operands: Any, **attributes: Any) -> Any:
        """Call the ufunc."""
        (arguments,) = operands
        loop = loop_of(attributes["ufunc"], [a.dtype for a in arguments])
        results = find_ufunc(attributes["ufunc"])(*arguments, signature=loop)
        return results if isinstance(results, tuple) else (results,)


class _Call(Op):
    """Base of ops that call native code on all arguments, the last `updated` of which it writes; not 0 where it failed.

    They are made when nothing moves any more.
    """

    arguments: Operands
    updated: Int
    results = VARIADIC
    recorded = False

    @classmethod
    def require_call(cls, arguments: Sequence[TensorType], attributes: Attributes) -> None:
        """Raise `WeftTypeError` for what cannot be called so."""

    @classmethod
    def infer(cls, arguments: tuple[TensorType, ...], updated: int, **attributes: Any) -> Any:
        """What is written, and the status."""
        cls.require_call(arguments, attributes)
        if not 0 < updated <= len(arguments):
            raise WeftTypeError(f"{cls.mlir_name()} cannot write {updated} of {len(arguments)} arguments")
        return (*arguments[len(arguments) - updated :], _STATUS)

    @classmethod
    def source_of_result(
        cls, types: Sequence[TensorType], attributes: Attributes, result: int, axis: int
    ) -> ExtentSource:
        """Of the argument that becomes the result."""
        return len(types) - attributes["updated"] + result, axis

    @classmethod
    def is_speculatable(cls, operands: Sequence[TensorType], results: Sequence[TensorType]) -> bool:
        """Never."""
        return False

    @classmethod
    def perform(cls, arguments: Sequence[Array], attributes: Attributes) -> bool:
        """Write to arguments; whether it failed."""
        raise NotImplementedError

    @classmethod
    def evaluate(cls, arguments: tuple[Array, ...], updated: int, **attributes: Any) -> Any:
        """Write to copies."""
        given = list(arguments)
        for place in range(len(given) - updated, len(given)):
            given[place] = given[place].copy()
        failed = cls.perform(given, attributes)
        return (*given[len(given) - updated :], np.int64(failed))


class CallLoop(_Call, name="call_loop", family="ufunc_loops", cost=Cost.EXPENSIVE):
    """Call a loop of a ufunc on all its arguments, the last `updated` of which it writes; not 0 where it failed."""

    function: String
    loop: String

    @classmethod
    def require_call(cls, arguments: Sequence[TensorType], attributes: Attributes) -> None:
        """The ufunc has the loop."""
        function, loop = attributes["function"], attributes["loop"]
        ufunc = find_ufunc(function)
        if len(arguments) != ufunc.nargs:
            raise WeftTypeError(
                f"weft.call_loop of {function} takes {ufunc.nargs} arguments, not {len(arguments)}"
            )
        if loop not in ufunc.types or "O" in loop:
            raise WeftTypeError(f"{function} has no loop {loop}")

    @classmethod
    def perform(cls, arguments: Sequence[Array], attributes: Attributes) -> bool:
        """Call the loop."""
        return call_loop(attributes["function"], attributes["loop"], arguments)


class CallLibrary(_Call, name="call_library", family="ufunc_loops", cost=Cost.EXPENSIVE):
    """Call a routine of a device's library, which writes the last `updated` of its arguments; not 0 where it failed."""

    routine: String

    @classmethod
    def require_call(cls, arguments: Sequence[TensorType], attributes: Attributes) -> None:
        """There is such a routine."""
        if attributes["routine"] not in ROUTINES:
            raise WeftTypeError(f"there is no routine {attributes['routine']} of a device")

    @classmethod
    def perform(cls, arguments: Sequence[Array], attributes: Attributes) -> bool:
        """Do the same with NumPy."""
        return bool(ROUTINES[attributes["routine"]](*arguments))
