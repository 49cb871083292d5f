"""Functions on a device: NumPy arrays go in and come out, and everything else is as on the processor."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import weft


@pytest.fixture(autouse=True)
def emulator() -> Iterator[None]:
    """Let the emulator stand for a GPU."""
    with weft.settings.scope(cuda="emulator"):
        yield


def test_elementwise_functions_give_the_bits_of_the_processor() -> None:
    def f(x, y):
        return np.exp(x) * y + np.tanh(y), np.where(x > y, x, y)

    x, y = np.random.default_rng(0).standard_normal((2, 5, 37))
    there, here = weft.function(f, device="cuda")(x, y), weft.function(f)(x, y)
    for one, other in zip(there, here, strict=True):
        assert type(one) is np.ndarray
        np.testing.assert_array_equal(one, other)


def test_numbers_of_numbers() -> None:
    def f(x, z):
        mean, variance = x.mean(), x.var()
        spread, total = np.sqrt(variance), z.sum()
        skew = ((x - mean) ** 3).mean() / spread**3
        return mean, spread, skew, (x.max() - mean) / spread, x[3] * mean, abs(total) * total.conjugate()

    x = np.random.default_rng(0).standard_normal(50)
    got, expected = weft.function(f, device="cuda")(x, x[:5] + 1j), f(x, x[:5] + 1j)
    np.testing.assert_allclose(got, expected, rtol=1e-12)


def test_whole_programs(capfd: pytest.CaptureFixture[str]) -> None:
    """Loops and branches that data decides, checks, prints, writes to arguments, and sizes that data decides."""

    def f(x, y, n):
        total = np.zeros(4)
        for i in range(n):
            total = total + x * i
            if total.sum() > 10:
                total = total / 2
                x[i % 4] = 1.0
        y += total
        print("sum", total.sum())
        found = []
        for value in y:
            if value > 28.5:
                found.append(value)
        return total, x[x > 0.5], np.stack(found), len(found)

    arguments = [np.arange(4.0), np.arange(4.0), 30]
    expected_arguments = [np.arange(4.0), np.arange(4.0), 30]
    compiled = weft.function(f, device="cuda")
    results, printed = compiled(*arguments), capfd.readouterr().out
    expected, expected_print = f(*expected_arguments), capfd.readouterr().out
    for one, other in zip([*results, *arguments], [*expected, *expected_arguments], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-14)
    assert printed == expected_print


def test_functions_that_call_themselves() -> None:
    @weft.function(device="cuda")
    def fibonacci(n, x):
        if n < 2:
            return x
        return fibonacci(n - 1, x) + fibonacci(n - 2, x)

    np.testing.assert_array_equal(fibonacci(np.int64(8), np.ones(3)), np.full(3, 34.0))


def test_python_functions_see_and_give_arrays() -> None:
    seen = []

    def look(x):
        seen.append(x.copy())
        return x[::-1] * 2

    @weft.function(device="cuda")
    def f(x):
        x[0] = 7
        return weft.py_call(look, x, result=weft.TensorSpec((3,), "float64")) + 1

    x = np.arange(3.0)
    np.testing.assert_array_equal(f(x), [5.0, 3.0, 15.0])
    np.testing.assert_array_equal(seen, [[7.0, 1.0, 2.0]])
    np.testing.assert_array_equal(x, [7.0, 1.0, 2.0])


def test_errors_have_the_line_and_what_happened_before_has_happened() -> None:
    @weft.function(device="cuda")
    def f(x, i):
        x[0] = 5.0
        return x[i] + 1  # here

    x = np.zeros(3)
    with pytest.raises(IndexError, match="index 3 is out of bounds for axis 0 with size 3") as caught:
        f(x, np.int64(3))
    assert "# here" in str(caught.traceback[-1].statement)
    assert x[0] == 5.0
    assert f(x, np.int64(0)) == 6.0


def test_rows_and_sizes_of_views_at_an_index_that_the_device_computes() -> None:
    """The launch has the extents of what is left, and does not ask a view for them, which it cannot make."""
    signature = [weft.TensorSpec((None, None, None), "float32"), weft.TensorSpec((None,), "int64")]

    def f(x, i):
        k = i.sum()
        rows, columns = x[k % 3, :, 1:], x[:, k % 2, k % 2]
        return (
            rows.clip(0),
            rows.sum(0)[::2].copy(),
            np.sort(rows, 0),
            columns.cumsum(),
            np.sort(x[k % 3 :, 0], 0),
        )

    x, i = np.random.default_rng(0).standard_normal((4, 5, 6)).astype("f4"), np.arange(4)
    found = weft.function(f, input_signature=signature, device="cuda")(x, i)
    for one, other in zip(found, f(x, i), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5)


def test_names_of_devices() -> None:
    assert weft.devices() == ["cpu", "cuda:0"]
    weft.synchronize()
    weft.synchronize("cuda")
    with pytest.raises(ValueError, match="there is no device 'gpu'; devices are cpu, cuda, cuda:1"):
        weft.function(lambda x: x, device="gpu")
    with pytest.raises(ValueError, match=r"takes a device, 'cuda', or a target, 'sm_80'"):
        weft.function(lambda x: x, device="cuda", target="sm_80")
    with pytest.raises(weft.DeviceError, match="there is no device cuda:7: the driver has one GPU, cuda:0"):
        weft.function(lambda x: x + 1, device="cuda:7")(np.ones(2))
    with weft.settings.scope(cuda="off"), pytest.raises(weft.DeviceError, match="GPUs are switched off"):
        weft.function(lambda x: x + 1, device="cuda")(np.ones(2))
    with weft.settings.scope(cuda="off"):
        assert weft.devices() == ["cpu"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_names_of_devices_in_a_forked_child() -> None:
    """Where the devices cannot be used, to list none would hide them."""
    weft.devices()
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.write(writing, repr(weft.devices()).encode())
        except weft.DeviceError as error:
            os.write(writing, str(error).encode())
        finally:
            os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with os.fdopen(reading) as told:
        assert "the GPU was used before this process was forked" in told.read()


def test_a_device_for_all_functions() -> None:
    with weft.settings.scope(device="cuda"):
        function = weft.function(lambda x: x + 1)
        np.testing.assert_array_equal(function(np.ones(2)), [2.0, 2.0])
        assert "gpu.launch_func" in function.get_concrete_function(np.ones(2)).as_text("gpu")
        here = weft.function(lambda x: x + 1, device="cpu")
        assert "gpu" not in here.get_concrete_function(np.ones(2)).as_text("buffers")


def test_code_for_a_gpu_can_be_looked_at_anywhere() -> None:
    function = weft.function(lambda x: x * 2, target="sm_80")
    concrete = function.get_concrete_function(weft.TensorSpec((8,), "float32"))
    assert ".target sm_80" in concrete.as_text("ptx")
    assert 'weft.side = "device"' in concrete.as_text("placed")
    with pytest.raises(
        NotImplementedError, match="compiled for the target sm_80, but calls of code for GPUs need"
    ):
        function(np.ones(8, np.float32))


def test_kernels_of_the_host_are_told() -> None:
    def decayed(x, n):
        total = 0.0
        for i in range(n):
            total = total * 0.5 + x[i]
        return total

    concrete = weft.function(decayed, device="cuda").get_concrete_function(np.ones(8), np.int64(3))
    device = concrete.cost_analysis().device
    assert device is not None
    assert [why for _, why in device.host_kernels] == ["it returns numbers that the host needs"]
    assert "on the host: " in str(concrete.cost_analysis())


def test_what_goes_between_host_and_device_is_told() -> None:
    def f(x, n):
        total = (x * n).mean()
        x[0] = total
        return np.sort(x) / total, x[0]

    concrete = weft.function(f, device="cuda").get_concrete_function(np.ones(8), np.int64(3))
    device = concrete.cost_analysis().device
    assert device is not None
    assert (device.reads, device.bytes_in, device.bytes_out) == (0, 64, 64 + 8 + 64)
    assert device.launches >= 3
    assert not device.host_kernels
    x = np.arange(8.0)[::-1].copy()
    expected = f(x.copy(), 3)
    for one, other in zip(concrete(x, np.int64(3)), expected, strict=True):
        np.testing.assert_allclose(one, other)
    here = weft.function(f, device="cpu")
    assert here.get_concrete_function(np.ones(8), 3).cost_analysis().device is None


def test_what_several_results_are_made_of_is_read_once() -> None:
    def polar(x, y):
        return np.sqrt(x * x + y * y), np.arctan2(y, x)

    cost = (
        weft.function(polar, device="cuda").get_concrete_function(np.ones(64), np.zeros(64)).cost_analysis()
    )
    assert cost.device is not None
    assert cost.device.launches == 1
    assert (cost.bytes_read, cost.bytes_written) == (2 * 64 * 8, 2 * 64 * 8)


def test_libraries_of_the_host_are_called_there() -> None:
    def f(x):
        return np.linalg.lstsq(x * 2, x[0], rcond=None)[0][0] + np.fft.rfft(x)[0, 0].real

    x = np.eye(3) + np.arange(9.0).reshape(3, 3)
    compiled = weft.function(f, device="cuda")
    np.testing.assert_allclose(compiled(x), f(x))
    placed = compiled.get_concrete_function(x).as_text("placed")
    assert (
        placed.count("it calls a library of the host") == placed.count("a library of the device does it") == 1
    )


def test_threads_share_an_array_of_a_device() -> None:
    """Each reads it while the others do, and lets the last reference go in any order."""
    shared, function = weft.device_put(np.arange(1000.0)), weft.function(lambda x, n: (x * n).sum() + x[1:])

    def work(number: int) -> bool:
        expected = 499_500.0 * number + np.arange(1.0, 1000)
        view = shared[:]
        return all(np.array_equal(function(view, np.float64(number)), expected) for _ in range(5))

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(12)))
    np.testing.assert_array_equal(shared, np.arange(1000.0))
