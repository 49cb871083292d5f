"""Native calls with arrays on a device: which they are, what they return, and what they leave to Python."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import weft
from support.native_calls import native_calls
from weft.backend.cpu.dispatch.objects import is_supported
from weft.backend.gpu.devices import libraries, open_devices
from weft.backend.gpu.devices.open_devices import open_device
from weft.backend.gpu.driver.library import Library
from weft.backend.gpu.driver.signatures import Code
from weft_emulator.library import Emulator
from weft_emulator.state import Refused

pytestmark = pytest.mark.skipif(not is_supported(), reason="calls go through Python here")


class Failing(Emulator):
    """An emulator with little memory that can be told to refuse launches, or reads, as after a fault."""

    refuses = is_gone = False

    def cuMemcpyDtoHAsync_v2(self, *arguments: Any) -> None:
        if self.is_gone:
            raise Refused(Code.ILLEGAL_ADDRESS)
        super().cuMemcpyDtoHAsync_v2(*arguments)

    def cuLaunchKernel(self, *arguments: Any) -> None:
        if self.refuses:
            raise Refused(Code.LAUNCH_OUT_OF_RESOURCES)
        super().cuLaunchKernel(*arguments)


@pytest.fixture
def emulator(monkeypatch: pytest.MonkeyPatch) -> Iterator[Failing]:
    """A driver of this test alone."""
    made = Failing(memory_bytes=1 << 20)
    monkeypatch.setitem(libraries._loaded, "emulator", Library(made.functions, "the emulator"))
    monkeypatch.setattr(open_devices, "_open", {})  # others do not wait for what is broken here
    monkeypatch.setattr(open_devices, "_by_name", {})
    with weft.settings.scope(cuda="emulator"):
        yield made


def put(*values: Any) -> Any:
    return weft.device_put(np.array(values, np.float32))


def natively(function: Any, *args: Any) -> Any:
    """The result of a third call, which does without Python."""
    for _ in range(2):
        function(*args)
    before = native_calls(function)
    result = function(*args)
    assert native_calls(function) == before + 1
    return result


def test_what_they_return(emulator: Failing) -> None:
    rows = put(3, 4)

    class Layer:
        def __init__(self) -> None:
            self.w = put(5, 6)

    layer = Layer()

    @weft.function
    def f(layer, x, y, rate, row=None):
        y += x
        return {"sum": x.sum(), "parts": (x * rate + rows, [y[1:], x.T], None)}, layer.w * x, x[:0] + 1

    x, y = put(1, 2), put(0, 0)
    f(layer, x, y, 0.5)
    f(layer, x, y, 0.25)  # from now on the number is data
    parts, product, nothing = natively(f, layer, x, y, 2.0)
    assert f.trace_count == 2
    assert all(isinstance(value, weft.DeviceArray) for value in (parts["sum"], product, nothing))
    assert (parts["sum"].shape, float(parts["sum"])) == ((), 3.0)
    scaled, views, last = parts["parts"]
    np.testing.assert_array_equal(scaled, [5, 8])
    np.testing.assert_array_equal(y, [5, 10])
    views[0][0] = 7.0
    assert (float(y[1]), views[1].dtype, last) == (7.0, np.float32, None)
    np.testing.assert_array_equal(product, [5, 12])
    assert (nothing.shape, nothing.dtype, nothing.device) == ((0,), np.float32, "cuda:0")
    layer.w = put(1, 1)
    np.testing.assert_array_equal(natively(f, layer, x, y, 2.0)[1], [1, 2])
    layer.w = np.ones(2, np.float32)  # now it lies elsewhere
    np.testing.assert_array_equal(f(layer, x, y, 2.0)[1], [1, 2])


def test_sizes_numbers_and_arrays_of_other_libraries(emulator: Failing) -> None:
    @weft.function(input_signature=[weft.TensorSpec((None, 2), "float32")])
    def f(x, factor):
        total = x.sum(axis=1)
        return np.sort(x[:, 0]) * factor, total.max(), int(x.shape[0])

    x = weft.device_put(np.array([[3, 1], [1, 2], [2, 0]], np.float32))
    ranks, largest, count = natively(f, x, np.float64(2))
    np.testing.assert_array_equal(ranks, [2, 4, 6])
    assert (float(largest), count, type(count)) == (4.0, 3, int)
    ranks, largest, count = natively(f, x[:2], np.float64(3))
    np.testing.assert_array_equal(ranks, [3, 9])

    class Foreign:
        def __init__(self, array: Any) -> None:
            self.__cuda_array_interface__ = array.__cuda_array_interface__

    g = weft.function(lambda x: x + 1)
    np.testing.assert_array_equal(natively(g, Foreign(x)), np.asarray(x) + 1)
    turned = Foreign(x.T)
    np.testing.assert_array_equal(g(turned), np.asarray(x).T + 1)
    masked = Foreign(x)
    masked.__cuda_array_interface__ = {**x.__cuda_array_interface__, "mask": 1}
    with pytest.raises(weft.WeftTypeError, match="argument 'x'"):
        g(masked)


def test_results_of_numbers_are_copied_to_the_host(emulator: Failing) -> None:
    f = weft.function(lambda n: (np.arange(4.0) * n, n + 1), device="cuda")
    for _ in range(4):
        row, number = f(np.float64(2))
        assert (type(row), type(number), number) == (np.ndarray, np.float64, 3.0)


def test_arrays_that_are_left_to_python(emulator: Failing) -> None:
    def f(x, y):
        x += y
        return x * 2

    compiled, (x, y) = weft.function(f), (put(1, 2, 3, 4), put(1, 1, 1, 1))
    natively(compiled, x, y)
    before = native_calls(compiled)
    with weft.stream(emulator_stream()):
        compiled(x, y)  # on another stream, which waits for the default stream
    compiled(x, y)  # which waits for that
    assert native_calls(compiled) == before
    np.testing.assert_array_equal(compiled(x, y), [14, 16, 18, 20])  # now as always again
    assert native_calls(compiled) == before + 1
    with pytest.raises(ValueError, match="overlap in memory"):
        compiled(x, x[:])
    two, three = compiled(x[:2], y[:2]), compiled(x[::2], y[::2])  # a part, and a part with steps
    np.testing.assert_array_equal(two, [16, 18])
    np.testing.assert_array_equal(three, [18, 20])
    x.delete()
    with pytest.raises(weft.DeviceError, match="was deleted"):
        compiled(x, y)


def test_arrays_that_are_not_contiguous(emulator: Failing) -> None:
    f = weft.function(lambda x, y: x * 10 + y)
    x, y = weft.device_put(np.arange(12.0).reshape(3, 4)), weft.device_put(np.arange(3.0))
    there, row = np.asarray(x), np.asarray(y)
    for number in range(4):
        np.testing.assert_array_equal(natively(f, x[:, ::2].T, y), there[:, ::2].T * 10 + row)
        np.testing.assert_array_equal(natively(f, x.T, y[::-1]), there.T * 10 + row[::-1])
        np.testing.assert_array_equal(natively(f, x.T.copy(), y), there.T * 10 + row)
        x[0, number] = there[0, number] = 7.0
    assert f.trace_count == 2
    viewed = weft.function(lambda x: (x.T, x + 1))
    rows, _ = natively(viewed, x[:, 1:])  # a view of the argument, not of its copy
    rows[0, 0] = -1.0
    assert float(x[0, 1]) == -1.0


def test_no_room_for_a_contiguous_copy(emulator: Failing) -> None:
    f, x = weft.function(lambda x: x.sum()), weft.device_put(np.zeros((2, 60_000), np.float32))
    natively(f, x[:, ::2])
    kept = weft.device_put(np.zeros(((free_bytes() - 100_000) // 4,), np.float32))
    with pytest.raises(weft.DeviceMemoryError):
        f(x[:, ::2])
    kept.delete()
    assert float(f(x[:, ::2])) == 0.0


def test_streams(emulator: Failing) -> None:
    f, x = weft.function(lambda x: x * 2), put(1, 2)
    natively(f, x)
    stream = emulator_stream()

    class Torch:
        cuda_stream = stream.handle

    for chosen in (stream, stream.handle, Torch(), stream):
        with weft.stream(chosen):
            y = f(f(x))  # each waits once for what the other was asked to do
            before = native_calls(f)
            z = f(f(y))
            assert native_calls(f) == before + 2
            assert z._memory.stream.handle == stream.handle
    assert f(x)._memory.stream is open_device("cuda").default_stream
    del y
    np.testing.assert_array_equal(z, [16, 32])
    with weft.stream(stream):
        again = f(z)  # the stream of before by another object
        before = native_calls(f)
        again = f(again)
        assert native_calls(f) == before + 1
    np.testing.assert_array_equal(again, [64, 128])


def test_memory_of_a_stream_is_freed_there(emulator: Failing) -> None:
    f, x = weft.function(lambda x: x + 1), weft.device_put(np.zeros(50_000, np.float32))
    free = free_bytes()
    with weft.stream(emulator_stream()):
        natively(f, x)
        for _ in range(20):
            y = f(f(x))
        assert native_calls(f) > 40
    assert float(y[0]) == 2.0
    del y
    assert free_bytes() == free


def test_threads_with_streams_of_their_own(emulator: Failing) -> None:
    f = weft.function(lambda x: x + 1)
    natively(f, put(1, 2))
    results: dict[int, Any] = {}

    def run(number: int) -> None:
        with weft.stream(emulator_stream()):
            x = put(number, number)
            for _ in range(20):
                x = f(x)
            results[number] = np.asarray(x)[0]

    threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {number: number + 20 for number in range(4)}


def checked(x, at):
    """What raises where one of the numbers of `at` is no place in `x`."""
    x *= 2
    return x[at] + 1


def test_functions_that_may_raise(emulator: Failing) -> None:
    f, x = weft.function(checked), put(1, 2, 3)
    places = weft.device_put(np.array([0, 2]))
    wrong = weft.device_put(np.array([0, 5]))
    np.testing.assert_array_equal(natively(f, x, places), [9, 25])
    before = native_calls(f)
    for number in range(2):
        with pytest.raises(IndexError, match="index 5 is out of bounds for axis 0 with size 3") as raised:
            f(x, wrong)
        assert "return x[at] + 1" in str(raised.traceback[-1].statement)
        np.testing.assert_array_equal(
            x, np.array([16, 32, 48]) * 4**number
        )  # what was before it has happened
        assert float(f(x, places)[0]) == 8 * 4.0 ** (number + 1) + 1
    assert native_calls(f) == before + 4


def test_functions_that_may_raise_on_another_stream(emulator: Failing) -> None:
    f, x = weft.function(checked), put(1, 2, 3)
    places, wrong = (weft.device_put(np.array(at)) for at in ([0, 2], [-7, 0]))
    with weft.stream(emulator_stream()):
        natively(f, x, places)
        before = native_calls(f)
        with pytest.raises(IndexError, match="index -7 is out of bounds"):
            f(x, wrong)
        assert float(f(x, places)[0]) == 33.0
        assert native_calls(f) == before + 1  # but for `wrong`, which another stream made


def test_errors_that_are_deferred_are_left_to_python(emulator: Failing) -> None:
    f, x = weft.function(checked), put(1, 2, 3)
    places, wrong = (weft.device_put(np.array(at)) for at in ([0, 2], [0, 5]))
    natively(f, x, places)
    before = native_calls(f)
    with weft.settings.scope(deferred_errors=True):
        f(x, wrong)
    with pytest.raises(IndexError, match="index 5 is out of bounds"):
        f(x, places)  # waits, and what failed before comes first
    assert native_calls(f) == before
    f(x, places)
    assert native_calls(f) == before + 1


def test_a_driver_that_refuses_to_tell_of_checks(emulator: Failing) -> None:
    f, x, places = weft.function(checked), put(1, 2, 3), weft.device_put(np.array([0, 2]))
    natively(f, x, places)
    before = native_calls(f)
    emulator.is_gone = True
    with pytest.raises(weft.DeviceError, match="cuMemcpyDtoHAsync_v2 gives CUDA_ERROR_ILLEGAL_ADDRESS"):
        f(x, places)
    with pytest.raises(weft.DeviceError, match="cannot be used any more"):
        f(x, places)
    assert native_calls(f) == before + 1


def emulator_stream() -> Any:
    from weft.backend.gpu.driver.streams import Stream

    return Stream.create(open_device("cuda").device)


def free_bytes() -> int:
    weft.synchronize()  # what is freed on a stream is freed in its turn
    return open_device("cuda").device.free_memory()[0]


def test_memory_is_freed_with_the_last_array(emulator: Failing) -> None:
    f, x = weft.function(lambda x: (x + 1)[None]), weft.device_put(np.zeros(50_000, np.float32))
    natively(f, x)
    free = free_bytes()
    for _ in range(20):
        row = f(x)[0]  # a view keeps it
        assert float(row[0]) == 1.0
    assert native_calls(f) > 20
    kept = [row]
    with pytest.raises(weft.DeviceMemoryError, match=r"the results of .* need 200000 bytes"):
        kept += [f(x) for _ in range(10)]
    del kept, row
    assert float(f(x)[0, 0]) == 1.0
    assert free_bytes() == free


def test_what_the_driver_refuses(emulator: Failing) -> None:
    f, x = weft.function(lambda x: np.exp(x) + x.sum()), put(0, 0)
    natively(f, x)
    emulator.refuses = True
    before = native_calls(f)
    with pytest.raises(weft.DeviceError, match="CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"):
        f(x)
    emulator.refuses = False
    np.testing.assert_array_equal(f(x), [1, 1])
    assert native_calls(f) == before + 2
    emulator._break(Code.ILLEGAL_ADDRESS, "a kernel went wrong")
    with pytest.raises(weft.DeviceError, match="a kernel went wrong"):
        np.asarray(f(x))
    with pytest.raises(weft.DeviceError, match="cannot be used any more"):
        f(x)


def test_threads(emulator: Failing) -> None:
    f = weft.function(lambda x: x + 1)
    natively(f, put(1, 2))
    results: dict[int, Any] = {}

    def run(number: int) -> None:
        x = put(number, number)
        for _ in range(20):
            x = f(x)
        results[number] = np.asarray(x)[0]

    threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {number: number + 20 for number in range(4)}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_is_refused(emulator: Failing) -> None:
    f, x = weft.function(lambda x: x + 1), put(1, 2)
    natively(f, x)
    child = os.fork()
    if not child:
        try:
            f(x)
        except weft.DeviceError as error:
            os._exit(5 if "forked" in str(error) else 6)
        os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 5
