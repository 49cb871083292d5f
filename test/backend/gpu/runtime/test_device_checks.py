"""Checks that fail on the device: the exception of the processor, at its line, with its effects before and after."""

from __future__ import annotations

import traceback

import numpy as np
import pytest

import weft
from weft.backend.gpu.devices.open_devices import open_device
from weft.backend.gpu.driver.streams import Stream

SOME = np.array([1, 2, 0])


@pytest.fixture(autouse=True)
def emulator():
    with weft.settings.scope(cuda="emulator"):
        yield


def gathered(x, i, n):
    return x[i] * 2


def written_before_and_after(x, i, n):
    x += 1
    y = x[i]
    x[:3] = y
    x *= 3
    return y


def stored_behind(x, i, n):
    y = x[i]
    x[0] = y[0]
    return y


def of_two(x, i, n):
    first = x[i + 4]
    return first + x[i - 9]


def in_steps(x, i, n):
    s = 0.0
    for k in range(len(i)):
        if x[i[k]] > 3:
            raise ValueError("large")
        s += x[i[k]]
    return s


def at_the_same_time(x, i, n):
    y = np.zeros(300)
    for k in range(300):
        y[k] = x[i[k % 3] + k // 299 * n]
    return y


def of_a_number(x, i, n):
    return x[n] + x[int(np.argmax(x)) + i[0]]


def in_a_loop(x, i, n):
    while x[0] < 3:
        x += x[i[1] + n] * 0 + 1
    return x[i[0]]


def looked_at(x, i, n):
    y = x[i]
    if y[0] > 1:
        x[1] = -1.0
    return y


def at_an_index(x, i, n):
    x[i] = 5.0
    x[n] += 1
    return x.sum()


GOOD = [SOME, np.array([-1, -2, 3])]
BAD = [np.array([1, 7, 9]), np.array([-8, 2, 5]), np.array([4, 0, 5])]


PROGRAMS = [
    gathered,
    written_before_and_after,
    stored_behind,
    of_two,
    in_steps,
    at_the_same_time,
    of_a_number,
    in_a_loop,
    looked_at,
    at_an_index,
]


@pytest.mark.parametrize("function", PROGRAMS)
def test_errors_are_those_of_python(function):
    compiled = weft.function(function, device="cuda")
    for indices in [*GOOD, *BAD, SOME]:
        for n in (1, 6):
            arrays = np.arange(5.0), np.arange(5.0)
            expected, found = (
                outcome(f, x, indices, np.int64(n)) for f, x in zip((function, compiled), arrays, strict=True)
            )
            assert found == expected
            np.testing.assert_array_equal(*arrays)


def added(x, i, n):
    np.add.at(x, i, 1.0)
    return x


def taken_along(x, i, n):
    return np.take_along_axis(x[None], i[None], axis=1)


@pytest.mark.parametrize(
    ("function", "dtype", "extent"),
    [
        (gathered, "int64", 2000),
        (gathered, "uint8", None),
        (at_an_index, "int32", 2000),
        (added, "int64", None),
        (taken_along, "int32", None),
    ],
)
def test_many_indices_are_looked_at_by_all_threads(function, dtype, extent):
    specs = [
        weft.TensorSpec((5,), "float64"),
        weft.TensorSpec((extent,), dtype),
        weft.TensorSpec((), "int64"),
    ]
    compiled = weft.function(function, device="cuda", input_signature=specs)
    device = compiled.get_concrete_function().cost_analysis().device
    assert device.host_kernels == ()
    assert device.reads == 0
    indices = np.arange(2000) % 5
    for wrong in ([], [1999], [700, 3, 1500]):
        bad = indices.copy()
        bad[wrong] = 5 + np.arange(len(wrong))
        arrays = np.arange(5.0), np.arange(5.0)
        expected, found = (
            outcome(f, x, bad.astype(dtype), np.int64(0))
            for f, x in zip((function, compiled), arrays, strict=True)
        )
        assert found == expected
        np.testing.assert_array_equal(*arrays)


def test_deferred_errors_come_at_the_next_wait():
    f = weft.function(gathered)
    x, good, bad = (weft.device_put(a) for a in (np.arange(5.0), SOME, BAD[0]))
    with weft.settings.scope(deferred_errors=True):
        f(x, bad, 0), f(x, BAD[1], 0)
        fine = f(x, good, 0)
        with pytest.raises(IndexError, match="index 7 is out of bounds for axis 0 with size 5") as caught:
            np.asarray(fine)
        assert (
            traceback.extract_tb(caught.value.__traceback__)[-1].lineno
            == gathered.__code__.co_firstlineno + 1
        )
        np.testing.assert_array_equal(fine, gathered(np.arange(5.0), SOME, 0))  # the first is told, once
        f(x, bad, 0)
        with pytest.raises(IndexError, match="index 7"):
            weft.synchronize()
        with pytest.raises(IndexError, match="index -8"):  # NumPy's results wait for themselves
            weft.function(gathered, device="cuda")(np.arange(5.0), BAD[1], 0)
    with pytest.raises(IndexError, match="index 7"):
        f(x, bad, 0)


def test_deferred_errors_of_several_streams():
    """Whoever waits first is told, whatever the stream; work on other streams stays what it is."""
    f = weft.function(gathered)
    bad, worse, good = (weft.device_put(a) for a in (BAD[0], BAD[1], SOME))
    x, y = weft.device_put(np.arange(5.0)), weft.device_put(np.arange(5.0) * 2)
    first, second = _streams(2)
    with weft.settings.scope(deferred_errors=True):
        with weft.stream(first):
            f(x, bad, 0)
        with weft.stream(second):
            fine = f(y, good, 0)
            with pytest.raises(IndexError, match="index 7 is out of bounds for axis 0 with size 5"):
                weft.synchronize()
        np.testing.assert_array_equal(fine, gathered(np.arange(5.0) * 2, SOME, 0))
        with weft.stream(second):
            f(y, worse, 0)
        with weft.stream(first), pytest.raises(IndexError, match="index -8"):
            np.asarray(f(x, good, 0))
        weft.synchronize()  # told once
        np.testing.assert_array_equal(f(x, good, 0), gathered(np.arange(5.0), SOME, 0))


def _streams(count):
    """Streams that wait for nobody."""
    return [Stream.create(open_device("cuda").device) for _ in range(count)]


def outcome(function, *arguments):
    """The result as text, or the exception with its line."""
    try:
        return repr(np.asarray(function(*arguments)).tolist())
    except (IndexError, ValueError) as error:
        frames = traceback.extract_tb(error.__traceback__)
        return type(error), str(error), [frame.lineno for frame in frames if frame.filename == __file__][-1]
