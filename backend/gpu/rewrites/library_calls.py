"""Loops of ufuncs that the libraries of a device have become calls of their routines, with what these expect around.

    %x, %failed = weft.call_loop(%a, %b, %empty) {function = "numpy.linalg._umath_linalg.solve", loop = "dd->d", ...}

becomes a transpose of `%b`, a `weft.call_library` of "cusolver.solve", and a transpose of its result, which are fused
with what is before and behind. Stacks of matrices stay with the host, which computes many small ones at a time; so does
what needs extents that are not known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TypeAlias

import numpy as np

from ....dialect.emitter import Emitter, Tensor
from ....dialect.matrix_rules import adjoint
from ....dialect.mlir import Module, Operation, Value, ir
from ....dialect.ops.ufunc_loops import CallLibrary, CallLoop
from ....dialect.records import dataclass
from ....dialect.types import TensorType
from ....passes.base import Pass, Statistics
from ....passes.fusion.fuse_elementwise import FuseElementwise
from ....passes.lowering.conversion import Conversion
from ....passes.lowering.lowered_emitter import LoweredEmitter
from ....passes.notes import note
from ....passes.rewriting import operations_of
from ...planning.outlining.op_kinds import is_copied
from ...planning.shapes import static_shape
from ...target import current

Given: TypeAlias = "Sequence[Tensor]"
Rule: TypeAlias = "Callable[[Emitter, str, Given], list[Tensor] | None]"
"""Makes, of the arguments of a loop, what it writes and its status; None where it is left to the host."""


@dataclass(frozen=True)
class CallLibraries(Pass):
    """Turn transforms and factorisations into calls of the libraries of a GPU."""

    def run(self, module: Module, statistics: Statistics) -> None:
        gpu = current().gpu
        libraries = frozenset[str]() if gpu is None else gpu.libraries
        loops = [op for op in operations_of(module.operation) if op.name == CallLoop.mlir_name()]
        found = [op for op in loops if _library_of(op) in libraries and _rewrite(module, op)]
        statistics["calls of libraries"] += len(found)
        if found:
            FuseElementwise().run(module, statistics)
            for op in operations_of(module.operation):
                if op.name == CallLibrary.mlir_name():
                    _store_arguments(op, Conversion(module.body))


def _library_of(op: Operation) -> str:
    """The library that has a loop; nothing if none has."""
    return RULES.get(op.attributes["function"].value, ("", ""))[0].partition(".")[0]


def _rewrite(module: Module, op: Operation) -> bool:
    """Replace a loop, unless it is left to the host."""
    routine, rule = RULES[op.attributes["function"].value]
    emitter = LoweredEmitter(module)
    dtypes = [np.dtype(character) for character in op.attributes["loop"].value.replace("->", "")]
    if any(dtype.char not in "fdFD" for dtype in dtypes):
        return False
    with ir.InsertionPoint(op), op.location:
        given = [
            emitter.value(operand, TensorType(tuple(static_shape(operand.type)), dtype))
            for operand, dtype in zip(op.operands, dtypes, strict=True)
        ]
        made = rule(emitter, routine, given)
    if made is None:
        return False
    note("algorithm", op.location, f"is computed by {routine}")
    for result, value in zip(op.results, made, strict=True):
        with ir.InsertionPoint(op), op.location:
            result.replace_all_uses_with(_as(emitter, value, result))
    op.erase()
    return True


def _store_arguments(op: Operation, conversion: Conversion) -> None:
    """Compute arguments that would be made again in each kernel that uses them: a call needs memory."""
    for place, argument in enumerate(op.operands):
        if isinstance(argument.owner, ir.Block) or argument.owner.operation.name == "tensor.empty":
            continue
        if is_copied(argument.owner.operation):
            with ir.InsertionPoint(op), op.location:
                op.operands[place] = _copy(argument, conversion)


def _copy(tensor: Value, conversion: Conversion) -> Value:
    """A tensor as the result of a nest."""
    sizes = [extent for extent in conversion.extents(tensor) if not isinstance(extent, int)]
    empty = conversion.operation("tensor.empty", sizes, [tensor.type])
    same = ir.AffineMap.get_identity(tensor.type.rank)
    parallel = ["parallel"] * tensor.type.rank
    return conversion.generic([tensor], [empty], [same, same], parallel, lambda x, _: [x])[0]


def _as(emitter: LoweredEmitter, value: Tensor, result: Value) -> Value:
    """A value with what is known of the shape of a result."""
    return emitter.refined(value, TensorType(tuple(static_shape(result.type)), value.dtype)).handle


def _call(b: Emitter, routine: str, *arguments: Tensor, updated: int) -> list[Tensor]:
    """What a routine writes, and its status."""
    return list(b.call_library(*arguments, updated=updated, routine=routine))


def _told(b: Emitter, status: Tensor, given: Tensor) -> Tensor:
    """A status that also tells of NaN in what was given, with which LAPACK fails, and libraries of devices need not."""
    is_nan = b.any(b.isnan(given), axes=(0, 1), keepdims=False)
    told: Tensor = b.select(is_nan, b.number(1, status.dtype), status)
    return told


def _turned(b: Emitter, x: Tensor) -> Tensor:
    turned: Tensor = b.transpose(x, permutation=(1, 0))
    return turned


def _scaled(b: Emitter, x: Tensor, scale: Tensor) -> Tensor:
    """Parts of numbers times a real number."""
    if _is_one(scale.handle):
        return x
    if not x.is_complex:
        return x * scale
    product: Tensor = b.complex(b.real(x) * scale, b.imag(x) * scale)
    return product


def _is_one(value: Value) -> bool:
    if isinstance(value.owner, ir.Block) or value.owner.operation.name != "arith.constant":
        return False
    constant = value.owner.operation.attributes["value"]
    return isinstance(constant, ir.DenseElementsAttr) and np.asarray(constant).item() == 1


def _transform(b: Emitter, routine: str, given: Given) -> list[Tensor]:
    x, scale, made = given
    result, status = _call(b, routine, x, made, updated=1)
    return [_scaled(b, result, scale), status]


def _to_real(b: Emitter, routine: str, given: Given) -> list[Tensor]:
    """What stands for one frequency only is taken as real, as NumPy does; the operand is overwritten."""
    x, scale, made = given
    places = b.positions(x, x.rank - 1)
    last = b.as_scalar(b.extent(x, x.rank - 1)) - 1
    is_even = (last * 2).equals(b.as_scalar(b.extent(made, made.rank - 1)))
    is_single = places.equals(0) | (places.equals(last) & is_even)
    half = b.select(is_single, b.complex(b.real(x), b.imag(x) * 0), x)
    _, result, status = _call(b, routine, half, made, updated=2)
    return [_scaled(b, result, scale), status]


def _are_matrices(*given: Tensor) -> bool:
    return all(x.rank == 2 for x in given)


def _cholesky(b: Emitter, routine: str, given: Given) -> list[Tensor] | None:
    x, _ = given
    if not _are_matrices(x):
        return None
    factor, status = _call(b, routine, x, updated=1)
    return [_triangle(b, routine, factor), status]


def _triangle(b: Emitter, routine: str, x: Tensor) -> Tensor:
    """The triangle that a routine takes or makes."""
    found: Tensor = b.triu(x, k=0) if routine.endswith("up") else b.tril(x, k=0)
    return found


def _solve(b: Emitter, routine: str, given: Given) -> list[Tensor] | None:
    a, right, _ = given
    if not _are_matrices(a, right):
        return None
    _, rows, status = _call(b, routine, a, _turned(b, right), updated=2)
    return [_turned(b, rows), status]


def _inverse(b: Emitter, routine: str, given: Given) -> list[Tensor] | None:
    x, _ = given
    if not _are_matrices(x):
        return None
    is_diagonal = b.positions(x, 0).equals(b.positions(x, 1))
    identity = b.select(is_diagonal, b.number(1, x.dtype), b.number(0, x.dtype))
    _, rows, status = _call(b, routine, x, identity, updated=2)
    return [rows, status]


def _log_determinant(b: Emitter, routine: str, given: Given) -> list[Tensor] | None:
    """The sign and the logarithm of the absolute value, of what is on the diagonal; 0 and -inf where it is singular."""
    x = given[0]
    if not _are_matrices(x):
        return None
    exchanges = b.full([b.extent(x, 0)], 0, np.dtype(np.int32))
    factors, pivots, status = _call(b, routine, x, exchanges, updated=2)
    is_diagonal = b.positions(x, 0).equals(b.positions(x, 1))
    diagonal = b.sum(b.select(is_diagonal, factors, b.number(0, x.dtype)), axes=(1,), keepdims=False)
    size = b.absolute(diagonal)
    one = b.number(1, size.dtype)
    is_kept = b.converted(pivots, np.dtype(np.int64)).equals(b.positions(pivots, 0) + 1)
    signs = b.select(is_kept, one, -one)
    if x.is_complex:
        signs = b.complex(b.real(diagonal) / size * signs, b.imag(diagonal) / size * signs)
    else:
        signs = b.select(diagonal < 0, -signs, signs)
    sign = b.prod(signs, axes=(0,), keepdims=False)
    logarithm = b.sum(b.log(size), axes=(0,), keepdims=False)
    is_regular, fine = status.equals(0), b.number(0, status.dtype)
    nothing, lowest = b.number(0, x.dtype), b.number(-np.inf, size.dtype)
    return [b.select(is_regular, sign, nothing), b.select(is_regular, logarithm, lowest), fine]


def _determinant(b: Emitter, routine: str, given: Given) -> list[Tensor] | None:
    """Of what `slogdet` has, as NumPy does: a product may be too large before it is done."""
    found = _log_determinant(b, routine, given)
    if found is None:
        return None
    sign, logarithm, status = found
    return [_scaled(b, sign, b.exp(logarithm)), status]


def _eigenvectors(b: Emitter, routine: str, given: Given) -> list[Tensor] | None:
    x, values, _ = given
    if not _are_matrices(x):
        return None
    rows, values, status = _call(b, routine, x, values, updated=2)
    return [values, adjoint(b, rows), _told(b, status, _triangle(b, routine, x))]


def _eigenvalues(b: Emitter, routine: str, given: Given) -> list[Tensor] | None:
    x, values = given
    if not _are_matrices(x):
        return None
    _, values, status = _call(b, routine, x, values, updated=2)
    return [values, _told(b, status, _triangle(b, routine, x))]


def _wide(b: Emitter, x: Tensor) -> tuple[Tensor, bool] | None:
    """A matrix or its transpose, whichever has no more rows than columns, and whether it is the transpose."""
    if not _are_matrices(x) or None in x.shape:
        return None
    rows, columns = (extent or 0 for extent in x.shape)
    return (_turned(b, x), True) if rows > columns else (x, False)


def _singular(b: Emitter, routine: str, given: Given) -> list[Tensor] | None:
    x, u, values, vh = given
    found = _wide(b, x)
    if found is None:
        return None
    wide, is_turned = found
    if not is_turned:
        _, u, values, vh, status = _call(b, routine, wide, u, values, vh, updated=4)
        return [u, values, vh, _told(b, status, x)]
    _, vh, values, u, status = _call(b, routine, wide, _turned(b, vh), values, _turned(b, u), updated=4)
    return [_turned(b, u), values, _turned(b, vh), _told(b, status, x)]


def _singular_values(b: Emitter, routine: str, given: Given) -> list[Tensor] | None:
    found = _wide(b, given[0])
    if found is None:
        return None
    _, values, status = _call(b, routine, found[0], given[1], updated=2)
    return [values, _told(b, status, given[0])]


def _factors(b: Emitter, routine: str, given: Given) -> list[Tensor] | None:
    x, scales = given
    if not _are_matrices(x):
        return None
    columns, scales, status = _call(b, routine, _turned(b, x), scales, updated=2)
    return [_turned(b, columns), scales, status]


def _basis(b: Emitter, routine: str, given: Given) -> list[Tensor] | None:
    factors, scales, made = given
    if not _are_matrices(factors) or scales.shape[0] is None or made.shape[1] != scales.shape[0]:
        return None
    columns = b.along(_turned(b, factors), 0, 0, scales.shape[0])
    columns, status = _call(b, routine, scales, columns, updated=1)
    return [_turned(b, columns), status]


_FOURIER, _LAPACK = "numpy.fft._pocketfft_umath.", "numpy.linalg._umath_linalg."

RULES: Mapping[str, tuple[str, Rule]] = MappingProxyType(
    {
        **{_FOURIER + name: (f"cufft.{name}", _transform) for name in ("fft", "ifft")},
        **{_FOURIER + f"rfft_n_{kind}": ("cufft.rfft", _transform) for kind in ("even", "odd")},
        _FOURIER + "irfft": ("cufft.irfft", _to_real),
        **{_LAPACK + name: (f"cusolver.{name}", _cholesky) for name in ("cholesky_lo", "cholesky_up")},
        _LAPACK + "solve": ("cusolver.solve", _solve),
        _LAPACK + "inv": ("cusolver.solve_transposed", _inverse),
        _LAPACK + "slogdet": ("cusolver.lu", _log_determinant),
        _LAPACK + "det": ("cusolver.lu", _determinant),
        **{_LAPACK + name: (f"cusolver.{name}", _eigenvectors) for name in ("eigh_lo", "eigh_up")},
        **{_LAPACK + name: (f"cusolver.{name}", _eigenvalues) for name in ("eigvalsh_lo", "eigvalsh_up")},
        **{_LAPACK + name: ("cusolver.svd", _singular) for name in ("svd_f", "svd_s")},
        _LAPACK + "svd": ("cusolver.svdvals", _singular_values),
        _LAPACK + "qr_r_raw": ("cusolver.qr_factors", _factors),
        **{_LAPACK + name: ("cusolver.qr_basis", _basis) for name in ("qr_reduced", "qr_complete")},
    }
)
"""By the loop, the routine that does it, and how it is called."""
