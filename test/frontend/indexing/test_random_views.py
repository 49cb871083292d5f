"""Random programs of views and writes, on arguments and on local arrays, with known and with run-time extents."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import weft
from support.interpreted import Interpreted

_SHAPES = [(3, 4), (4,), (2, 3, 4), (1, 4), (3, 1)]

pytestmark = pytest.mark.optimised  # programs show what is assumed of memory where LLVM makes use of it


def _index(source: random.Random, rank: int) -> tuple[Any, ...]:
    """A basic index of at most `rank` axes."""
    entries: list[Any] = []
    for _ in range(source.randint(0, rank)):
        start, stop, step = source.randint(-4, 3), source.randint(-4, 4), source.choice([1, 2, -1, -2])
        choices = [source.randint(-2, 1), slice(None, None, -1), slice(start, None, step), slice(None, stop)]
        entries.append(source.choice([*choices, slice(start, stop), slice(None), slice(None)]))
    for extra in (Ellipsis, None):
        if source.random() < 0.15:
            entries.insert(source.randint(0, len(entries)), extra)
    return tuple(entries)


def _steps(seed: int, length: int, arrays: list[Any], places: Any) -> list[tuple[Any, ...]]:
    """Random steps that NumPy can take one after the other; what it refuses is left out."""
    source = random.Random(seed)
    steps = []
    for _ in range(length):
        x, y = source.randrange(len(arrays)), source.randrange(len(arrays))
        index, kind = _index(source, 3)[: arrays[x].ndim], source.randrange(15)
        step = (kind, x, y, index, source.randint(1, 5), source.random() < 0.5)
        try:
            _take(step, arrays, places)
        except (ValueError, IndexError, TypeError):
            continue
        steps.append(step)
    return steps


def _program(steps: list[tuple[Any, ...]]) -> Any:
    """A function that makes views and writes through them."""

    def program(a: Any, b: Any, places: Any) -> Any:
        arrays = [a, b]
        for step in steps:
            _take(step, arrays, places)
        return arrays[2:], [array.sum() for array in arrays]

    return program


def _take(step: tuple[Any, ...], arrays: list[Any], places: Any) -> None:
    """Make an array of others, or change one."""
    kind, x, y, index, number, flip = step
    if kind < 8:
        made = _made(kind, arrays[x], arrays[y], index, places, flip)
        arrays.append(made if made.ndim else made.reshape(1))
    else:
        _write(kind - 8, arrays[x], arrays[y], index, places, number)


def _made(kind: int, x: Any, y: Any, index: Any, places: Any, flip: bool) -> Any:
    """An array made from others, mostly a view."""
    made = [
        lambda: x[index],
        lambda: x.T if flip or x.ndim < 2 else x.swapaxes(0, 1),
        lambda: x.reshape(-1),
        lambda: np.ravel(x) if flip else np.broadcast_to(x, (2, *x.shape)),
        lambda: x + y,
        lambda: x.copy(),
        lambda: x.sum(axis=0),
        lambda: x[places],
    ]
    return made[kind]()


def _write(kind: int, x: Any, y: Any, index: Any, places: Any, number: int) -> None:
    """Change an array in place."""
    if kind == 0:
        x[index] = number
    elif kind == 1:
        x[index] += number
    elif kind == 2:
        x += y
    elif kind == 3:
        x[...] = y
    elif kind == 4:
        x[x > number] = -number
    elif kind == 5:
        x[index] = x[index][::-1]
    else:
        x[places] = number


def _differences(seed: int, extents: str, is_converted: bool) -> bool:
    """Whether a program does not do what NumPy does: converted and interpreted, or traced as it is and compiled."""
    source = random.Random(seed * 7 + 1)
    a, b = (np.arange(np.prod(shape)).reshape(shape) - 3 for shape in source.choices(_SHAPES, k=2))
    places = np.array(source.choice([[0, -1], [[-1], [0]]]))
    program = _program(_steps(seed, source.randint(2, 9), [a.copy(), b.copy()], places))
    signature = None
    if extents == "run-time":
        signature = [weft.TensorSpec([None] * array.ndim, "int64") for array in (a, b)]
    expected_arguments, arguments = (a.copy(), b.copy()), (a, b)
    expected = program(*expected_arguments, places)
    if is_converted:
        compiled: Any = Interpreted(program, signature, None)
    else:
        compiled = weft.function(program, input_signature=signature, autograph=False)
    try:
        got = compiled(*arguments, places)
    except (IndexError, ValueError, NotImplementedError):
        assert extents == "run-time", "what NumPy takes is taken"
        return False  # a broadcast that is known only then
    pairs = [*zip(arguments, expected_arguments, strict=True), *zip(got[1], expected[1], strict=True)]
    pairs += zip(got[0], expected[0], strict=True)
    return any(g.dtype != e.dtype or not np.array_equal(g, e) for g, e in pairs)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("extents", "is_converted", "programs"),
    [("known", True, 30), ("run-time", True, 20), ("known", False, 10), ("run-time", False, 4)],
)
def test_views_and_writes(extents: str, is_converted: bool, programs: int) -> None:
    assert [seed for seed in range(programs) if _differences(seed, extents, is_converted)] == []


@pytest.mark.parametrize(
    "make", [lambda x: x[:-1].reshape(-1), lambda x: np.ravel(x[2:]), lambda x: x[::2].ravel()]
)
def test_a_view_of_run_time_extents_is_flattened_as_in_numpy(make: Any) -> None:
    def write(x: Any) -> Any:
        flat = make(x)
        flat[1] = 7
        return flat

    compiled = weft.function(write, input_signature=[weft.TensorSpec([None, None])])
    for shape in ((4, 5), (6, 2)):
        got, expected = np.zeros(shape), np.zeros(shape)
        np.testing.assert_array_equal(compiled(got), write(expected))
        np.testing.assert_array_equal(got, expected)


def test_an_argument_assigned_to_itself() -> None:
    def assign(x: Any) -> Any:
        x[...] = x
        x[1:] = x[:-1]
        return x * 1

    got, expected = np.arange(4.0), np.arange(4.0)
    np.testing.assert_array_equal(weft.function(assign)(got), assign(expected))
    np.testing.assert_array_equal(got, expected)


def test_numbers_in_lists_are_checked_as_single_ones() -> None:
    def assign(x: Any) -> None:
        x[:] = [1, 300]

    for function in (assign, lambda x: np.put(x, [0], [-1]), lambda x: np.copyto(x, 256)):
        with pytest.raises(OverflowError):
            function(np.zeros(2, np.uint8))
        with pytest.raises(OverflowError):
            weft.function(function)(np.zeros(2, np.uint8))
    x = np.zeros(2, np.uint8)
    weft.function(lambda x: np.copyto(x, 255, where=x < 1))(x)
    np.testing.assert_array_equal(x, [255, 255])
