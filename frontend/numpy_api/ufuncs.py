"""Calls of NumPy's universal functions on traced arrays: loops, casts, `out`, `where`, and what NumPy checks.

With NumPy arrays alone the ufunc itself is called: it is the op's reference.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ...dialect.dtypes import as_dtype, kind
from ...dialect.errors import UnsupportedError, WeftTypeError, WeftValueError
from ...dialect.op import OPS, Ufunc
from ...dialect.ops import load_families
from ...dialect.ops.selection import Select
from ...dialect.types import Shape, broadcast_shapes, format_shape
from ..tracing.array import TracedArray
from ..tracing.element_stores import require_in_range
from ..tracing.extents import known_shape
from ..tracing.staging import (
    ArrayResult,
    apply,
    as_operand,
    cast,
    emit,
    raise_where,
    staged,
    trace_of,
)
from ..tracing.stretching import broadcast_together
from . import library_ufuncs
from .arguments import as_mask, output_of, write_into

if TYPE_CHECKING:
    from ..tracing.recorder import Recorder

_WEAK = (int, float, complex)

_COMPARISONS = {np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal}

NEGATIVE_POWER = "Integers to negative integer powers are not allowed."


@cache
def ops_of_ufuncs() -> dict[np.ufunc, type[Ufunc]]:
    """The elementwise op of every ufunc that has one."""
    load_families()
    ops = {op.ufunc: op for op in OPS.values() if issubclass(op, Ufunc)}
    # NumPy has these twice, as ufuncs of their own.
    return {**ops, np.degrees: ops[np.rad2deg], np.radians: ops[np.deg2rad]}


def op_of(ufunc: np.ufunc) -> type[Ufunc]:
    """The op of a ufunc, or `UnsupportedError` naming the closest there are."""
    found = ops_of_ufuncs().get(ufunc)
    if found is None:
        names = sorted(known.__name__ for known in ops_of_ufuncs())
        import difflib  # for messages only

        close = difflib.get_close_matches(ufunc.__name__, names, 3, cutoff=0.75)
        hint = f"; the closest there are: {', '.join(close)}" if close else ""
        raise UnsupportedError(f"the ufunc {ufunc.__name__} is not supported in compiled code{hint}")
    return found


def apply_ufunc(
    ufunc: np.ufunc,
    *inputs: Any,
    out: Any = None,
    where: Any = True,
    casting: Any = "same_kind",
    order: str = "K",
    dtype: Any = None,
    subok: bool = True,
    signature: Any = None,
    **unknown: Any,
) -> ArrayResult:
    """Call a ufunc on arrays, traced or not, with the arguments of `numpy.ufunc.__call__`."""
    if unknown:
        raise WeftTypeError(f"{ufunc.__name__}() got an unexpected keyword argument {next(iter(unknown))!r}")
    outputs = out if isinstance(out, tuple) else (out,) * (ufunc.nout if out is None or out is ... else 1)
    if len(outputs) != ufunc.nout:
        raise WeftValueError("The 'out' tuple must have exactly one entry per ufunc output")
    outputs = tuple(map(output_of, outputs))
    trace = trace_of((*inputs, *outputs, where))
    if trace is None:
        given = {"casting": casting, "order": order, "subok": subok, "where": where}
        return ufunc(*inputs, out=outputs, dtype=dtype, **given)
    if signature is not None:
        raise UnsupportedError(
            f"signature= of {ufunc.__name__} is not supported in compiled code; use dtype="
        )
    results = _results(trace, ufunc, inputs, outputs, casting, dtype)
    delivered = tuple(
        _finish(trace, ufunc, result, target, where) for result, target in zip(results, outputs, strict=True)
    )
    return delivered[0] if len(delivered) == 1 else delivered


def _results(
    trace: Recorder, ufunc: np.ufunc, inputs: Sequence[Any], outputs: Sequence[Any], casting: Any, dtype: Any
) -> tuple[ArrayResult, ...]:
    """Stage the op on operands cast to the loop that NumPy picks; one result per output."""
    if len(inputs) != ufunc.nin:
        raise TypeError(f"{ufunc.__name__}() takes {ufunc.nin} input arguments but {len(inputs)} were given")
    operands = [as_operand(value) for value in inputs]
    if ufunc not in ops_of_ufuncs() and library_ufuncs.library_name(ufunc) is not None:
        return _library_results(trace, ufunc, operands, outputs, casting, dtype)
    op_class = op_of(ufunc)
    if ufunc in _COMPARISONS and (decided := _decided_comparison(ufunc, operands)) is not None:
        op_class, operands = decided
        ufunc = op_class.ufunc
    loop = _loop(ufunc, operands, outputs, casting, dtype)
    arrays = [_cast(trace, operand, wanted) for operand, wanted in zip(operands, loop, strict=False)]
    if ufunc is np.power:
        _require_no_negative_power(operands[0], operands[1], loop[0])
        if (simple := _simple_power(operands[1], loop[0])) is not None:
            op_class, arrays = simple, arrays[:1]
    targets = [target for target in outputs if target is not None]
    _broadcast_shape([*arrays, *targets])
    arrays = broadcast_together(trace, arrays, into=targets[0] if targets else None)
    emitted = emit(trace, op_class, arrays, {})
    return emitted if isinstance(emitted, tuple) else (emitted,)


def _library_results(
    trace: Recorder,
    ufunc: np.ufunc,
    operands: Sequence[Any],
    outputs: Sequence[Any],
    casting: Any,
    dtype: Any,
) -> tuple[ArrayResult, ...]:
    """Stage the op of a ufunc of SciPy, or a call of the library that has it."""
    loop = _loop(ufunc, operands, outputs, casting, dtype)[: ufunc.nin]
    if not library_ufuncs.has_loop(ufunc, loop):
        raise UnsupportedError(
            f"the ufunc {ufunc.__name__} has no loop for {', '.join(map(str, loop))} that compiled code may call"
        )
    arrays = [_cast(trace, operand, wanted) for operand, wanted in zip(operands, loop, strict=True)]
    targets = [target for target in outputs if target is not None]
    _broadcast_shape([*arrays, *targets])
    if (special := library_ufuncs.special_call(ufunc, arrays)) is None:
        return library_ufuncs.call_library(trace, ufunc, arrays)
    op_class, taken = special
    return (
        emit(trace, op_class, broadcast_together(trace, taken, into=targets[0] if targets else None), {}),
    )


def _cast(trace: Recorder, operand: Any, dtype: np.dtype[Any]) -> Any:
    """The operand in the dtype of the loop; a Python int that does not fit raises as a Python int does."""
    if isinstance(operand, TracedArray) and operand._python_type is int and kind(dtype) in "iu":
        require_in_range(operand, dtype)
    return cast(operand, dtype)


def _loop(
    ufunc: np.ufunc, operands: Sequence[Any], outputs: Sequence[Any], casting: Any, dtype: Any
) -> tuple[np.dtype[Any], ...]:
    """The dtypes of the loop; NumPy raises its own TypeError where there is none or a cast is not allowed."""
    given = tuple(_weak_type(operand) for operand in operands)
    if ufunc in _COMPARISONS and not any(
        kind(o.dtype) in "fc" for o in operands if isinstance(o, TracedArray)
    ):
        # Python compares integers of any size.
        given = tuple(
            o.dtype if isinstance(o, TracedArray) else w for o, w in zip(operands, given, strict=True)
        )
    targets = tuple(None if target is None else target.dtype for target in outputs)
    if all(entry in _WEAK for entry in given):
        given = tuple(np.dtype(entry) for entry in given)
    wanted: dict[str, Any] = {}
    if dtype is not None:
        wanted["signature"] = (*(None,) * ufunc.nin, *(as_dtype(dtype),) * ufunc.nout)
    if any(isinstance(entry, type) for entry in given) and (wanted or casting != "same_kind"):
        _require_weak_casts(ufunc, given, targets, casting, dtype)
    loop = ufunc.resolve_dtypes((*given, *targets), casting=casting, **wanted)
    return tuple(as_dtype(entry) for entry in loop)


def _require_weak_casts(
    ufunc: np.ufunc, given: Sequence[Any], targets: Sequence[Any], casting: Any, dtype: Any
) -> None:
    """NumPy's error for a Python number that a casting rule does not let in: `resolve_dtypes` crashes on it."""
    examples = [entry(1) if isinstance(entry, type) else np.empty(0, entry) for entry in given]
    out = tuple(None if target is None else np.empty(0, target) for target in targets)
    with np.errstate(all="ignore"):
        ufunc(*examples, out=out, casting=casting, dtype=dtype)


def _weak_type(operand: Any) -> Any:
    """The dtype of an operand; int, float or complex for a Python scalar, which is weak (NEP 50)."""
    if isinstance(operand, TracedArray):
        number = operand._python_type
        return operand.dtype if number is None or number is bool else number
    if isinstance(operand, bool):
        return np.dtype(np.bool_)
    for weak in _WEAK:
        if isinstance(operand, weak) and not isinstance(operand, np.generic):
            return weak
    return operand.dtype


def _decided_comparison(ufunc: np.ufunc, operands: Sequence[Any]) -> tuple[type[Ufunc], list[Any]] | None:
    """A comparison of an integer array with a Python int outside of its range: all true or all false."""
    for place in (0, 1):
        number, other = operands[place], operands[1 - place]
        if type(number) is not int or not isinstance(other, TracedArray) or kind(other.dtype) not in "iu":
            continue
        limits = np.iinfo(other.dtype)
        if limits.min <= number <= limits.max:
            return None
        sample = [0, 0]
        sample[place] = 1 if number > limits.max else -1
        outcome = ufunc(*sample)
        return op_of(np.equal if outcome else np.not_equal), [other, other]
    return None


def _require_no_negative_power(base: Any, exponent: Any, dtype: np.dtype[Any]) -> None:
    """NumPy's error for an integer to a negative integer power, at run time when the exponent is traced.

    Where there are no bases, there are no powers.
    """
    is_signed = not isinstance(exponent, TracedArray) or kind(exponent.dtype) == "i"
    if kind(dtype) != "i" or not is_signed:
        return
    is_negative: Any = np.any(np.less(exponent, 0))
    bases = np.shape(base) if not isinstance(base, TracedArray) else known_shape(base)
    if 0 in bases or is_negative is np.False_:
        return
    if None in bases:
        is_negative = np.logical_and(is_negative, np.not_equal(base.size, 0))
    raise_where(is_negative, WeftValueError, NEGATIVE_POWER)


def _simple_power(exponent: Any, dtype: np.dtype[Any]) -> type[Ufunc] | None:
    """The op that NumPy takes for a power with a known scalar exponent: the root differs for -0.0 and -inf."""
    if dtype not in (np.float32, np.float64) or isinstance(exponent, TracedArray) or np.ndim(exponent) != 0:
        return None
    return op_of(np.sqrt) if exponent == 0.5 else op_of(np.square) if exponent == 2 else None


def _finish(trace: Recorder, ufunc: np.ufunc, result: TracedArray, target: Any, where: Any) -> ArrayResult:
    """Apply `where` and `out`; NumPy leaves undefined what neither gives, here it is the function's value."""
    if target is None:
        if where is True:
            return result
        return _select(trace, as_mask(where), result, result)
    if not isinstance(target, TracedArray):
        return write_into(target, result)
    _require_fits(ufunc, result, target)
    if where is not True:
        result = _select(trace, as_mask(where), cast(result, target.dtype), target)
        _require_fits(ufunc, result, target)
    write_into(target, result)
    return target


def _select(trace: Recorder, mask: Any, chosen: Any, otherwise: Any) -> TracedArray:
    return staged(trace, apply(Select, *broadcast_together(trace, (mask, chosen, otherwise))))


def _broadcast_shape(arrays: Sequence[Any]) -> Shape:
    """The shape of arrays together, or NumPy's error."""
    shapes = [known_shape(array) for array in arrays]
    try:
        return broadcast_shapes(shapes)
    except WeftValueError:
        listing = "".join(f"{format_shape(shape)} " for shape in shapes)
        raise WeftValueError(f"operands could not be broadcast together with shapes {listing}") from None


def _require_fits(ufunc: np.ufunc, result: Any, target: TracedArray) -> None:
    """A result may be broadcast into `out`, `out` is never broadcast."""
    shape = _broadcast_shape([result, target])
    if len(shape) != target.ndim or any(
        wanted == 1 and extent != 1 for extent, wanted in zip(shape, target.type.shape, strict=True)
    ):
        raise WeftValueError(
            f"non-broadcastable output operand with shape {format_shape(target.type.shape)} doesn't match the "
            f"broadcast shape {format_shape(shape)}"
        )
