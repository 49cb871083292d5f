"""What goes wrong in libraries for GPUs: checks of the program, drivers, contexts, memory; and what is refused."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from support.exported_calls import Error, Failed
from support.exported_device import ExportedDevice, FakeDriver, make_driver
from weft.backend.gpu.export.device_calls import weft_device_begin
from weft.dialect.errors import InternalError

pytestmark = pytest.mark.skipif(
    shutil.which("cc") is None, reason="there is no C compiler to link libraries with"
)

INDEX, VALUE, ZERO_DIVISION, MEMORY, RECURSION, CANCELLED, DEVICE = 1, 2, 4, 16, 17, 20, 21


class Picker:
    """Counts what it picks, by indices that a kernel looks at."""

    def __init__(self) -> None:
        self.count = np.zeros(2)

    def pick(self, x: Any, places: Any) -> Any:
        """Elements at some places."""
        self.count[0] += 1
        return x[places] * 2


def summed(x: Any, n: Any) -> Any:
    """Raises what the host decides, and what the GPU has computed."""
    if n < 0:
        raise ValueError(f"there are {n} steps")
    if x.sum() == 0:
        raise ZeroDivisionError("nothing to divide by")
    for _ in range(n):
        x = np.tanh(x @ x)
    return x / x.sum()


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> FakeDriver:
    return FakeDriver(make_driver(tmp_path_factory.mktemp("driver")))


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    pick = weft.function(Picker().pick).get_concrete_function(*_specs("f64[?]", "i64[3]"))
    total = weft.function(summed).get_concrete_function(*_specs("f64[40,40]", "i64"))
    folder = tmp_path_factory.mktemp("library")
    return weft.export(folder, pick=pick, summed=total, library="both", target="sm_90a", checked=True)


@pytest.fixture
def library(files: dict[str, str], driver: FakeDriver) -> Iterator[ExportedDevice]:
    used = driver.used
    made = ExportedDevice(files, driver)
    yield made
    driver.codes.clear()
    made.close()
    assert driver.used == used
    assert driver.current() == 0


def _specs(*texts: str) -> list[weft.TensorSpec]:
    return [weft.TensorSpec.from_string(text) for text in texts]


X = np.arange(5.0)
GOOD, BAD = np.array([0, 4, -1]), np.array([0, 9, 1])
SQUARE = np.eye(40)


def test_a_check_of_the_gpu_is_a_result_code(library: ExportedDevice) -> None:
    assert library(X, GOOD, name="pick").tolist() == [0, 8, 8]
    with pytest.raises(Failed, match="index 9 is out of bounds for axis 0 with size 5") as failure:
        library(X, BAD, name="pick")
    assert failure.value.code == INDEX
    (place,) = [e["place"] for e in library.manifest["errors"] if e["number"] == failure.value.place]
    assert place.startswith(f"{Path(__file__).name}:")
    assert library(X, GOOD, name="pick").tolist() == [0, 8, 8]


def test_exceptions_of_the_program(library: ExportedDevice) -> None:
    np.testing.assert_allclose(library(SQUARE, 3, name="summed"), summed(SQUARE, 3), rtol=1e-9, atol=1e-12)
    with pytest.raises(Failed, match="there are -3 steps") as failure:
        library(SQUARE, -3, name="summed")
    assert failure.value.code == VALUE
    with pytest.raises(Failed, match="nothing to divide by") as failure:
        library(0 * SQUARE, 1, name="summed")
    assert failure.value.code == ZERO_DIVISION


def test_a_call_is_cancelled(library: ExportedDevice, driver: FakeDriver) -> None:
    flag, error = ctypes.c_int64(1), Error()
    error.cancel = ctypes.addressof(flag)
    x, result = driver.put(SQUARE), driver.put(SQUARE)
    arguments = (library.device, None, x, ctypes.c_int64(1 << 40), result, ctypes.byref(error))
    assert library.library.summed(*arguments) == CANCELLED
    assert library.describe(error) == "the call was cancelled"
    for address in (x, result):
        driver.free(address)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("function", "code", "kind", "text"),
    [
        ("cuLaunchKernel", 719, DEVICE, "cuLaunchKernel of kernel . gives CUDA_ERROR_LAUNCH_FAILED: "),
        ("cuMemAllocFromPoolAsync", 2, MEMORY, "the GPU has no block of [0-9]+ bytes"),
        ("cuMemcpyDtoHAsync_v2", 700, DEVICE, "gives CUDA_ERROR_ILLEGAL_ADDRESS: "),
        ("cuCtxSetCurrent", 201, DEVICE, "cuCtxSetCurrent gives CUDA_ERROR_INVALID_CONTEXT: "),
        ("cuStreamSynchronize", 12345, DEVICE, "gives 12345$"),
    ],
)
def test_codes_of_the_driver_end_a_call(
    library: ExportedDevice, driver: FakeDriver, function: str, code: int, kind: int, text: str
) -> None:
    driver.codes[function] = code
    with pytest.raises(Failed, match=text) as failure:
        library(SQUARE, 3, name="summed")
    assert failure.value.code == kind
    driver.codes.clear()
    np.testing.assert_allclose(library(SQUARE, 3, name="summed"), summed(SQUARE, 3), rtol=1e-9, atol=1e-12)


def test_a_failed_call_leaves_the_numbers_of_the_state(library: ExportedDevice, driver: FakeDriver) -> None:
    with pytest.raises(Failed):
        library(X, BAD, name="pick")
    driver.codes["cuMemAlloc_v2"] = 2
    made = ctypes.c_void_p(1)
    with pytest.raises(Failed, match="the GPU has no block of 16 bytes") as failure:
        library.do("new", library.device, ctypes.byref(made))
    assert failure.value.code == MEMORY
    assert not made.value


def test_null_handles(library: ExportedDevice) -> None:
    made = ctypes.c_void_p()
    device, library.device = library.device, ctypes.c_void_p()
    with pytest.raises(Failed, match="the device of the call is NULL"):
        library(SQUARE, 3, name="summed")
    with pytest.raises(Failed, match="the device of the call is NULL"):
        library.do("new", None, ctypes.byref(made))
    library.device = device
    state, library.state = library.state, ctypes.c_void_p()
    with pytest.raises(Failed, match="the state is NULL"):
        library(X, GOOD, name="pick")
    for what in ("save", "load"):
        with pytest.raises(Failed, match="the state is NULL"):
            library.do(what, None, None, None, *([ctypes.c_int64(0)] if what == "load" else []))
    library.state = state
    with pytest.raises(Failed, match="the address where the handle goes is NULL"):
        library.do("open", library.driver.context, None, None)
    with pytest.raises(Failed, match="where the handle goes is NULL"):
        library.do("new", device, None)
    library.do("close", None)
    library.do("delete", None)


def test_a_checking_library_looks_at_addresses_of_the_gpu(
    library: ExportedDevice, driver: FakeDriver
) -> None:
    error, x = Error(), driver.put(SQUARE)
    for result, text in ((x, "arrays 0 and 1 of the call overlap"), (None, "array 1 of the call is NULL")):
        code = library.library.summed(library.device, None, x, ctypes.c_int64(1), result, ctypes.byref(error))
        assert code == VALUE
        assert text in library.describe(error)
    driver.free(x)


def test_a_file_that_is_no_state(library: ExportedDevice) -> None:
    for size in (3, library.library.both_size()):
        with pytest.raises(Failed, match="not those that a state of this library was saved as") as failure:
            library.do("load", library.state, None, ctypes.create_string_buffer(4096), ctypes.c_int64(size))
        assert failure.value.code == VALUE


def refused(files: dict[str, str], driver: FakeDriver, context: Any, path: bytes | None) -> Failed:
    """Why a library cannot be opened; nothing is left of it then."""
    library = ExportedDevice.__new__(ExportedDevice)
    library.library = ctypes.CDLL(files["shared"])
    library.name, library.driver, library.device = "both", driver, ctypes.c_void_p(1)
    with pytest.raises(Failed) as failure:
        library.open(context, path)
    assert not library.device.value
    return failure.value


def copy_of(files: dict[str, str], folder: Path) -> dict[str, str]:
    """Another library, which knows no driver yet."""
    folder.mkdir(exist_ok=True)
    target = folder / "libother.so"
    shutil.copy(files["shared"], target)
    return {**files, "shared": str(target)}


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (
            {"driver_version": 12040},
            r"the driver is one for CUDA 12\.4, and the library needs one for CUDA 12\.7",
        ),
        ({"arch": (8, 0)}, r"the library is for sm_90a, and the GPU has the compute capability 8\.0"),
        ({"arch": (10, 0)}, r"the library is for sm_90a, and the GPU has the compute capability 10\.0"),
        ({"has_pools": False}, "the GPU has no memory pools"),
    ],
)
def test_drivers_and_gpus_that_do_not_fit(
    files: dict[str, str], tmp_path: Path, options: dict[str, Any], text: str
) -> None:
    other = FakeDriver(make_driver(tmp_path), **options)
    failure = refused(copy_of(files, tmp_path), other, other.context, b"")
    assert failure.code == DEVICE
    assert re.search(text, str(failure))


def test_a_driver_that_lacks_a_function(files: dict[str, str], tmp_path: Path) -> None:
    other = FakeDriver(make_driver(tmp_path, without=["cuMemPoolDestroy"]))
    failure = refused(copy_of(files, tmp_path), other, other.context, b"")
    assert "the driver has no cuMemPoolDestroy: the library needs one for CUDA 12.7 or newer" in str(failure)


def test_drivers_that_are_not_there(files: dict[str, str], driver: FakeDriver, tmp_path: Path) -> None:
    other = copy_of(files, tmp_path)
    failure = refused(other, driver, driver.context, b"/nowhere/libcuda.so.1")
    assert (failure.code, str(failure)) == (DEVICE, "the driver that was given cannot be loaded")
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        failure = refused(other, driver, driver.context, None)
        assert str(failure) == "there is no CUDA driver: libcuda.so.1 cannot be loaded"


def test_a_library_has_one_driver(library: ExportedDevice, files: dict[str, str], tmp_path: Path) -> None:
    failure = refused(files, library.driver, library.driver.context, str(make_driver(tmp_path)).encode())
    assert (failure.code, str(failure)) == (VALUE, "the library was opened with another driver before")


def test_contexts(library: ExportedDevice, files: dict[str, str], driver: FakeDriver) -> None:
    failure = refused(files, driver, None, b"")
    assert (failure.code, str(failure)) == (VALUE, "no context was given, and none is current")
    failure = refused(files, driver, ctypes.c_void_p(0x1234), b"")
    assert failure.code == DEVICE
    assert "cuCtxSetCurrent gives CUDA_ERROR_INVALID_HANDLE: " in str(failure)
    driver.make_current(driver.context)
    other = ctypes.c_void_p()
    library.do("open", None, str(driver.path).encode(), ctypes.byref(other))
    library.do("close", other)
    driver.make_current(None)


@pytest.mark.parametrize(
    "function", ["cuModuleLoadDataEx", "cuModuleGetFunction", "cuMemPoolCreate", "cuInit", "cuCtxGetDevice"]
)
def test_codes_of_the_driver_end_opening(files: dict[str, str], driver: FakeDriver, function: str) -> None:
    used = driver.used
    driver.codes[function] = 218
    failure = refused(files, driver, driver.context, b"")
    driver.codes.clear()
    assert failure.code == DEVICE
    assert str(failure).startswith(f"{function} gives CUDA_ERROR_INVALID_PTX: ")
    assert driver.used == used


_BY_PATH = """
import ctypes, sys
sys.path[:0] = {paths!r}
from pathlib import Path
import numpy as np
from support.exported_device import ExportedDevice, FakeDriver
driver = FakeDriver(Path("libcuda.so.1"))
library = ExportedDevice.__new__(ExportedDevice)
library.library, library.name, library.driver = ctypes.CDLL({shared!r}), "both", driver
library.device, library.state = ctypes.c_void_p(), ctypes.c_void_p()
library.open(driver.context, None)
library.close()
print("opened and closed")
"""


def test_the_driver_is_found_as_the_system_finds_libraries(files: dict[str, str], driver: FakeDriver) -> None:
    text = _BY_PATH.format(paths=sys.path, shared=files["shared"])
    environment = {**os.environ, "LD_LIBRARY_PATH": str(driver.path.parent)}
    done = subprocess.run(
        [sys.executable, "-c", text],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stdout == "opened and closed\n", done.stderr


def test_what_needs_python_is_refused_with_all_reasons(tmp_path: Path) -> None:
    def solved(a: Any, b: Any) -> Any:
        return np.linalg.solve(a, b)

    spec = weft.TensorSpec((4,), "float64")
    square = weft.TensorSpec((4, 4), "float64")
    solve = weft.function(solved).get_concrete_function(square, spec)
    inverse = weft.function(lambda a: np.linalg.inv(a)).get_concrete_function(square)
    with pytest.raises(weft.NotPortable) as failure:
        weft.export(tmp_path, solve=solve, inverse=inverse, target="sm_90a")
    assert re.search(r"solve cannot leave.*\n.*code of NumPy or SciPy", str(failure.value))
    assert re.search(r"inverse cannot leave.*\n.*code of NumPy or SciPy", str(failure.value))
    assert str(failure.value).count(f"{Path(__file__).name}:") == 2
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"kind": "wasm"}, "wasm"),
        ({"threads": True}, "threads=True is for processors, and 'sm_90a:x86-64-v2' is a GPU"),
        (
            {"target": "sm_90a:x86-64-v3-windows", "kind": "object"},
            "functions for GPUs are exported for Linux",
        ),
        ({"target": "sm_90a:wasm32", "kind": "object"}, "functions for GPUs are exported for Linux"),
        ({"target": ["sm_90a", "sm_80"]}, "a library for a GPU has one target, and not 'sm_90a', 'sm_80'"),
        ({"target": "sm_12"}, "there is no target 'sm_12'"),
        ({"target": "sm_90a:aarch64"}, "the compiler of this machine links no library"),
    ],
)
def test_options_that_do_not_fit(tmp_path: Path, options: dict[str, Any], text: str) -> None:
    concrete = weft.function(lambda x: x * 2).get_concrete_function(weft.TensorSpec((4,), "float64"))
    with pytest.raises(ValueError, match=text):
        weft.export(tmp_path, f=concrete, **{"target": "sm_90a", **options})
    assert not list(tmp_path.iterdir())


def endless(x: Any, n: Any) -> Any:
    return x if n > 10**9 else endless(x + 1, n + 1)


def test_recursion_ends(tmp_path: Path, driver: FakeDriver) -> None:
    used = driver.used
    concrete = weft.function(endless).get_concrete_function(*_specs("f64[4]", "i64"))
    library = ExportedDevice(concrete.export(str(tmp_path), name="f", target="sm_90a"), driver)
    assert library(X[:4], 10**9 - 5).tolist() == (X[:4] + 6).tolist()
    with pytest.raises(Failed, match="recursion") as failure:
        library(X[:4], 0)
    assert failure.value.code == RECURSION
    library.close()
    assert driver.used == used


class Growing:
    """Keeps a number that the host looks at."""

    def __init__(self) -> None:
        self.factor = np.float64(1)
        self.total = np.zeros(3)

    def grow(self, x: Any) -> Any:
        """Add from the third call on."""
        if self.factor > 2:
            self.total += x
        self.factor = self.factor * 2
        return self.total * self.factor


def test_the_host_looks_at_a_number_of_the_state(tmp_path: Path, driver: FakeDriver) -> None:
    same = Growing()
    grow = weft.function(Growing().grow).get_concrete_function(*_specs("f64[3]"))
    library = ExportedDevice(grow.export(str(tmp_path), name="f", target="sm_90a"), driver)
    assert library.manifest["functions"][0]["waits"] == ["the host reads a number of the state"]
    for _ in range(4):
        assert library(X[:3]).tolist() == same.grow(X[:3]).tolist()
    driver.codes["cuMemcpyDtoHAsync_v2"] = 700
    with pytest.raises(Failed, match="cuMemcpyDtoHAsync_v2 gives CUDA_ERROR_ILLEGAL_ADDRESS"):
        library(X[:3])
    driver.codes.clear()
    assert library(X[:3]).tolist() == same.grow(X[:3]).tolist()
    library.close()


def test_extension_modules_are_for_processors(tmp_path: Path) -> None:
    from weft.frontend.artifacts.export.exporting import Options, write_extension_sources

    concrete = weft.function(lambda x: x * 2).get_concrete_function(weft.TensorSpec((4,), "float64"))
    with pytest.raises(ValueError, match="an extension module is for processors, and 'sm_90a' is a GPU"):
        write_extension_sources(tmp_path / "out", "module", {"f": concrete}, Options("object", "sm_90a"))
    assert not list(tmp_path.iterdir())


def test_native_code_is_not_called_as_python() -> None:
    with pytest.raises(InternalError, match="native code was called as Python"):
        weft_device_begin(0, 0, 0, 0)
