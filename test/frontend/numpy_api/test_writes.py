"""Views, in-place functions and `out=`: what a caller's array holds afterwards is what NumPy leaves in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from support.staged import run_staged

Program = Callable[..., Any]


def assert_same_effect(program: Program, *arrays: Any, dynamic: bool = False) -> None:
    """Results and written arguments are those of the program run by NumPy."""
    plain, traced = ([np.array(array) for array in arrays] for _ in range(2))
    expected = program(*plain)
    got = run_staged(program, *traced, dynamic=dynamic)
    several = isinstance(expected, tuple)
    for mine, theirs in zip(got if several else (got,), expected if several else (expected,), strict=True):
        np.testing.assert_array_equal(mine, theirs)
    for mine, theirs in zip(traced, plain, strict=True):
        np.testing.assert_array_equal(mine, theirs)


def grid(dtype: Any = float) -> Any:
    return np.arange(12, dtype=dtype).reshape(3, 4)


def write_transpose(x: Any) -> Any:
    turned = x.T
    x[0] = 5
    turned[1] = 7
    return turned


def write_reshape(x: Any) -> Any:
    view = x.reshape(2, 6)
    view[0] = 1
    return view


def write_copying_reshape(x: Any) -> Any:
    flat = x.T.reshape(-1)
    flat[0] = 100
    return flat


def write_flip(x: Any) -> Any:
    np.flip(x, 1)[0, 0] = 100
    np.fliplr(x)[1, :2] = -1
    return np.rot90(x)


def write_squeeze(x: Any) -> Any:
    np.squeeze(x[None])[0, 0] = 100
    np.expand_dims(x, 1)[1] = 4
    np.swapaxes(x, 0, 1)[0] = 8
    return np.moveaxis(x, 0, 1)


def write_ravel(x: Any) -> Any:
    np.ravel(x)[3] = 50
    x.flatten()[4] = 60
    return np.ravel(x.T)


def write_split(x: Any) -> Any:
    left, right = np.split(x, [2], axis=1)
    left[0] = right[1]
    return right


def write_atleast(x: Any) -> Any:
    np.atleast_3d(x)[0] = 3
    return np.atleast_2d(x)


def write_copies(x: Any) -> Any:
    first = x.copy()
    x[0] = 5
    second = np.copy(x)
    second[1] = 6
    return first, second, x.astype(float)


VIEWS = [
    write_transpose,
    write_reshape,
    write_copying_reshape,
    write_flip,
    write_squeeze,
    write_ravel,
    write_split,
    write_atleast,
    write_copies,
]


@pytest.mark.parametrize("program", VIEWS)
@pytest.mark.parametrize("dynamic", [False, True], ids=["known", "run-time"])
def test_views_write_through(program: Program, dynamic: bool) -> None:
    assert_same_effect(program, grid(), dynamic=dynamic)


def test_real_and_imaginary_parts_write_through() -> None:
    def program(x: Any) -> Any:
        x.real[0] = 3
        x.imag[1] = x.real[2]
        return x.real, x.imag

    assert_same_effect(program, grid(complex) + 1j)


@pytest.mark.parametrize(
    "program",
    [
        lambda x: np.broadcast_to(x, (2, 3, 4)),
        np.diagonal,
        lambda x: np.broadcast_arrays(x, np.ones((2, 3, 4)))[0],
    ],
)
def test_read_only_views(program: Program) -> None:
    def write(x: Any) -> None:
        program(x)[0] = 1

    with pytest.raises(ValueError, match="assignment destination is read-only"):
        run_staged(write, grid())


def copy_onto_itself(x: Any) -> Any:
    view = np.broadcast_to(x, x.shape)
    np.copyto(view, view)
    return view


def store_truth_of_an_array(x: Any) -> Any:
    flags = x[0] > 1
    flags[0] = np.flatnonzero(flags)[:1] * np.flatnonzero(x[1] > 5)[:1]
    flags[1] = x[:, 1][x[:, 1] > 8]
    return flags


def sort_in_place(x: Any) -> Any:
    x.sort()
    x[:, ::2].sort(axis=0)
    return x


def fill_and_put(x: Any) -> Any:
    x[1].fill(3)
    np.put(x, [0, 1, -1], [5.0, 6.0])
    x.put([3], 9)
    return x


def add_at(x: Any) -> Any:
    np.add.at(x, [0, 0, 1], 1.0)
    np.subtract.at(x, (1, 2), 3.0)
    np.add.at(x, (slice(None), [0, 0]), np.array([[1.0], [2.0], [3.0]]))
    np.negative.at(x, [1])
    return x


def copy_and_put(x: Any) -> Any:
    np.copyto(x, 7.0, where=x > 9)
    np.putmask(x, x < 2, 0.5)
    np.put_along_axis(x, np.array([[1], [2], [0]]), -1.0, 1)
    np.place(x, x == 0.5, [4.0])
    return x


def augmented(x: Any) -> Any:
    x += 1
    x *= x
    x[1:] -= x[:-1]
    x.T[0] /= 2
    return x


@pytest.mark.parametrize(
    "program",
    [sort_in_place, fill_and_put, add_at, copy_and_put, augmented, copy_onto_itself]
    + [store_truth_of_an_array],
)
@pytest.mark.parametrize("dynamic", [False, True], ids=["known", "run-time"])
def test_in_place(program: Program, dynamic: bool) -> None:
    assert_same_effect(program, grid()[:, ::-1], dynamic=dynamic)


OUT: list[tuple[Program, list[Any]]] = [
    (lambda x, out: np.add(x, 1, out=out), [grid(), grid()]),
    (lambda x, out: np.add(x, 1, out), [grid(), grid()]),
    (lambda x, out: np.add(x, x, out=out), [grid(int), grid()]),
    (lambda x, out: np.add(x, x, out=out), [np.arange(4.0), grid()]),
    (lambda x, out: np.add(x, 1, out=out, where=x > 3), [grid(), grid() * 0]),
    (lambda x, out: np.multiply(x[:, :2], 2, out=out[:, 2:]), [grid(), grid()]),
    (lambda x, out: np.sum(x, axis=0, out=out), [grid(), np.zeros(4)]),
    (lambda x, out: np.cumsum(x, axis=1, out=out), [grid(), grid()]),
    (lambda x, out: np.clip(x, 2, 5, out=out), [grid(), grid()]),
    (lambda x, out: np.matmul(x, x.T, out=out), [grid(), np.zeros((3, 3))]),
    (lambda x, out: np.concatenate([x, x], out=out), [grid(), np.zeros((6, 4))]),
    (lambda x, out: np.max(x, axis=1, out=out), [grid(), np.zeros(3)]),
    (lambda x, out: np.mean(x, out=out), [grid(), np.array(0.0)]),
    (lambda x, out: np.add.reduce(x, out=out), [grid(), np.zeros(4)]),
    (lambda x, y: np.divmod(x, 5, out=(x, y)), [grid(), grid()]),
]


@pytest.mark.parametrize(("program", "arrays"), OUT)
def test_out(program: Program, arrays: list[Any]) -> None:
    def with_effects(*given: Any) -> Any:
        program(*given)
        return given

    assert_same_effect(with_effects, *arrays)


def test_out_is_returned() -> None:
    def program(x: Any, out: Any) -> Any:
        return np.exp(x, out=out) is out and np.sum(x, axis=0, out=out[0]) is not None

    assert run_staged(program, grid(), grid()) is True


def test_out_of_a_wrong_dtype_or_shape() -> None:
    with pytest.raises(
        TypeError, match=r"Cannot cast ufunc 'add' output from dtype.'float64'. to dtype.'int64'."
    ):
        run_staged(lambda x, out: np.add(x, x, out=out), grid(), grid(int))
    with pytest.raises(TypeError, match="Cannot cast ufunc 'divide' output"):
        run_staged(lambda x: x.__itruediv__(2), grid(int))
    with pytest.raises(ValueError, match="non-broadcastable output operand with shape"):
        run_staged(lambda x, out: np.add(x, x, out=out), grid(), np.zeros(4))
    with pytest.raises(ValueError, match=r"output array has shape .3,., the result has .4,."):
        run_staged(lambda x, out: np.sum(x, axis=0, out=out), grid(), np.zeros(3))


def test_a_numpy_array_as_out_is_explained() -> None:
    with pytest.raises(weft.UnsupportedError, match=r"make the array with weft \(weft.zeros"):
        run_staged(lambda x: np.add(x, 1, out=np.zeros((3, 4))), grid())


def test_new_arrays_take_traced_values() -> None:
    def program(x: Any) -> Any:
        made = [weft.zeros(4), weft.array([1.0, 2.0, 3.0, 4.0]), weft.full((2, 4), 1.5), weft.arange(4.0)]
        for array in made:
            array[..., 1:3] = x[0, :2]
        return tuple(made)

    zeros, array, full, numbers = run_staged(program, grid() + 10)
    assert zeros.tolist() == [0, 10, 11, 0]
    assert array.tolist() == [1, 10, 11, 4]
    assert full.tolist() == [[1.5, 10, 11, 1.5]] * 2
    assert numbers.tolist() == [0, 10, 11, 3]


def test_copyto_takes_arrays_of_extents_that_are_known_when_the_program_runs() -> None:
    def program(x: Any) -> Any:
        np.copyto(x, np.unique(x))
        np.copyto(x, np.unique(x) + 1, where=x > 2)
        return x

    for values in ([4, 4, 4], [3, 1, 2]):
        expected = program(np.array(values))
        assert np.array_equal(run_staged(program, np.array(values)), expected)
    with pytest.raises(ValueError, match="could not broadcast input array from shape"):
        run_staged(program, np.array([1, 2, 2]))


@pytest.mark.parametrize(
    ("mask", "values"),
    [
        ([1, 0, 1, 1], [5.0, 6.0]),
        ([[True, True], [False, True]], [5.0, 6.0, 7.0, 8.0, 9.0]),
        ([True], [1.0, 2.0]),
    ],
    ids=str,
)
def test_placed_values(mask: Any, values: Any) -> None:
    def program(x: Any, mask: Any, values: Any) -> Any:
        np.place(x, mask, values)
        return x

    theirs, ours = np.zeros((2, 2)), np.zeros((2, 2))
    arguments = np.array(mask), np.array(values)
    compiled = weft.function(program)
    if len(mask) == 1:
        for function in (program, compiled):
            with pytest.raises(ValueError, match="place: mask and data must be the same size"):
                function(theirs, *arguments)
        return
    np.testing.assert_array_equal(compiled(ours, *arguments), program(theirs, *arguments))
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("shape", [(3, 3), (2, 5), (5, 2), (0, 3)], ids=str)
def test_filled_diagonals(shape: tuple[int, ...]) -> None:
    theirs, ours = np.ones(shape), np.ones(shape)
    np.fill_diagonal(theirs, 3)
    weft.function(lambda x: np.fill_diagonal(x, 3))(ours)
    np.testing.assert_array_equal(ours, theirs)


def _add_out(view: Any) -> None:
    np.add(view, view, out=view)


def _multiply_all(view: Any) -> None:
    view[...] *= 2


def _multiply(view: Any) -> None:
    view *= 2


def _assign(view: Any) -> None:
    view[...] = 2


def _assign_along(view: Any) -> None:
    np.put_along_axis(view, np.array([[0]]), 1, 0)


def _put(view: Any) -> None:
    np.put(view, [0], 1)


@pytest.mark.parametrize(
    "write",
    [
        _add_out,
        _multiply_all,
        _multiply,
        _assign,
        _assign_along,
        _put,
        lambda view: view.sort(),
        lambda view: view.partition(1),
        lambda view: view.fill(1),
    ],
)
def test_what_is_read_only_is_named(write: Any) -> None:
    def program(x: Any) -> None:
        write(x.imag)

    messages = []
    for function in (program, weft.function(program)):
        with pytest.raises(ValueError, match="is read-only") as found:
            function(np.ones((2, 3), np.int64))
        messages.append(str(found.value).partition("\n")[0])
    assert messages[0] == messages[1]


@pytest.mark.parametrize(
    "make", [np.ascontiguousarray, np.asfortranarray, lambda x: np.require(x, None, "C")]
)
def test_views_of_all_of_an_array_stay_other_objects(make: Any) -> None:
    x = np.arange(3.0)
    compiled = weft.function(lambda x: (make(x[:]), make(x)))
    view, itself = compiled(x)
    assert itself is x
    assert view is not x
    assert np.shares_memory(view, x)


@pytest.mark.parametrize("mode", ["raise", "clip"])
@pytest.mark.parametrize("dtype", ["int64", "int8", "float32"])
def test_what_is_chosen_is_cast_to_any_dtype(mode: Any, dtype: str) -> None:
    assert_same_effect(
        lambda places, one, other, out: np.choose(places, (one, other), out, mode),
        np.array([0, 1, 0]),
        np.array([0.5, 1.5, 2.5]),
        np.arange(3),
        np.zeros(3, dtype),
    )
