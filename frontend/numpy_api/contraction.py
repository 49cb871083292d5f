"""Products of arrays: matmul, dot, tensordot, einsum and their kin."""

from __future__ import annotations

import operator
import string
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from ...dialect.dtypes import DTypeLike, as_dtype, kind
from ...dialect.errors import UnsupportedError, WeftValueError
from ...dialect.op import Array
from ...dialect.ops.arrangement import Diagonal
from ...dialect.ops.contraction import Contract, Matmul
from ...dialect.types import broadcast_shapes, format_shape
from ..tracing.array import TracedArray
from ..tracing.extents import extents_text, known_shape, require_equal, shapes_text
from ..tracing.staging import (
    ArrayLike,
    ArrayResult,
    apply,
    asarray,
    cast,
    is_traced,
    raise_if,
    raise_where,
    rank_0_array,
    trace_of,
    view_of,
)
from ..tracing.stretching import Misfit, meet
from .arguments import axis_index, common_dtype, deliver, promoted
from .diagonals import diagonal
from .joining import stack
from .reductions import sum as sum_of
from .shape import expand_dims, moveaxis, ravel, reshape, squeeze, swapaxes, transpose

# Matrix products


def matmul(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: Any = None,
    *,
    dtype: DTypeLike | None = None,
    casting: str = "same_kind",
) -> ArrayResult:
    """The matrix product of the last two axes, as `numpy.matmul`; vectors count as a row or column.

    Shape: (..., m, n) for (..., m, k) and (..., k, n), of which the leading axes broadcast. Dtype: `dtype`, or the
    common one. Raises `ValueError` for extents that do not fit and for arrays without axes.

    >>> weft.matmul(np.array([[1, 2], [3, 4]]), np.array([1, 1]))
    array([3, 7])
    """
    x, y = asarray(x1), asarray(x2)
    for place, operand in enumerate((x, y)):
        if operand.ndim == 0:
            raise WeftValueError(
                f"matmul: Input operand {place} does not have enough dimensions (has 0, gufunc core with signature "
                "(n?,k),(k,m?)->(n?,m?) requires 1)"
            )
    wanted = (
        as_dtype(dtype)
        if dtype is not None
        else as_dtype(np.matmul.resolve_dtypes((x.dtype, y.dtype, None))[-1])
    )
    x, y = (asarray(cast(operand, wanted)) for operand in (x, y))
    left_is_vector, right_is_vector = x.ndim == 1, y.ndim == 1
    _require_inner("matmul", x, -1, y, 0 if right_is_vector else -2)
    left = expand_dims(x, 0) if left_is_vector else x
    right = expand_dims(y, 1) if right_is_vector else y
    if left.ndim > 2 and right.ndim > 2:
        left, right = _with_equal_batches(left, right)
    product = asarray(apply(Matmul, left, right))
    dropped = (product.ndim - 2,) * left_is_vector + (product.ndim - 1,) * right_is_vector
    return deliver(_scalar(squeeze(product, dropped)) if dropped else product, out)


def _scalar(x: ArrayResult) -> ArrayResult:
    """NumPy's scalar of an array of rank 0; traced, an array of its own and not a view of the product."""
    return x[()] if x.ndim == 0 else x


def _require_inner(name: str, x: ArrayResult, x_axis: int, y: ArrayResult, y_axis: int) -> None:
    """The summed extents must agree: now where they are known, else when the function runs."""
    (left, right), shown = extents_text(x.shape[x_axis], y.shape[y_axis])
    if known_shape(x)[x_axis] == known_shape(y)[y_axis] is not None:
        return
    if name == "matmul":
        core = 0 if y.ndim == 1 else y_axis % y.ndim - (y.ndim - 2)
        message = (
            f"matmul: Input operand 1 has a mismatch in its core dimension {core}, with gufunc signature "
            f"(n?,k),(k,m?)->(n?,m?) (size {right} is different from {left})"
        )
    elif name == "tensordot":
        message = "shape-mismatch for sum"
    else:
        text, shown = shapes_text((x, y), " and ")
        (left, right), more = extents_text(x.shape[x_axis], y.shape[y_axis], len(shown))
        shown += more
        message = (
            f"shapes {text} not aligned: {left} (dim {x_axis % x.ndim}) != {right} (dim {y_axis % y.ndim})"
        )
    if not shown:
        raise WeftValueError(message)
    trace = trace_of((x, y))
    if trace is not None:
        require_equal(trace, [(x, x_axis, y, y_axis)], message, *shown)


def _with_equal_batches(x: ArrayResult, y: ArrayResult) -> tuple[ArrayResult, ArrayResult]:
    """The operands with leading axes that broadcast; unknown extents are equal, or 1 where they are known to be."""
    broadcast_shapes([known_shape(x)[:-2], known_shape(y)[:-2]])
    trace = trace_of((x, y))
    if trace is None:
        return x, y
    groups = [
        [(0, x.ndim - place), (1, y.ndim - place)]
        for place in range(3, min(x.ndim, y.ndim) + 1)
        if 1 not in (known_shape(x)[-place], known_shape(y)[-place])
    ]
    (left, right), _ = meet(trace, (x, y), groups, Misfit())
    return left, right


def _shape(x: ArrayResult) -> str:

    return format_shape(known_shape(x))


def dot(a: ArrayLike, b: ArrayLike, out: Any = None) -> ArrayResult:
    """The sum of products over the last axis of a and the last but one of b, as `numpy.dot`.

    Shape: (..., m, ..., n) for (..., m, k) and (..., k, n). Dtype: the common one. Raises `ValueError` for extents
    that do not fit.

    >>> weft.dot(np.array([[1, 2], [3, 4]]), np.array([1, 1]))
    array([3, 7])
    """
    x, y = promoted(asarray(a), asarray(b))
    if x.ndim == 0 or y.ndim == 0:
        return deliver(_scaled(x, y), out)
    inner_axis = y.ndim - 2 if y.ndim > 1 else 0
    _require_inner("dot", x, -1, y, inner_axis)
    if x.ndim == 2 and y.ndim <= 2:
        return deliver(matmul(x, y), out)
    return deliver(_scalar(tensordot(x, y, axes=((x.ndim - 1,), (inner_axis,)))), out)


def _scaled(x: ArrayResult, y: ArrayResult) -> ArrayResult:
    """The product with a number; where NumPy asks BLAS, as a sum of one product, which is never -0.0."""
    product = np.multiply(x, y)
    asks_blas = product.ndim <= 2 and kind(product.dtype) in "fc" and product.dtype.itemsize > 2
    return np.add(product, np.zeros((), product.dtype)) if asks_blas else product


def inner(a: ArrayLike, b: ArrayLike, /) -> ArrayResult:
    """The sum of products over the last axes, as `numpy.inner`.

    Shape: the other axes of a, then those of b. Dtype: the common one. Raises `ValueError` for extents that differ.

    >>> weft.inner(np.array([1, 2]), np.array([3, 4]))
    np.int64(11)
    """
    x, y = promoted(asarray(a), asarray(b))
    if x.ndim == 0 or y.ndim == 0:
        return _scaled(x, y)
    return dot(x, swapaxes(y, -1, -2) if y.ndim > 1 else y)


def vdot(a: ArrayLike, b: ArrayLike, /) -> ArrayResult:
    """The sum of products of all elements, those of a conjugated, as `numpy.vdot`.

    Shape: (). Dtype: the common one. Raises `ValueError` for different numbers of elements.

    >>> weft.vdot(np.array([1j, 2]), np.array([1j, 1]))
    np.complex128(3+0j)
    """
    x, y = promoted(ravel(a), ravel(b))
    return dot(np.conjugate(x) if kind(x.dtype) == "c" else x, y)


def outer(a: ArrayLike, b: ArrayLike, out: Any = None) -> ArrayResult:
    """The products of all pairs of elements of two flattened arrays, as `numpy.outer`.

    Shape: (a.size, b.size). Dtype: the common one. Raises `ValueError` for an `out` of another shape.

    >>> weft.outer(np.array([1, 2]), np.array([3, 4]))
    array([[3, 4],
           [6, 8]])
    """
    return deliver(np.multiply(ravel(a)[:, None], ravel(b)[None, :]), out)


def vecdot(x1: ArrayLike, x2: ArrayLike, /, out: Any = None, *, axis: int = -1) -> ArrayResult:
    """The sum of products along an axis, those of x1 conjugated, as `numpy.vecdot`.

    Shape: the other axes, broadcast. Dtype: the common one. Raises `ValueError` for extents that do not fit.

    >>> weft.vecdot(np.array([[1, 2], [3, 4]]), np.array([1, 1]))
    array([3, 7])
    """
    x, y = promoted(x1, x2)
    x, y = (moveaxis(operand, axis, -1) for operand in (x, y))
    _require_inner("vecdot", x, -1, y, -1)
    x = np.conjugate(x) if kind(x.dtype) == "c" else x
    return deliver(_contract([x, y], _aligned_labels(x.ndim, y.ndim, 1, 1), None), out)


def matvec(x1: ArrayLike, x2: ArrayLike, /, out: Any = None) -> ArrayResult:
    """The product of matrices with vectors, as `numpy.matvec`.

    Shape: (..., m) for (..., m, n) and (..., n), of which the leading axes broadcast. Dtype: the common one. Raises
    `ValueError` for extents that do not fit.

    >>> weft.matvec(np.array([[1, 2], [3, 4]]), np.array([1, 1]))
    array([3, 7])
    """
    return deliver(squeeze(matmul(x1, expand_dims(x2, -1)), -1), out)


def vecmat(x1: ArrayLike, x2: ArrayLike, /, out: Any = None) -> ArrayResult:
    """The product of vectors, conjugated, with matrices, as `numpy.vecmat`.

    Shape: (..., n) for (..., m) and (..., m, n), of which the leading axes broadcast. Dtype: the common one. Raises
    `ValueError` for extents that do not fit.

    >>> weft.vecmat(np.array([1, 1]), np.array([[1, 2], [3, 4]]))
    array([4, 6])
    """
    x = asarray(x1)
    x = np.conjugate(x) if kind(x.dtype) == "c" else x
    return deliver(squeeze(matmul(expand_dims(x, -2), x2), -2), out)


def _aligned_labels(x_rank: int, y_rank: int, x_core: int, y_core: int) -> list[str]:
    """Labels of two operands whose leading axes broadcast and whose last ones are summed together."""
    batch = string.ascii_uppercase[: max(x_rank - x_core, y_rank - y_core)]
    return [batch[len(batch) - (x_rank - x_core) :] + "z", batch[len(batch) - (y_rank - y_core) :] + "z"]


def tensordot(a: ArrayLike, b: ArrayLike, /, axes: Any = 2) -> ArrayResult:
    """The sum of products over pairs of axes, given as a count or as two sequences, as `numpy.tensordot`.

    Shape: the other axes of a, then those of b. Dtype: the common one. Raises `ValueError` for extents that differ.

    >>> weft.tensordot(np.array([[1, 2], [3, 4]]), np.array([1, 1]), axes=1)
    array([3, 7])
    """
    x, y = promoted(asarray(a), asarray(b))
    if np.ndim(axes) == 0 and not isinstance(axes, (tuple, list)):
        count = operator.index(axes)
        if count < 0:
            raise WeftValueError("`axes` integer should be non-negative")
        x_axes, y_axes = tuple(range(x.ndim - count, x.ndim)), tuple(range(count))
        if count > min(x.ndim, y.ndim):
            raise WeftValueError("shape-mismatch for sum")
    else:
        if len(axes) != 2:
            raise WeftValueError(
                f"the axes are a number, or those of a and those of b, not {len(axes)} of them"
            )
        x_axes, y_axes = (tuple(e) if isinstance(e, (tuple, list)) or np.ndim(e) else (e,) for e in axes)
    if len(x_axes) != len(y_axes):
        raise WeftValueError("shape-mismatch for sum")
    x_axes = tuple(axis_index(axis, x.ndim) for axis in x_axes)
    y_axes = tuple(axis_index(axis, y.ndim) for axis in y_axes)
    for left, right in zip(x_axes, y_axes, strict=True):
        extents = (known_shape(x)[left], known_shape(y)[right])
        if None not in extents and extents[0] != extents[1]:
            raise WeftValueError("shape-mismatch for sum")
        _require_inner("tensordot", x, left, y, right)
    letters = iter(string.ascii_letters)
    x_labels = [next(letters) for _ in range(x.ndim)]
    y_labels = [next(letters) for _ in range(y.ndim)]
    for left, right in zip(x_axes, y_axes, strict=True):
        y_labels[right] = x_labels[left]
    summed = {x_labels[axis] for axis in x_axes}
    result = [label for label in (*x_labels, *y_labels) if label not in summed]
    return rank_0_array(
        apply(Contract, x, y, spec=f"{''.join(x_labels)},{''.join(y_labels)}->{''.join(result)}")
    )


def kron(a: ArrayLike, b: ArrayLike) -> ArrayResult:
    """The Kronecker product: blocks of b scaled by the elements of a, as `numpy.kron`.

    Shape: the products of the extents, the shorter shape with ones in front. Dtype: the common one. Raises
    `TypeError` for dtypes that weft does not have.

    >>> weft.kron(np.array([1, 2]), np.array([1, 10]))
    array([ 1, 10,  2, 20])
    """
    x, y = asarray(a), asarray(b)
    rank = max(x.ndim, y.ndim)
    x, y = (expand_dims(e, tuple(range(rank - e.ndim))) if e.ndim < rank else e for e in (x, y))
    blocks = np.multiply(
        expand_dims(x, tuple(range(1, 2 * rank, 2))) if rank else x,
        expand_dims(y, tuple(range(0, 2 * rank, 2))) if rank else y,
    )
    return reshape(blocks, tuple(m * n for m, n in zip(x.shape, y.shape, strict=True)))


def cross(
    a: ArrayLike, b: ArrayLike, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None
) -> ArrayResult:
    """The cross product of vectors of three elements, as `numpy.cross`.

    Shape: that of a and b, broadcast, with the vectors at `axisc`. Dtype: the common one. Raises `ValueError` for
    other extents.

    >>> weft.cross(np.array([1, 0, 0]), np.array([0, 1, 0]))
    array([0, 0, 1])
    """
    if axis is not None:
        axisa = axisb = axisc = axis
    x, y = moveaxis(a, axisa, -1), moveaxis(b, axisb, -1)
    for operand in (x, y):
        _require_three(operand, x, y)

    (x0, x1, x2), (y0, y1, y2) = ([e[..., i] for i in range(3)] for e in (x, y))
    return stack([x1 * y2 - x2 * y1, x2 * y0 - x0 * y2, x0 * y1 - x1 * y0], axis=axisc)


def _require_three(operand: ArrayResult, x: ArrayResult, y: ArrayResult) -> None:
    """The vectors of a cross product have three elements."""
    if known_shape(operand)[-1] == 3:
        return
    (left, right), shown = extents_text(x.shape[-1], y.shape[-1])
    message = (
        "Both input arrays must be (arrays of) 3-dimensional vectors, but they are "
        f"{left} and {right} dimensional instead."
    )
    if known_shape(operand)[-1] is not None:
        raise WeftValueError(message.format(*(known_shape(e)[-1] for e in (x, y) if is_traced(e.shape[-1]))))
    raise_if(np.not_equal(operand.shape[-1], 3), "ValueError", message, *shown)


def trace(
    a: ArrayLike,
    offset: int = 0,
    axis1: int = 0,
    axis2: int = 1,
    dtype: DTypeLike | None = None,
    out: Any = None,
) -> ArrayResult:
    """The sums along diagonals, as `numpy.trace`.

    Shape: that of a without the two axes. Dtype: that of `sum`. Raises what `diagonal` raises.

    >>> weft.trace(np.array([[1, 2], [3, 4]]))
    np.int64(5)
    """
    return sum_of(diagonal(a, offset, axis1, axis2), -1, dtype, out)


# Einstein summation


def einsum(
    *operands: Any, out: Any = None, optimize: Any = False, dtype: Any = None, **kwargs: Any
) -> ArrayResult:
    """Sums of products over labelled axes, as `numpy.einsum`.

    Shape: the extents of the labels behind the arrow, or of those that occur once. Dtype: `dtype`, or the common one.
    Raises `ValueError` for labels that do not fit the arrays, and for extents of one label that differ.

    >>> weft.einsum("ij,j->i", np.array([[1, 2], [3, 4]]), np.array([1, 1]))
    array([3, 7])
    """
    spec, arrays = _einsum_arguments(operands)
    inputs, arrow, result = spec.replace(" ", "").partition("->")
    terms = inputs.split(",")
    if len(terms) != len(arrays):
        raise WeftValueError(
            "more operands provided to einstein sum function than specified in the subscripts string"
            if len(arrays) > len(terms)
            else "fewer operands provided to einstein sum function than specified in the subscripts string"
        )
    labels, ellipsis = _spell_ellipses(terms, arrays)
    if arrow:
        result = result.replace("...", ellipsis)
    else:
        joined = "".join(labels)
        result = ellipsis + "".join(sorted(c for c in set(joined) - set(ellipsis) if joined.count(c) == 1))
    _check_labels(labels, result)
    wanted = common_dtype(*arrays) if dtype is None else as_dtype(dtype)
    arrays = [asarray(cast(array, wanted)) for array in arrays]
    found = _contract(arrays, labels, result)
    if optimize is not False and not result and _are_multiplied(labels):
        found = rank_0_array(found)
    return deliver(found, out)


def _are_multiplied(labels: Sequence[str]) -> bool:
    """Whether operands have a label in common, for which NumPy's `optimize` multiplies matrices."""
    return any(left & right for left, right in combinations(map(frozenset, labels), 2))


def einsum_path(*operands: Any, optimize: Any = "greedy") -> tuple[Any, Any]:
    """The order in which `einsum` may contract its operands, and a text about that, as `numpy.einsum_path`.

    Shape: those of the operands decide. Dtype: any. Raises `UnsupportedError` for extents that are known at run time
    only, and what `numpy.einsum_path` raises.

    >>> weft.einsum_path("ij,jk->ik", np.ones((2, 3)), np.ones((3, 4)))[0]
    ['einsum_path', (0, 1)]
    """
    shown = [_of_that_shape(value) if isinstance(value, TracedArray) else value for value in operands]
    found: tuple[Any, Any] = np.einsum_path(*shown, optimize=optimize)
    return found


def _of_that_shape(array: TracedArray) -> Array:
    """An array of NumPy's of the same shape and dtype, whose elements are not looked at."""
    if None in array.type.shape:
        raise UnsupportedError(
            f"einsum_path() needs to know the shapes of its operands while tracing, and one is {array.type}; call it "
            "outside of the compiled function, or leave it out: einsum finds an order itself"
        )
    return np.broadcast_to(np.empty((), array.dtype), array.shape)


def _einsum_arguments(operands: Sequence[Any]) -> tuple[str, list[ArrayResult]]:
    """The spec and arrays of both call forms of einsum."""
    if not operands:
        raise WeftValueError("must specify the einstein sum subscripts string and at least one operand")
    if isinstance(operands[0], str):
        return operands[0], [asarray(operand) for operand in operands[1:]]

    def spell(entries: Any) -> str:
        return "".join(
            "..." if entry is Ellipsis else string.ascii_letters[operator.index(entry)] for entry in entries
        )

    pairs = len(operands) // 2
    spec = ",".join(spell(operands[2 * i + 1]) for i in range(pairs))
    if len(operands) % 2:
        spec += "->" + spell(operands[-1])
    return spec, [asarray(operands[2 * i]) for i in range(pairs)]


def _spell_ellipses(terms: list[str], arrays: list[ArrayResult]) -> tuple[list[str], str]:
    """The labels of every operand with letters for its ellipsis, and the letters of the longest ellipsis."""
    free = [c for c in string.ascii_letters if c not in "".join(terms)]
    lengths = [array.ndim - len(term.replace("...", "")) for term, array in zip(terms, arrays, strict=True)]
    longest = max([length for term, length in zip(terms, lengths, strict=True) if "..." in term], default=0)
    ellipsis = "".join(free[: max(longest, 0)])
    labels = []
    for place, (term, array, length) in enumerate(zip(terms, arrays, lengths, strict=True)):
        if length < 0 or ("..." not in term and length):
            what = (
                "contains too many subscripts for"
                if length < 0
                else "does not contain the proper number of subscripts for"
            )
            raise WeftValueError(
                f"einstein sum subscripts string {what} operand {place} (rank {array.ndim}, {term!r})"
            )
        labels.append(term.replace("...", ellipsis[len(ellipsis) - length :]))
    return labels, ellipsis


def _check_labels(labels: list[str], result: str) -> None:
    for label in (*"".join(labels), *result):
        if label not in string.ascii_letters:
            raise WeftValueError(
                f"invalid subscript {label!r} in einstein sum subscripts string, subscripts must be letters"
            )
    for label in result:
        if label not in "".join(labels):
            raise WeftValueError(
                f"einstein sum subscripts string included output subscript {label!r} which never appeared in an input"
            )
        if result.count(label) > 1:
            raise WeftValueError(
                f"einstein sum subscripts string includes output subscript {label!r} multiple times"
            )


def _contract(arrays: Sequence[ArrayResult], labels: Sequence[str], result: str | None) -> ArrayResult:
    """Contract operands from left to right; a result of None keeps all labels but `z`."""
    operands = [_with_distinct_labels(array, term) for array, term in zip(arrays, labels, strict=True)]
    if result is None:
        longest = max(labels, key=len)
        result = longest.replace("z", "")
    operands = _without_ones(operands)
    (array, term), *rest = operands
    if not rest:
        return _reduced_to(array, term, result)
    for place, (other, other_term) in enumerate(rest):
        later = result + "".join(t for _, t in rest[place + 1 :])
        last = place == len(rest) - 1
        kept = result if last else "".join(dict.fromkeys(c for c in term + other_term if c in later))
        found = "".join(c for c in kept if c in term + other_term)
        array, other = _with_equal_labels(array, term, other, other_term)
        array, term = asarray(apply(Contract, array, other, spec=f"{term},{other_term}->{found}")), found
    return _scalar(_with_ones(array, term, result))


def _with_distinct_labels(array: ArrayResult, term: str) -> tuple[ArrayResult, str]:
    """Take diagonals until no label occurs twice."""
    for label in dict.fromkeys(term):
        while term.count(label) > 1:
            first = term.index(label)
            second = term.index(label, first + 1)
            left, right = array.shape[first], array.shape[second]
            message = (
                f"dimensions in single operand for collapsing index {label!r} don't match ({{}} != {{}})"
            )
            raise_where(left != right, WeftValueError, message, left, right)
            rest = [place for place in range(array.ndim) if place not in (first, second)]
            # A view that NumPy lets one write through, unlike that of `np.diagonal`.
            array = view_of(transpose(array, (*rest, first, second)), Diagonal, offset=0)
            term = "".join(term[place] for place in rest) + label
    return array, term


def _without_ones(operands: list[tuple[ArrayResult, str]]) -> list[tuple[ArrayResult, str]]:
    """Drop axes of extent 1 where another operand has more, which broadcasting repeats."""
    long = {
        label
        for array, term in operands
        for label, extent in zip(term, known_shape(array), strict=True)
        if extent != 1
    }
    result = []
    for array, term in operands:
        dropped = tuple(
            place
            for place, (label, extent) in enumerate(zip(term, known_shape(array), strict=True))
            if extent == 1 and label in long
        )
        kept = "".join(c for place, c in enumerate(term) if place not in dropped)
        result.append((squeeze(array, dropped) if dropped else array, kept))
    return result


def _with_ones(array: ArrayResult, term: str, result: str) -> ArrayResult:
    """Bring the axes in order; every label of the result is there."""
    order = tuple(term.index(label) for label in result)
    return array if order == tuple(range(len(order))) else transpose(array, order)


def _reduced_to(array: ArrayResult, term: str, result: str) -> ArrayResult:
    summed = tuple(place for place, label in enumerate(term) if label not in result)
    if summed:
        array = asarray(sum_of(array, summed, array.dtype))
        term = "".join(label for label in term if label in result)
    return _scalar(_with_ones(array, term, result)) if summed else _with_ones(array, term, result)


def _with_equal_labels(
    x: ArrayResult, x_term: str, y: ArrayResult, y_term: str
) -> tuple[ArrayResult, ArrayResult]:
    """The operands with one extent for each label, or 1 where that is known."""
    groups = []
    for label in x_term:
        if label in y_term:
            left, right = x_term.index(label), y_term.index(label)
            extents = (known_shape(x)[left], known_shape(y)[right])
            if None not in extents and extents[0] != extents[1]:
                raise WeftValueError(
                    "operands could not be broadcast together with remapped shapes [original->remapped]: "
                    f"{_shape(x)} and {_shape(y)}; axis {label!r} has extents {extents[0]} and {extents[1]}"
                )
            groups.append([(0, left), (1, right)])
    trace = trace_of((x, y))
    if trace is None:
        return x, y
    (left_operand, right_operand), _ = meet(trace, (x, y), groups, Misfit())
    return left_operand, right_operand
