"""Indexing ops, compiled: every case with known and run-time extents, all slices, order of writes, bounds."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest

import weft
from support.op_values import OPS, assert_as_reference, run_compiled
from weft.dialect.dtypes import ALL_DTYPES
from weft.dialect.op import Case, Op
from weft.dialect.ops.slicing import INT64_MAX, INT64_MIN
from weft.frontend.tracing.staging import apply

INDEXING_OPS = [op for op in OPS.values() if op.family == "indexing"]


def operands_of(op: type[Op], case: Case, dtype: Any) -> list[np.ndarray[Any, Any]]:
    """Random operands of a case in the first dtypes of the op that begin with the wanted one."""
    random = np.random.default_rng(0)
    dtypes = next((d for d in op.operand_dtypes() if d[0] == dtype), next(op.operand_dtypes()))
    low, high = int(case.low or 0), int(case.high or 9)
    return [
        np.asarray(random.integers(low, high, shape)).astype(dtypes[min(place, len(dtypes) - 1)])
        for place, shape in enumerate(case.shapes)
    ]


@pytest.mark.parametrize("op", INDEXING_OPS, ids=lambda op: op.name)
@pytest.mark.parametrize("dtype", [np.bool_, np.int16, np.float32, np.complex64])
@pytest.mark.sampled
def test_every_case(op: type[Op], dtype: Any) -> None:
    assert_as_reference([(op, operands_of(op, case, dtype), case.attributes) for case in op.cases])


@pytest.mark.parametrize("op", INDEXING_OPS, ids=lambda op: op.name)
def test_every_case_with_run_time_extents(op: type[Op]) -> None:
    operands = [operands_of(op, case, np.float64) for case in op.cases]
    specs = [[weft.TensorSpec([None] * a.ndim, a.dtype) for a in several] for several in operands]

    def program(given: Any) -> list[Any]:
        return [apply(op, *x, **case.attributes) for x, case in zip(given, op.cases, strict=True)]

    results = weft.function(program, input_signature=[specs])(operands)
    for case, several, found in zip(op.cases, operands, results, strict=True):
        expected = op.compute(several, case.attributes)
        for value, reference in zip(found if op.results > 1 else [found], expected, strict=True):
            assert np.shape(value) == reference.shape, case
            np.testing.assert_array_equal(value, reference)


BOUNDS = [INT64_MIN, -4, -1, 0, 2, 5, INT64_MAX]


@pytest.mark.parametrize("step", [1, 2, 3, -1, -2, -7])
def test_slices_of_run_time_extents(step: int) -> None:
    """All bounds, and extents below, between and above them; what is read is also replaced.

    Steps of one see all bounds, the others a third of them, which is not the same for all.
    """
    op, update = OPS["slice"], OPS["slice_update"]
    all_bounds = [{"start": (i,), "stop": (j,), "step": (step,)} for i, j in product(BOUNDS, BOUNDS)]
    if abs(step) > 1:
        all_bounds = all_bounds[step % 3 :: 3]

    def program(x: Any) -> Any:
        parts = [apply(op, x, **bounds) for bounds in all_bounds]
        return parts, [apply(update, x, -part, **b) for part, b in zip(parts, all_bounds, strict=True)]

    compiled = weft.function(program, input_signature=[weft.TensorSpec((None,), "int64")])
    for extent in range(7):
        x = np.arange(1, extent + 1)
        parts, replaced = compiled(x)
        for bounds, part, whole in zip(all_bounds, parts, replaced, strict=True):
            (expected,) = op.compute([x], bounds)
            np.testing.assert_array_equal(part, expected)
            np.testing.assert_array_equal(whole, update.compute([x, -expected], bounds)[0])


@pytest.mark.sampled
@pytest.mark.parametrize("step", [1, 2, 3, -1, -2, -7])
@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
def test_slices_with_run_time_bounds(step: int, dynamic: bool) -> None:
    """All bounds, on extents below, between and above them; what was read replaces the same part of another array."""
    op, update = OPS["dynamic_slice"], OPS["dynamic_slice_update"]
    whole = {"start": (0,), "stop": (0,), "step": (step,), "start_axes": (0,), "stop_axes": (0,)}
    regions = [
        (whole, slice(0, 2)),
        ({**whole, "start_axes": (), "start": (-3,)}, slice(1, 2)),
        ({**whole, "stop_axes": (), "stop": (-2,)}, slice(0, 1)),
        ({**whole, "stop_axes": (), "stop": (INT64_MIN if step < 0 else INT64_MAX,)}, slice(0, 1)),
    ]

    def program(x: Any, y: Any, i: Any, j: Any) -> Any:
        parts = [apply(op, x, *(i, j)[used], **attributes) for attributes, used in regions]
        return [
            apply(update, y, part, *(i, j)[used], **attributes)
            for part, (attributes, used) in zip(parts, regions, strict=True)
        ]

    @cache
    def compiled_for(extent: int | None) -> weft.Function:
        array, number = weft.TensorSpec((extent,), "int64"), weft.TensorSpec((), "int64")
        return weft.function(program, input_signature=[array, array, number, number])

    for extent in (0, 1, 4, 6):
        x, y = np.arange(1, extent + 1), np.zeros(extent, int)
        compiled = compiled_for(None if dynamic and extent != 1 else extent)
        for i, j in product(map(np.int64, BOUNDS), map(np.int64, BOUNDS)):
            for got, (attributes, used) in zip(compiled(x, y, i, j), regions, strict=True):
                (part,) = op.compute([x, *(i, j)[used]], attributes)
                (expected,) = update.compute([y, part, *(i, j)[used]], attributes)
                np.testing.assert_array_equal(got, expected)


def test_run_time_bounds_of_several_axes() -> None:
    op, update = OPS["dynamic_slice"], OPS["dynamic_slice_update"]
    random = np.random.default_rng(0)
    x = random.integers(0, 99, (4, 5, 6))
    cases = []
    for _ in range(40):
        start_axes, stop_axes = (tuple(np.flatnonzero(random.integers(0, 2, 3)).tolist()) for _ in range(2))
        fixed = {key: tuple(random.integers(-7, 8, 3).tolist()) for key in ("start", "stop")}
        step = tuple(random.choice([-2, -1, 1, 2, 3], 3).tolist())
        attributes = {**fixed, "step": step, "start_axes": start_axes, "stop_axes": stop_axes}
        bounds = [np.int64(random.integers(-7, 8)) for _ in range(len(start_axes) + len(stop_axes))]
        if bounds:
            cases.append((attributes, bounds))

    def program(x: Any, all_bounds: Any) -> Any:
        parts = [apply(op, x, *b, **a) for (a, _), b in zip(cases, all_bounds, strict=True)]
        return [
            apply(update, x, -part, *b, **a) for part, (a, _), b in zip(parts, cases, all_bounds, strict=True)
        ]

    for got, (attributes, bounds) in zip(
        weft.function(program)(x, [b for _, b in cases]), cases, strict=True
    ):
        (part,) = op.compute([x, *bounds], attributes)
        np.testing.assert_array_equal(got, update.compute([x, -part, *bounds], attributes)[0])


def test_negative_indices_count_from_the_end() -> None:
    x, i = np.arange(20.0).reshape(5, 4), np.array([-1, -5, 0, 4])
    axes = {"axes": (0,), "position": 0}
    assert_as_reference(
        [
            (OPS["gather"], [x, i], axes),
            (OPS["gather"], [x, np.int64(-2)], axes),
            (OPS["scatter"], [x, -np.ones((4, 4)), i], {**axes, "mode": "set"}),
            (OPS["scatter"], [x, -np.ones(4), np.int64(-2)], {**axes, "mode": "set"}),
            (OPS["take_along_axis"], [x, i.reshape(1, 4) % -5], {"axis": 0}),
            (OPS["put_along_axis"], [x, i.reshape(1, 4) % -5, -np.ones((1, 4))], {"axis": 0}),
        ]
    )


def test_the_last_write_wins() -> None:
    x, i = np.zeros((2, 3)), np.array([1, 0, 1, 1])
    attributes = {"axes": (0,), "position": 0, "mode": "set"}
    ((found,),) = run_compiled([(OPS["scatter"], [x, np.arange(12.0).reshape(4, 3), i], attributes)])
    assert found.tolist() == [[3, 4, 5], [9, 10, 11]]


@pytest.mark.parametrize("dtype", ALL_DTYPES, ids=str)
@pytest.mark.sampled(2)
def test_repeated_indices_add_up(dtype: np.dtype[Any]) -> None:
    i = np.random.default_rng(0).integers(0, 3, 50)
    attributes = {"axes": (0,), "position": 0, "mode": "add"}
    assert_as_reference(
        [(OPS["scatter"], [np.zeros(3, dtype), (np.arange(50) % 3).astype(dtype), i], attributes)]
    )


def test_indices_out_of_bounds_are_harmless() -> None:
    """Without a check what is read is not defined, but neither memory nor the process suffers."""
    x, i = np.arange(6.0).reshape(2, 3), np.array([10**12, -(10**12), 2, -3])
    gather = {"axes": (0,), "position": 0}
    scatter = {**gather, "mode": "set"}
    (gathered,), (scattered,), (one,) = run_compiled(
        [
            (OPS["gather"], [x, i], gather),
            (OPS["scatter"], [x, np.ones((4, 3)), i], scatter),
            (OPS["gather"], [x, np.int64(10**12)], gather),
        ]
    )
    assert np.isin(gathered, x).all()
    assert np.isin(one, x).all()
    np.testing.assert_array_equal(scattered, x)


def test_first_index_out_of_bounds_is_found() -> None:
    i = np.array([[0, 2, -3], [3, -4, 1], [9, 3, 2]])
    limits = np.array([INT64_MAX, INT64_MIN])
    found = run_compiled([(OPS["find_out_of_bounds"], [i, np.int64(n)], {}) for n in (3, 4, 10, 0)])
    assert [(bool(is_found), int(index)) for is_found, index in found] == [
        (True, 3),
        (True, 9),
        (False, 0),
        (True, 0),
    ]
    assert_as_reference([(OPS["find_out_of_bounds"], [limits[k:], np.int64(5)], {}) for k in range(3)])


def test_one_place_of_arrays_that_are_known_to_be_empty() -> None:
    """Extents that are not known are right, beside one that is known to be 0."""

    def program(x: Any, y: Any, i: Any) -> Any:
        x[i] = 1
        return (
            x[i],
            y[:, i],
            y[i, 2],
            np.tile(y[..., 0:], (2, 3, 1)),
            np.tile(x, (3, 0, 2)),
            np.repeat(x, 0, 0),
        )

    shapes = [(None, 0, None), (None, 4, 0), ()]
    specs = [weft.TensorSpec(shape, t) for shape, t in zip(shapes, ("f8", "f8", "i8"), strict=True)]
    operands = np.ones((3, 0, 2)), np.ones((5, 4, 0)), np.int64(-1)
    found = weft.function(program, input_signature=specs)(*operands)
    assert [value.shape for value in found] == [value.shape for value in program(*operands)]


def test_indices_of_all_widths_at_the_ends_of_what_fits() -> None:
    """Found out of bounds as by NumPy, and the first of them, whatever can be told from their dtype."""
    read = weft.function(lambda x, i: x[i])
    for dtype in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64"):
        ends = np.iinfo(dtype)
        sizes = [extent for extent in (5, 128, 256, 300) if dtype in ("int8", "uint8") or extent == 300]
        for size in sizes:
            x = np.arange(size)
            places = {size - 1, size, -size, -size - 1, int(ends.min), int(ends.max), 2**31 + 1, -(2**31)}
            for place in sorted(p for p in places if ends.min <= p <= ends.max):
                indices = np.zeros((3, 7), dtype)
                indices[1, 4], indices[2, 2] = place, place // 2
                try:
                    expected = x[indices]
                except IndexError as error:
                    with pytest.raises(IndexError, match=f"^{error}"):
                        read(x, indices)
                else:
                    np.testing.assert_array_equal(read(x, indices), expected)
