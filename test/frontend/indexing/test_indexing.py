"""NumPy index expressions: the plan, carried out with the ops' NumPy reference, against NumPy itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from weft.dialect.op import Array
from weft.dialect.ops.indexing import FindOutOfBounds, Gather, Scatter
from weft.dialect.ops.slicing import DynamicSlice
from weft.dialect.types import TensorType, compatible_shapes, type_of
from weft.frontend.indexing.entries import OnePlace
from weft.frontend.indexing.plan import (
    AdvancedIndex,
    BoundsCheck,
    IndexPlan,
    MaskIndex,
    inverse_permutation,
    plan_index,
    write_back,
)
from weft.frontend.tracing.view_steps import ViewStep

pytestmark = pytest.mark.slow


@dataclass(frozen=True, eq=False)
class Staged:
    """Stands in for a traced array: the planner sees its type, and the checks below its value."""

    type: TensorType
    value: Array


def staged(value: Any, dynamic: bool = False) -> Staged:
    array = np.asarray(value)
    known = type_of(array)
    return Staged(known.with_shape([None] * known.rank) if dynamic else known, array)


def value_of(entry: Any) -> Array:
    return entry.value if isinstance(entry, Staged) else np.asarray(entry)


def concrete(index: Any) -> Any:
    """The index expression as NumPy takes it."""
    if isinstance(index, tuple):
        return tuple(concrete(item) for item in index)
    if isinstance(index, slice):
        return slice(concrete(index.start), concrete(index.stop), index.step)
    if isinstance(index, Staged):
        return index.value if index.value.ndim else index.value[()]
    return index


# Carrying out a plan


def run_checks(plan: IndexPlan, x: Array) -> None:
    """What compiled code checks before it reads or writes."""
    for check in plan.checks:
        extent = np.asarray(x.shape[check.axis])
        if isinstance(check, BoundsCheck):
            assert check.extent in (None, int(extent))
            indices = value_of(check.index).astype(np.int64)
            outside, first = FindOutOfBounds.compute([indices, extent], {})
            if outside and check.is_slice:
                raise EmptySlice
            if outside:
                raise IndexError(check.message.format(int(first), int(extent)))
        else:
            other = value_of(check.mask).shape[check.mask_axis]
            if int(extent) != other:
                raise IndexError(check.message.format(int(extent), other))


def take(step: ViewStep, x: Array) -> Array:
    operands = [x, *(value_of(operand).astype(np.int64) for operand in step.operands)]
    (result,) = step.op_class.compute(operands, step.attributes)
    (rule,) = step.op_class.result_types([type_of(operand) for operand in operands], step.attributes)
    assert result.dtype == rule.dtype
    assert compatible_shapes(rule.shape, result.shape)
    assert step.op_class is DynamicSlice or type_of(result) == rule
    return result


def views(plan: IndexPlan, x: Array) -> list[Array]:
    run_checks(plan, x)
    along = [x]
    for step in plan.steps:
        along.append(take(step, along[-1]))
    return along


def indices_of(advanced: AdvancedIndex) -> list[Array]:
    arrays = np.broadcast_arrays(*(value_of(index).astype(np.int64) for index in advanced.indices))
    for index, array in zip(advanced.indices, arrays, strict=True):
        assert isinstance(index, Staged) or None in advanced.shape or index.shape == array.shape
    return list(arrays)


def read(plan: IndexPlan, x: Array) -> Array:
    view = views(plan, x)[-1]
    if plan.advanced is None:
        return view
    assert isinstance(plan.advanced, AdvancedIndex)
    (result,) = Gather.compute([view, *indices_of(plan.advanced)], plan.advanced.attributes)
    return result


def write(plan: IndexPlan, x: Array, value: Array) -> Array:
    along = views(plan, x)
    advanced = plan.advanced
    if isinstance(advanced, AdvancedIndex):
        indices = indices_of(advanced)
        (old,) = Gather.compute([along[-1], *indices], advanced.attributes)
        update = np.broadcast_to(value, old.shape)
        (new,) = Scatter.compute([along[-1], update, *indices], {**advanced.attributes, "mode": "set"})
    elif isinstance(advanced, MaskIndex):
        mask = follow(advanced.mask_steps(along[-1].ndim), value_of(advanced.mask))
        aligned = follow(advanced.value_steps(along[-1].ndim, type_of(value)), value)
        new = np.where(mask, aligned, along[-1])
        assert new.shape == along[-1].shape
    else:
        new = np.array(np.broadcast_to(value, along[-1].shape))
    for step, base in zip(reversed(plan.steps), reversed(along[:-1]), strict=True):
        new = put(step, base, new)
    return new


def follow(steps: Sequence[ViewStep], x: Array) -> Array:
    for step in steps:
        x = take(step, x)
    return x


def put(step: ViewStep, base: Array, new: Array) -> Array:
    back = write_back(step, type_of(base))
    operands = [base] if back.takes_base else []
    operands += [new, *(np.asarray(base.shape[axis]) for axis in back.extents)]
    operands += [value_of(operand).astype(np.int64) for operand in step.operands]
    (result,) = back.op_class.compute(operands, back.attributes)
    assert result.shape == base.shape
    return result


# Random index expressions


def integers(extent: int) -> st.SearchStrategy[int]:
    return st.integers(-extent, extent - 1) if extent else st.just(0)


@st.composite
def slices(draw: st.DrawFn) -> slice:
    bound = st.one_of(st.none(), st.integers(-7, 7), st.sampled_from([10**20, -(10**20)]))
    step = draw(st.one_of(st.none(), st.integers(-3, 3).filter(bool)))
    return slice(draw(bound), draw(bound), step)


@st.composite
def expressions(draw: st.DrawFn) -> tuple[Array, tuple[int | None, ...], tuple[Any, ...]]:
    """An array, its shape as the planner sees it, and an index that fits; out of bounds now and then."""
    shape = draw(st.lists(st.integers(0, 4), max_size=4))
    x = np.arange(int(np.prod(shape, dtype=int))).reshape(shape)
    index_shape = tuple(draw(st.lists(st.integers(0, 3), max_size=2)))
    items: list[Any] = []
    axis = 0
    while axis < len(shape) and draw(st.integers(0, 9)):
        kinds = ["integer", "slice", "array", "mask", "newaxis", "flag", "outside"]
        kind = draw(st.sampled_from([*kinds[:4], *kinds]))
        extent = shape[axis]
        axis += 1
        if kind == "integer":
            items.append(draw(st.sampled_from([int, np.int32, np.array]))(draw(integers(extent))))
        elif kind == "slice":
            items.append(draw(slices()))
        elif kind == "array":
            own = draw(st.sampled_from([index_shape, (1,) * len(index_shape), index_shape[:1] or (1,)]))
            count = int(np.prod(own))
            drawn = draw(st.lists(integers(extent), min_size=count, max_size=count))
            items.append(np.array(drawn, draw(st.sampled_from([np.int8, np.int64]))).reshape(own))
        elif kind == "mask":
            last = draw(st.integers(axis, len(shape)))
            dims = shape[axis - 1 : last]
            count = int(np.prod(dims))
            drawn = draw(st.lists(st.booleans(), min_size=count, max_size=count))
            items.append(np.array(drawn, bool).reshape(dims))
            axis = last
        elif kind == "outside":
            items.append(draw(st.sampled_from([extent, -extent - 1, np.array([0, extent + 2])])))
        else:
            items.append(None if kind == "newaxis" else draw(st.booleans()))
            axis -= 1
    if draw(st.booleans()):
        items.insert(draw(st.integers(0, len(items))), Ellipsis)
    known = tuple(None if n > 1 and draw(st.booleans()) else n for n in shape)
    return x, known, tuple(draw(st.sampled_from([item, item, stage(item)])) for item in items)


def stage(item: Any) -> Any:
    """The item as a traced value where compiled code has one for it."""
    if isinstance(item, (int, np.integer)) and not isinstance(item, bool):
        return staged(item)
    if isinstance(item, np.ndarray) and item.dtype != bool:
        return staged(item)
    if isinstance(item, slice):
        return slice(*(stage(b) if within(b) else b for b in (item.start, item.stop)), item.step)
    return item


def within(bound: int | None) -> bool:
    """Whether an integer can be traced; every third is not."""
    return bound is not None and abs(bound) < 100 and bound % 3 != 0


class EmptySlice(Exception):
    """A slice of one element of a run-time extent is empty, which compiled code refuses."""


def outcome(function: Any) -> Any:
    """The value, or "IndexError": which of two errors comes first depends on what is known while planning."""
    try:
        return np.asarray(function())
    except IndexError:
        return "IndexError"
    except EmptySlice as error:
        return error


def assert_same(found: Any, expected: Any) -> None:
    if isinstance(expected, str):
        assert found == expected
    else:
        assert not isinstance(found, str), found
        np.testing.assert_array_equal(found, expected)
        assert found.dtype == expected.dtype


@settings(max_examples=400, deadline=None)
@given(expressions())
def test_read_is_numpys(drawn: Any) -> None:
    x, shape, index = drawn
    expected = outcome(lambda: x[concrete(index)])
    found = outcome(lambda: read(plan_index(shape, index), x))
    assume(not isinstance(found, EmptySlice))
    assert_same(found, expected)


@settings(max_examples=250, deadline=None)
@given(expressions())
def test_write_is_numpys(drawn: Any) -> None:
    x, shape, index = drawn

    def assign() -> Array:
        copy = x.copy()
        selected = copy[concrete(index)]
        copy[concrete(index)] = -1 - np.arange(selected.size).reshape(selected.shape)
        return copy

    def planned() -> Array:
        plan = plan_index(shape, index)
        selected = read(plan, x)
        return write(plan, x, -1 - np.arange(selected.size).reshape(selected.shape))

    found = outcome(planned)
    assume(not isinstance(found, EmptySlice))
    assert_same(found, outcome(assign))


@settings(max_examples=200, deadline=None)
@given(expressions())
def test_views_are_numpys(drawn: Any) -> None:
    x, shape, index = drawn
    try:
        plan = plan_index(shape, index)
        selected = np.asarray(x[concrete(index)])
    except IndexError:
        return
    writes_through = selected.ndim > 0 and selected.base is not None and np.shares_memory(selected, x)
    if selected.size and selected.ndim:
        assert plan.is_view == writes_through or any(isinstance(item, Staged) for item in index)


# Boolean masks known at run time

MASKED = [
    ((4, 3), lambda m: m, (4, 3), ()),
    ((4, 3), lambda m: m, (4,), ()),
    ((4, 3), lambda m: m, (4,), (3,)),
    ((4, 3), lambda m: m, (4,), (1, 3)),
    ((4, 3), lambda m: m, (4,), (1, 1, 1)),
    ((4, 3), lambda m: (slice(None), m), (3,), (4, 1)),
    ((4, 3), lambda m: (slice(None, None, -2), m), (3,), (2, 1)),
    ((4, 3), lambda m: (1, m), (3,), (1,)),
    ((2, 4, 3), lambda m: (0, slice(None), m), (3,), (1, 4)),
    ((2, 4, 3), lambda m: (slice(None), m), (4, 3), (2, 1)),
    ((2, 4, 3), lambda m: (Ellipsis, m, slice(1)), (4,), (1,)),
    ((2, 3), lambda m: m, (), (2, 3)),
    ((2, 3), lambda m: (None, m), (2,), (3,)),
]


@pytest.mark.parametrize(("shape", "make_index", "mask_shape", "value_shape"), MASKED)
def test_masked_write_is_numpys(shape: Any, make_index: Any, mask_shape: Any, value_shape: Any) -> None:
    random = np.random.default_rng(0)
    x = np.arange(np.prod(shape)).reshape(shape)
    mask = np.asarray(random.integers(0, 2, mask_shape), bool)
    value = np.asarray(-1 - np.arange(int(np.prod(value_shape))).reshape(value_shape))
    expected = x.copy()
    if value.ndim > 1 and expected[concrete(make_index(mask))].ndim == 1:
        value = value.reshape(-1)  # NumPy's own limit for a mask of the whole array
    expected[concrete(make_index(mask))] = value
    found = write(plan_index(shape, make_index(staged(mask))), x, value)
    np.testing.assert_array_equal(found, expected)


def test_mask_extent_is_checked_at_run_time() -> None:
    plan = plan_index((None, 3), staged(np.ones(5, bool)))
    with pytest.raises(IndexError, match="size of axis is 4 but size of corresponding boolean axis is 5"):
        write(plan, np.zeros((4, 3)), np.asarray(1.0))


# Plans

STEPS = [
    ((4, 5), 1, ["slice", "squeeze"]),
    ((4, 5), (1, 2), ["slice", "squeeze"]),
    ((4, 5), slice(None), []),
    ((4, 5), (Ellipsis, slice(0, 5)), []),
    ((4, 5), (None, slice(0, 2)), ["slice", "expand_dims"]),
    ((None, 5), (1, slice(2)), ["gather", "slice"]),
    ((4, 5), (slice(None), staged(np.int64(1))), ["gather"]),
    ((4, 5), (2, staged(np.int64(1))), ["gather"]),
]


@pytest.mark.parametrize(("shape", "index", "names"), STEPS)
def test_basic_indices_are_view_steps(shape: Any, index: Any, names: list[str]) -> None:
    plan = plan_index(shape, index)
    assert [step.op_class.name for step in plan.steps] == names
    assert plan.is_view


@pytest.mark.parametrize("index", [slice(1), slice(-1, None), slice(2, 3), slice(-3, -2)])
def test_slices_of_one_element_have_extent_1(index: slice) -> None:
    x = np.arange(12).reshape(4, 3)
    plan = plan_index((None, 3), index)
    assert [step.op_class.name for step in plan.steps] == ["gather", "expand_dims"]
    np.testing.assert_array_equal(read(plan, x), x[index])


@pytest.mark.parametrize("index", [slice(-1, 0), slice(2), slice(None), slice(1, None), slice(0, 1, 2)])
def test_other_slices_have_run_time_extents(index: slice) -> None:
    x = np.arange(12).reshape(4, 3)
    plan = plan_index((None, 3), index)
    assert "gather" not in [step.op_class.name for step in plan.steps]
    np.testing.assert_array_equal(read(plan, x), x[index])


def test_known_bounds_have_one_spelling() -> None:
    (step,) = plan_index((6,), slice(-4, 100, 2)).steps
    assert step.attributes == {"start": (2,), "stop": (6,), "step": (2,)}


def test_inverse_permutation() -> None:
    permutation = (2, 0, 3, 1)
    assert tuple(permutation[axis] for axis in inverse_permutation(permutation)) == (0, 1, 2, 3)


# Errors in NumPy's words

WRONG = [
    (0, 0, 0),
    (Ellipsis, Ellipsis),
    1.0,
    "a",
    [1.0],
    [0, "a"],
    {1},
    10**30,
    np.array(1.0),
    np.zeros((0, 3)),
    np.float32(1),
    np.array([True, False]),
    (slice(None), [True, False]),
    ([0, 1], [0, 1, 2]),
    5,
    (slice(None), -5),
    [0, 7],
    (slice(None), [0, -9]),
    slice(None, None, 0),
    slice(1, "a"),
    slice(1.5, 2),
    (np.ones((3, 4), bool), 0),
]


def _decide(plan: Any) -> None:
    """Check what is known."""
    for check in plan.checks:
        check.decide()


@pytest.mark.parametrize("index", WRONG, ids=repr)
def test_errors_are_numpys(index: Any) -> None:
    x = np.zeros((3, 4))
    with pytest.raises((IndexError, ValueError, TypeError)) as expected:
        x[index]
    with pytest.raises(expected.type) as found:
        _decide(plan_index((3, 4), index))
    assert str(found.value).startswith(str(expected.value).strip())


@pytest.mark.parametrize("index", [staged(1.0), staged(np.ones(2))])
def test_traced_floats_are_not_indices(index: Staged) -> None:
    with pytest.raises(IndexError, match=r"must be of integer|only integers"):
        plan_index((3,), index)


def test_traced_bounds_make_a_dynamic_slice() -> None:
    i, j = staged(np.int64(1)), staged(np.int32(3))
    (step,) = plan_index((4, 5), (slice(i, j), slice(2, None))).steps
    assert step.op_class is DynamicSlice
    assert step.operands == (i, j)
    assert step.attributes == {
        "start": (0, 2),
        "stop": (0, 5),
        "step": (1, 1),
        "start_axes": (0,),
        "stop_axes": (0,),
    }


def test_one_traced_place_is_an_axis_of_extent_1() -> None:
    x = np.arange(12).reshape(4, 3)
    plan = plan_index((None, 3), (OnePlace(staged(np.int64(2))), 1))
    assert [step.op_class.name for step in plan.steps] == ["gather", "expand_dims"]
    np.testing.assert_array_equal(read(plan, x), x[2:3, 1])
    with pytest.raises(EmptySlice):
        read(plan_index((2,), OnePlace(staged(np.int64(2)))), np.arange(2))


@pytest.mark.parametrize(
    "bound",
    [np.array([1]), np.array(1.0), np.True_, np.float64(1), np.array([True]), np.array([[1]])],
    ids=repr,
)
def test_wrong_bounds_are_refused_as_in_numpy(bound: Any) -> None:
    with pytest.raises(TypeError) as expected:
        np.zeros(3)[bound:]
    for index in (slice(bound, None), slice(None, staged(bound))):
        if isinstance(bound, np.ndarray) and bound.ndim == 0 and index.stop is not None:
            continue  # a traced number is NumPy's scalar, not an array
        with pytest.raises(TypeError) as found:
            plan_index((3,), index)
        assert str(found.value) == str(expected.value)
