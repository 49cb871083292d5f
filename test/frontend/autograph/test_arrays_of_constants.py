"""What NumPy makes while a function is traced are arrays of the trace, and views of outside arrays views of these."""

from __future__ import annotations

import copy
import itertools
import operator

import numpy as np
import pytest

import weft
from support.interpreted import interpreted

F64 = np.float64
BASE = np.array([1.0, 2.0, 3.0])
LARGE = np.arange(400.0)
ROWS = [np.array([1, 2, 3]), np.arange(500.0)]
NAMES = np.array(["a", "b"])
OBJECTS = np.array(["a", "b"], object)


class Layer:
    def __init__(self):
        self.weight = np.array([1.0, 2.0])


LAYER = Layer()

MAKERS = [
    lambda: BASE * 2,
    lambda: 2 - BASE,
    lambda: -BASE,
    lambda: BASE > 1,
    lambda: abs(BASE),
    lambda: divmod(BASE, 2)[1],
    lambda: pow(BASE, 2),
    lambda: operator.add(BASE, 1),
    lambda: np.tile(BASE, 2),
    lambda: np.tile(BASE, 200),
    lambda: np.hanning(5),
    lambda: np.mgrid[0:3],
    lambda: np.r_[1:4, 5],
    lambda: np.fromiter((i * 2 for i in range(3)), float),
    lambda: np.concatenate([BASE, np.zeros(2)]),
    lambda: np.meshgrid(np.arange(2), np.arange(2))[1][0],
    lambda: np.unique(np.array([3, 1, 1]), return_counts=True)[0],
    lambda: BASE.copy(),
    lambda: BASE.astype(np.float32),
    lambda: BASE.reshape(3, 1).flatten(),
    lambda: BASE[[0, 2]],
    lambda: BASE[BASE > 1],
    lambda: ROWS[0] * 3,
    lambda: LAYER.weight * 2,
    lambda: LARGE + 1,
    lambda: ROWS[1] - 1,
    lambda: [np.cumsum(BASE) for _ in range(2)][1],
    lambda: np.linalg.inv(np.diag(BASE))[0],
    lambda: (BASE * 2 + 1)[::-1].copy(),
]


def test_what_numpy_makes_is_written_where_the_program_writes_it():
    def f(x, n):
        made = [make() for make in MAKERS]
        in_loop = BASE * 0
        for item in made:
            if x > 1:
                item[0] = 9
        for i in range(n):
            fresh = BASE + 1
            fresh[0] += i
            in_loop += fresh
        return made, in_loop

    compiled = weft.function(f)
    for x in (0, 2, 0):
        expected, total = f(F64(x), 30)
        found, in_loop = compiled(F64(x), np.int64(30))
        np.testing.assert_array_equal(in_loop, total)
        for number, (ours, theirs) in enumerate(zip(found, expected, strict=True)):
            assert ours.dtype == theirs.dtype, number
            np.testing.assert_array_equal(ours, theirs, err_msg=str(number))


def test_python_can_look_at_what_is_known():
    @weft.function
    def f(x):
        sizes = np.array([2, 3])
        shape = tuple(int(size) for size in (sizes * 2 + 1)[::-1])
        y = np.zeros(shape) + x
        for i in range(sizes[0] * 2):
            y = y + i
        if (sizes * 2).max() > 4:
            y = y.reshape(-1)
        return y, len(np.unique(sizes)), [0] * int(np.sum(sizes))

    found, count, zeros = f(F64(1))
    assert (found.shape, found[0], count, zeros) == ((35,), 7, 2, [0] * 5)


@pytest.mark.parametrize(
    "write",
    [
        lambda view, x: view.__setitem__(0, x),
        lambda view, x: view.fill(x),
        lambda view, x: np.copyto(view, x),
        lambda view, x: np.add(view, x, out=view),
        lambda view, x: operator.iadd(view, x),
    ],
)
def test_views_of_outside_arrays_are_written_at_each_call(write):
    table = np.arange(4.0)
    held = [np.arange(3.0)]

    def f(x):
        views = table[1:], table.reshape(2, 2)[0], held[0][::-1]
        if x > 1:
            for view in views:
                write(view, x)
        return views[0].sum()

    def states(function):
        table[:], held[0][:] = np.arange(4), np.arange(3)
        return [(float(function(F64(x))), table.tolist(), copy.copy(held[0].tolist())) for x in (0, 2, 3)]

    assert states(weft.function(f)) == states(f)


def test_updates_of_names_write_to_the_array():
    table = np.arange(3.0)

    @weft.function
    def f(x):
        view = table[1:]
        view += x
        other = table
        other *= 2
        return view

    found = [f(F64(1)).tolist() for _ in range(2)]
    assert found == [[4, 6], [10, 14]]
    assert table.tolist() == [0, 10, 14]


def test_elements_that_tracing_looked_at_are_compared():
    rows, wide, names = [np.array([1, 2])], [np.arange(400)], [np.array(["a", "b"])]

    @weft.function
    def f(x):
        first, second = rows[0]
        found = x * [10, 20, 30][first] + second + len([0] * int(wide[0][2])) + sum(rows[0])
        return found + (names[0][0] == "a") + (3 in rows[0])

    assert f(F64(1)) == 20 + 2 + 2 + 3 + 1
    rows[0][:] = 0, 3
    assert f(F64(1)) == 10 + 3 + 2 + 3 + 1 + 1
    wide[0][2] = 7
    assert f(F64(1)) == 10 + 3 + 7 + 3 + 1 + 1
    names[0][0] = "c"
    assert f(F64(1)) == 10 + 3 + 7 + 3 + 1


def test_a_known_array_is_not_known_in_a_loop_that_may_write_it():
    @weft.function
    def f(x, n):
        z = np.array([1.0, 2.0])
        for _ in range(n):
            y = z * 2
            x = x + y[0]
            z[0] += 1
        return x

    assert f(F64(0), np.int64(30)) == sum(2 * (i + 1) for i in range(30))


def test_what_compiled_code_cannot_hold_is_not_written():
    def staged(x):
        if x > 1:
            OBJECTS[0] = "c"
        return x

    def made(x):
        names = np.char.upper(NAMES)
        names[0] = "x"
        return x + (names[0] == "x")

    with pytest.raises(
        weft.UnsupportedError, match="writes to a NumPy array of dtype object, which compiled code cannot"
    ):
        weft.function(staged)(F64(1))
    assert OBJECTS[0] == "a"
    assert weft.function(made)(F64(1)) == 2
    hidden = [[[np.zeros(2)]]]

    class Box:
        __slots__ = ("held",)

    box = Box()
    box.held = hidden

    def lost(x):
        box.held[0][0][0][0] = x
        return x

    compiled = weft.function(lost)
    try:
        compiled(F64(3))
    except weft.UnsupportedError as error:
        assert "cannot find again at a later call" in str(error)
        assert hidden[0][0][0][0] == 0
    else:
        assert compiled(F64(4)) == 4 == hidden[0][0][0][0]


@pytest.mark.parametrize(
    "make",
    [
        lambda x: np.imag(x),
        lambda x: x.imag,
        lambda x: np.imag([1.0, 2.0]),
        lambda x: np.broadcast_to([1.0], (2,)),
        lambda x: np.diagonal(np.ones((2, 2))),
    ],
)
def test_what_numpy_does_not_let_one_write_to_is_not_written(make):
    def program(x):
        made = make(x)
        made[0] = 1
        return made

    for function in (program, interpreted(program)):
        with pytest.raises(ValueError, match="read-only"):
            function(np.arange(2.0))


def test_empty_views_of_what_is_known_are_written():
    def program(x):
        made = np.logical_not(np.zeros(3))
        empty = made[-1:-1]
        empty[:] += empty[-1:1:-1]
        return made

    np.testing.assert_array_equal(interpreted(program)(np.zeros(1)), program(np.zeros(1)))


def test_the_class_of_arrays_makes_arrays_of_the_trace():
    """`np.ndarray(shape)` is written to in a loop, and is no argument that the machine code copies."""

    def f(x):
        c, d = np.ndarray(x.shape, dtype=x.dtype), np.ndarray((2,), np.float32, order="F")
        for i in range(x.shape[0]):
            c[i] = x[i] * 2
        d[:] = 3
        return c, d, isinstance(c, np.ndarray), np.ndarray((2,), np.uint8, b"abc", 1)

    x = np.arange(200.0)
    function = weft.function(f)
    for got, wanted in zip(function(x), f(x), strict=True):
        np.testing.assert_array_equal(got, wanted)
    (signature,) = [
        line
        for line in function.get_concrete_function(x).as_text("optimized").splitlines()
        if "func.func" in line
    ]
    assert signature.count("tensor<200xf64>") == 2  # the argument and the result


def test_the_class_of_arrays_refuses_what_numpy_refuses():
    def f(x):
        return np.ndarray((-1,)) + x

    with pytest.raises(ValueError, match="negative dimensions are not allowed"):
        weft.function(f)(1.0)


# Integers are followed through writes, as Python needs the value of axes, extents and places in lists.


def axis_to_the_end(x, axis):
    order = np.arange(x.ndim)
    order[[axis, -1]] = [-1, axis]
    return x.transpose(*order), np.transpose(x, order), x.ndim - order


def along_an_axis(x, axis):
    shape = np.ones(x.ndim, int)
    shape[axis] = -1
    return x * np.arange(x.shape[axis]).reshape(shape)


def through_views(x, axis):
    counts = np.zeros(3, dtype=int)
    last, backwards = counts[1:], counts[::-1]
    last[0] = 4
    backwards[0] = 1
    counts[:2] += np.array([1, 1])
    counts *= 1
    return ("seven", [x] * counts[0], last) if counts.sum() == 7 else counts


def in_a_branch(x, axis):
    at = np.array([0, 1])
    if x[0, 0] > 0:
        at[0] = 1
        picked = [5, 6][at[0]]
    else:
        picked = [7, 8][at[0]]
    return picked, [3, 4][at[0]], x[at[0]], at


def in_a_loop(x, axis):
    at = np.array([0, 1])
    at[1] = 0
    for row in x:
        x = x + [1.0, 10.0, 100.0][at[1]] * row
        at[1] += 1
    return x, at


def past_an_exception(x, axis):
    at = np.array([0, 1])
    try:
        at[0] = 1
        if x[0, 0] > 0:
            raise ValueError
        at[0] = 0
    except ValueError:
        pass
    return [7, 8][at[0]]


def counting(x, axis):
    count = np.zeros(1, int)
    while count[0] < 200:
        x = x + 1
        count[0] += 1
    return x, count


@pytest.mark.parametrize(
    "function",
    [axis_to_the_end, along_an_axis, through_views, in_a_branch, in_a_loop, past_an_exception, counting],
)
def test_integers_are_known_behind_writes(function):
    compiled = interpreted(function)
    for x in (np.ones((2, 3)), -np.ones((2, 3))):
        for axis in (0, 1):
            assert repr(compiled(x, axis)) == repr(function(x, axis))


def test_writes_that_a_trial_recording_takes_back_are_not_known():
    def f(x):
        at = np.array([0, 1])
        at[0] = 1
        found = []
        for row in x:
            if row.sum() > 0:
                at[0] = 0
                found.append(row)
        return [7, 8][at[0]], at, found

    for x in (np.ones((2, 3)), -np.ones((2, 3))):
        assert repr(interpreted(f)(x)) == repr(f(x))


@pytest.mark.filterwarnings("ignore::weft.FallbackWarning")
def test_orders_of_axes_that_are_data_are_called_with():
    function = interpreted(lambda x, order: np.transpose(x, order))
    for x in (np.arange(6.0).reshape(2, 3), np.arange(24.0).reshape(2, 3, 4)):
        for order in itertools.permutations(range(x.ndim)):
            np.testing.assert_array_equal(function(x, np.array(order)), np.transpose(x, order))
