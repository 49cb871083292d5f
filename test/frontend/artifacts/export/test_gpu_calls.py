"""Functions exported for a GPU, called as C calls them, on the emulator: results, state, writes, several at once."""

from __future__ import annotations

import ctypes
import json
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
import weft.backend.gpu.export.library as export_library
from support.exported_device import ExportedDevice, FakeDriver, make_driver
from support.exported_programs import Net, mlp, softmax
from weft.backend.gpu.machine.assembler import Assembled

pytestmark = pytest.mark.skipif(
    shutil.which("cc") is None, reason="there is no C compiler to link libraries with"
)


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> FakeDriver:
    return FakeDriver(make_driver(tmp_path_factory.mktemp("driver")))


@pytest.fixture(autouse=True)
def nothing_is_left(driver: FakeDriver) -> Iterator[None]:
    """Each test gives back all memory of the device, and leaves the context that was current."""
    used = driver.used
    yield
    assert driver.used == used
    assert driver.current() == 0
    driver.calls.clear()
    driver.codes.clear()


def exported(
    folder: Path, driver: FakeDriver, specs: list[str], function: Callable[..., Any], **options: Any
) -> ExportedDevice:
    types = [weft.TensorSpec.from_string(spec) for spec in specs]
    concrete = weft.function(function).get_concrete_function(*types)
    target = options.pop("target", "sm_90a")
    return ExportedDevice(concrete.export(str(folder), name="f", target=target, **options), driver)


def flat(result: Any) -> list[Any]:
    if isinstance(result, dict):
        return [leaf for value in result.values() for leaf in flat(value)]
    return [leaf for value in result for leaf in flat(value)] if isinstance(result, tuple) else [result]


def repeated(x: Any, n: Any) -> Any:
    """Several kernels, in a loop of the host."""
    for i in range(n):
        x = np.tanh(x @ x.T @ x) + i
    return x


def relaxed(x: Any, tolerance: Any) -> Any:
    """A loop whose length data decides."""
    change, count = tolerance + 1, 0
    while change > tolerance:
        new = x.copy()
        new[1:-1] = 0.5 * (x[:-2] + x[2:])
        change = np.max(np.abs(new - x))
        x = new
        count += 1
    return x, count


RANDOM = np.random.default_rng(0)
ROWS = RANDOM.normal(size=(37, 8)).astype("f4")
WEIGHTS = [RANDOM.normal(size=shape).astype("f4") for shape in ((8, 16), (16,), (16, 4), (4,))]
SIGNED = np.array([3.0, -1.0, 2.0, -0.0, 5.0, np.nan])

PROGRAMS: dict[str, tuple[Callable[..., Any], list[str], list[Any]]] = {
    "a softmax": (softmax, ["f32[?,?]"], [ROWS]),
    "two layers": (mlp, ["f32[?,8]", "f32[8,16]", "f32[16]", "f32[16,4]", "f32[4]"], [ROWS, *WEIGHTS]),
    "reductions": (lambda x: (x.sum(), x.sum(axis=0), x.max()), ["f32[?,?]"], [ROWS]),
    "a running sum": (lambda x: np.cumsum(x, axis=0), ["f32[?,?]"], [ROWS]),
    "a sort": (lambda x: np.sort(x), ["f64[?]"], [RANDOM.normal(size=300)]),
    "kernels in a loop": (repeated, ["f32[?,8]", "i64"], [ROWS, np.int64(4)]),
    "a loop that data ends": (relaxed, ["f64[64]", "f64"], [RANDOM.normal(size=64), np.float64(0.05)]),
    "sizes that data decides": (lambda x: (x[x > 0], x * 2), ["f64[?]"], [SIGNED]),
    "nothing of a size that data decides": (lambda x: x[x > 9], ["f64[?]"], [SIGNED]),
    "a size that a number decides": (lambda n: np.zeros(n) + 1, ["i64"], [np.int64(4)]),
    "a part that the host does": (lambda x, i: x[i], ["f64[?]", "i64[?]"], [SIGNED, np.array([0, 3, -1])]),
    "a constant": (lambda x: x @ WEIGHTS[0], ["f32[?,8]"], [ROWS]),
    "a complex number": (lambda x, c: x * c, ["c64[?]", "c64"], [np.array([1 + 2j], "c8"), np.complex64(2j)]),
    "a view of an argument": (lambda x: x[1:4][::-1], ["f64[?]"], [SIGNED]),
    "halves and booleans": (
        lambda x, b: np.where(b, x, 0),
        ["f16[2]", "bool[2]"],
        [np.array([1, 2.5], "f2"), np.array([True, False])],
    ),
    "no arguments": (lambda: np.arange(3) * 2, [], []),
    "nothing": (lambda x: x * 2, ["f64[?]"], [np.zeros(0)]),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", PROGRAMS)
def test_results_are_those_of_numpy(tmp_path: Path, driver: FakeDriver, name: str) -> None:
    function, specs, arguments = PROGRAMS[name]
    library = exported(tmp_path, driver, specs, function)
    for _ in range(2):
        got, expected = flat(library(*arguments)), flat(function(*arguments))
        assert len(got) == len(expected)
        for found, wanted in zip(got, expected, strict=True):
            assert found.dtype == np.asarray(wanted).dtype
            np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)
    library.close()


def in_a_row(x: Any) -> Any:
    y = x
    for _ in range(4):
        y = np.tanh(x @ y) @ x
    return y.sum()


def test_launches_in_a_row_become_a_graph_of_the_second_call(tmp_path: Path, driver: FakeDriver) -> None:
    library = exported(tmp_path, driver, ["f32[32,32]"], in_a_row)
    for number in range(4):
        x = RANDOM.normal(size=(32, 32)).astype("f4") / 8
        np.testing.assert_allclose(library(x), in_a_row(x), rtol=1e-4)
        assert driver.calls.count("cuGraphLaunch") == number
    assert driver.calls.count("cuGraphInstantiateWithFlags") == 1
    library.close()
    assert driver.calls.count("cuGraphExecDestroy") == driver.calls.count("cuGraphDestroy") == 1


def test_arguments_are_written_where_they_are(tmp_path: Path, driver: FakeDriver) -> None:
    def shifted(x: Any, amount: Any) -> Any:
        x[1:] += amount
        return x

    other = exported(tmp_path, driver, ["f64[?]", "f64"], shifted)
    x = np.arange(4.0)
    assert other(x, 2.0) == {}
    assert x.tolist() == [0, 3, 4, 5]
    assert "result: is x" in (tmp_path / "f.h").read_text()
    other.close()


def test_training_keeps_a_state_on_the_gpu(tmp_path: Path, driver: FakeDriver) -> None:
    net, same = Net(), Net()
    types = [weft.TensorSpec.from_string(text) for text in ("f64[?,8]", "f64[?]")]
    train = weft.function(net.train).get_concrete_function(*types)
    library = ExportedDevice(train.export(str(tmp_path), name="train", target="sm_90a"), driver)
    x, y = RANDOM.normal(size=(20, 8)), RANDOM.normal(size=20)
    for _ in range(3):
        np.testing.assert_allclose(library(x, y), same.train(x, y), rtol=1e-9)
    np.testing.assert_allclose(library.array("w"), same.w, rtol=1e-9)
    assert library.array(".steps") == 3
    library.close()


class Counter:
    """Keeps a number and an array, which two methods use."""

    def __init__(self) -> None:
        self.total = np.zeros(3)
        self.count = 0

    def add(self, x: Any) -> Any:
        """Add to what was added."""
        self.total += x
        self.count += 1
        return self.total * self.count

    def mean(self) -> Any:
        """The mean of what was added."""
        return self.total / self.count


def test_functions_share_a_state_which_is_saved_and_loaded(tmp_path: Path, driver: FakeDriver) -> None:
    counter = Counter()
    add = weft.function(counter.add).get_concrete_function(weft.TensorSpec((3,), "float64"))
    mean = weft.function(counter.mean).get_concrete_function()
    files = weft.export(tmp_path, add=add, mean=mean, library="counter", target="sm_90a")
    stream = driver.stream()
    library = ExportedDevice(files, driver, stream)
    manifest = json.loads(Path(files["manifest"]).read_text())
    assert manifest["device"]["target"] == "sm_90a"
    ones = np.ones(3)
    assert library(ones, name="add").tolist() == [1, 1, 1]
    assert library(3 * ones, name="add").tolist() == [8, 8, 8]
    assert library(name="mean").tolist() == [2, 2, 2]
    size = library.library.counter_size()
    saved = ctypes.create_string_buffer(size)
    library.do("save", library.state, stream, saved)
    assert library(ones, name="add").tolist() == [15, 15, 15]
    length = int.from_bytes(saved.raw[:8], "little")
    assert set(json.loads(saved.raw[8 : 8 + length])) == {"total", ".count"}
    other = ctypes.c_void_p()
    library.do("new", library.device, ctypes.byref(other))
    kept, library.state = library.state, other
    library.do("load", other, stream, saved, ctypes.c_int64(size))
    assert library(name="mean").tolist() == [2, 2, 2]
    library.state = kept
    np.testing.assert_allclose(library(name="mean"), [5 / 3] * 3)
    library.do("delete", other)
    library.close()


def test_random_numbers_are_numpys(tmp_path: Path, driver: FakeDriver) -> None:
    random = np.random.default_rng(5)
    library = exported(
        tmp_path, driver, ["f64[3]"], lambda x: x + random.choice(2**40, 100, replace=False)[:3]
    )
    (function,) = library.manifest["functions"]
    assert function["host_kernels"][0]["reason"] == "it draws random numbers"
    assert "the host does a part of it" in (tmp_path / "f.h").read_text()
    same = np.random.default_rng(5)
    for _ in range(2):
        assert library(np.zeros(3)).tolist() == same.choice(2**40, 100, replace=False)[:3].tolist()
    library.close()


def test_threads_call_one_function_on_streams_of_their_own(tmp_path: Path, driver: FakeDriver) -> None:
    library = exported(tmp_path, driver, ["f64[?]", "i64[4]"], lambda x, i: x[i] * 2)
    failures: list[object] = []

    def work(number: int) -> None:
        own = ExportedDevice.__new__(ExportedDevice)
        own.__dict__.update(library.__dict__ | {"stream": driver.stream()})
        x = np.arange(6.0) + number
        for _ in range(3):
            if own(x, np.array([0, -1, 2, 5])).tolist() != [
                2 * number,
                10 + 2 * number,
                4 + 2 * number,
                10 + 2 * number,
            ]:
                failures.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not failures
    library.close()


def test_the_context_of_the_caller_stays_current(tmp_path: Path, driver: FakeDriver) -> None:
    library = exported(tmp_path, driver, ["f64[?]"], lambda x: x + 1)
    driver.make_current(driver.context)
    try:
        assert library(np.zeros(1)).tolist() == [1]
        assert driver.current() == driver.context.value
    finally:
        driver.make_current(None)
    assert library(np.zeros(1)).tolist() == [1]
    assert driver.current() == 0
    library.close()


def test_a_library_of_an_older_architecture(tmp_path: Path, driver: FakeDriver) -> None:
    library = exported(tmp_path, driver, ["f32[?,?]"], softmax, target="sm_80:native", checked=True)
    np.testing.assert_allclose(library(ROWS), softmax(ROWS), rtol=1e-5)
    library.close()


def test_functions_share_modules_and_machine_code_comes_first(
    tmp_path: Path, driver: FakeDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Assembled(b"\x7fELF of no GPU", {})
    monkeypatch.setattr(export_library, "find_assembler", lambda: "ptxas")
    monkeypatch.setattr(export_library, "assemble", lambda ptx, arch: made)
    concrete = weft.function(softmax).get_concrete_function(weft.TensorSpec((None, None), "float32"))
    files = weft.export(tmp_path, one=concrete, other=concrete, library="both", target="sm_90a")
    library = ExportedDevice(files, driver)
    modules = library.manifest["device"]["modules"]
    assert library.manifest["device"]["has_machine_code"]
    assert driver.calls.count("cuModuleLoadDataEx") == 2 * modules  # of which the emulator refuses the first
    assert driver.calls.count("cuModuleGetFunction") == 2 * len(library.manifest["functions"][0]["kernels"])
    for name in ("one", "other"):
        np.testing.assert_allclose(library(ROWS, name=name), softmax(ROWS), rtol=1e-5)
    library.close()
    assert driver.calls.count("cuModuleUnload") == modules


def test_a_program_in_c(tmp_path: Path, driver: FakeDriver) -> None:
    types = weft.TensorSpec((None, None), "float32")
    concrete = weft.function(softmax).get_concrete_function(types)
    files = concrete.export(str(tmp_path), name="f", target="sm_90a", kind="static")
    source, program = Path(__file__).with_name("gpu_softmax.c"), tmp_path / "libprogram.so"
    flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-I", str(tmp_path)]
    subprocess.run(["cc", *flags, str(source), files["static"], "-o", str(program)], check=True)
    text, stream = ctypes.create_string_buffer(200), driver.stream()
    x, result = driver.put(ROWS), driver.put(ROWS)
    given = (driver.context, stream, str(driver.path).encode(), x, *map(ctypes.c_int64, ROWS.shape), result)
    run = ctypes.CDLL(str(program)).run
    assert run(*given, text, ctypes.c_int64(200)) == 0, text.value
    found = driver.get(result, weft.dialect.types.TensorType(ROWS.shape, ROWS.dtype), ROWS.shape, stream)
    np.testing.assert_allclose(found, softmax(ROWS), rtol=1e-5)
    for address in (x, result):
        driver.free(address)
    needed = subprocess.run(["readelf", "-d", str(program)], capture_output=True, text=True, check=False)
    assert "cuda" not in needed.stdout
    if shutil.which("c++"):
        include = tmp_path / "include.cpp"
        include.write_text('#include "f.h"\nint main() { return f_open == nullptr; }\n')
        command = ["c++", "-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-Wno-address"]
        subprocess.run([*command, "-I", str(tmp_path), str(include)], check=True)
