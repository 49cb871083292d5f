"""Exported functions called as C calls them: results, state, errors, and what is refused."""

from __future__ import annotations

import _ctypes
import ctypes
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from support.exported_calls import Error, Exported, Failed
from weft.backend.target import host
from weft.dialect.errors import format_message

pytestmark = pytest.mark.skipif(
    shutil.which("cc") is None, reason="there is no C compiler to link libraries with"
)

R = np.array([3.0, -1.0, np.nan, 2.0, -0.0, 5.0])


def exported(folder: Path, specs: list[str], function: Callable[..., Any], **options: Any) -> Exported:
    types = [weft.TensorSpec.from_string(spec) for spec in specs]
    concrete = weft.function(function).get_concrete_function(*types)
    return Exported(concrete.export(str(folder), name="f", target="native", **options))


def flat(result: Any) -> list[Any]:
    if isinstance(result, dict):
        return [leaf for value in result.values() for leaf in flat(value)]
    return (
        [leaf for value in result for leaf in flat(value)] if isinstance(result, (tuple, list)) else [result]
    )


PROGRAMS: dict[str, tuple[Callable[..., Any], list[str], list[Any]]] = {
    "sizes that data decides": (lambda x: (x[x > 0], x * 2), ["f64[?]"], [R]),
    "nothing of a size that data decides": (lambda x: x[x > 9], ["f64[?]"], [R]),
    "names of results": (lambda x: {"a": x + 1, "b": [x.sum(), x[0]]}, ["f64[6]"], [R]),
    "a view of what is computed": (lambda x: (x + 1).T[::-1], ["f64[?,?]"], [np.arange(6.0).reshape(2, 3)]),
    "a view of an argument": (lambda x: x[1:4][::-1], ["f64[?]"], [R]),
    "one array twice": (lambda x: (lambda y: (y, y))(x * 2), ["f64[?]"], [R]),
    "complex numbers": (
        lambda x, c: x * c,
        ["c64[?]", "c64[]"],
        [np.array([1 + 2j], "c8"), np.complex64(2j)],
    ),
    "booleans": (lambda x, b: x ^ b, ["bool[2]", "bool[]"], [np.array([True, False]), np.True_]),
    "halves": (lambda x, h: x * h, ["f16[2]", "f16[]"], [np.array([1, 2.5], "f2"), np.float16(3)]),
    "small integers": (
        lambda x, a, b: x * a + b,
        ["i8[2]", "i8[]", "u8[]"],
        [np.array([1, -2], "i1"), np.int8(-3), np.uint8(200)],
    ),
    "a sort": (lambda x: np.sort(x), ["f64[?]"], [np.linspace(9, -7, 3000) * np.sin(np.arange(3000))]),
    "a short sort with NaN": (lambda x: np.sort(x), ["f32[?]"], [np.tile(R, 3).astype("f4")]),
    "a sort of complex numbers": (
        lambda x: (np.sort(x), np.argsort(x, stable=True)),
        ["c128[?]"],
        [np.array([2 + 1j, 2 - 1j, np.nan + 1j, 1, complex(1, np.nan), 2 + 1j, -1, 0.0, -0.0, 7])],
    ),
    "places of sorted integers": (
        lambda x: np.argsort(x, axis=0, stable=True),
        ["i32[?,2]"],
        [np.arange(60, dtype="i4").reshape(30, 2) * 7 % 5],
    ),
    "more than fits on the stack": (
        lambda x: ((np.zeros((500, 500)) + x[0]) @ x[:500]).sum(),
        ["f64[500]"],
        [np.ones(500)],
    ),
    "no arguments": (lambda: np.arange(3), [], []),
    "a number": (lambda x: len(x), ["f64[?]"], [R]),
    "a loop": (lambda x, n: weft_loop(x, n), ["f64[2]", "i64[]"], [np.ones(2), np.int64(5)]),
}


def weft_loop(x: Any, n: Any) -> Any:
    """Powers of a matrix of two numbers."""
    total = x * 1
    for i in range(n):
        total = total * 2 + i
    return total


@pytest.mark.parametrize("name", PROGRAMS)
def test_results_are_those_of_numpy(tmp_path: Path, name: str) -> None:
    function, specs, arguments = PROGRAMS[name]
    got = flat(exported(tmp_path, specs, function)(*arguments))
    expected = flat(function(*arguments))
    assert len(got) == len(expected)
    for found, wanted in zip(got, expected, strict=True):
        assert found.dtype == np.asarray(wanted).dtype
        np.testing.assert_allclose(found, wanted, rtol=1e-6)


def recursive(n: int) -> Any:
    return n if n < 2 else recursive(n - 1) + recursive(n - 2)


def endless(n: int) -> Any:
    return n if n > 10**9 else endless(n + 1) + 1


def test_recursion(tmp_path: Path) -> None:
    assert exported(tmp_path / "a", ["i64"], recursive)(12) == 144
    with pytest.raises(Failed, match="recursion") as failure:
        exported(tmp_path / "b", ["i64"], endless)(0)
    assert failure.value.code == 17


def test_more_arrays_than_are_parameters_of_the_planned_function(tmp_path: Path) -> None:
    def total(*arrays: Any) -> Any:
        result = arrays[0]
        for array in arrays[1:]:
            result = result + array
        return result

    arrays = [np.full((2, 3), float(i)) for i in range(70)]
    np.testing.assert_array_equal(exported(tmp_path, ["f64[2,3]"] * 70, total)(*arrays), total(*arrays))


def test_an_argument_that_is_returned_is_told_and_not_copied(tmp_path: Path) -> None:
    def shifted(x: Any) -> Any:
        x += 1
        return x, 3

    x = np.zeros(3)
    library = exported(tmp_path, ["f64[?]"], shifted)
    assert library(x) == {}
    np.testing.assert_array_equal(x, 1)
    assert library.manifest["functions"][0]["same"] == [
        {"name": "result_0", "as": "x"},
        {"name": "result_1", "as": "3"},
    ]
    assert "result_0: is x, result_1: is 3" in (tmp_path / "f.h").read_text()


def names(w: Any, a0: Any, error: Any, state: Any, x: Any, x_0: Any, sizes: Any, code: Any, done: Any) -> Any:
    return w * 1, {"x": a0 + error + state + x[0] + x_0 + sizes + code, "x_0": done}


def doubled(x: Any, y: Any, n: Any) -> Any:
    for _ in range(n):
        x = x * 2
    if x[0] > 10:
        y = x[1:]
    elif n == 0:
        y = y[::2] if x[1] > 0 else np.zeros(1)
    return x, y


def test_one_of_several_arrays_as_a_condition_decides(tmp_path: Path) -> None:
    library = exported(tmp_path, ["f64[?]", "f64[?]", "i64"], doubled)
    y = np.arange(5.0)
    for x, n in (([1.0, 2.0], 0), ([1.0, -2.0], 0), ([1.0, 2.0], 2), ([8.0, 3.0], 1), ([80.0, 3.0], 0)):
        got = library(np.array(x), y, n)
        for found, wanted in zip(got.values(), doubled(np.array(x), y, n), strict=True):
            np.testing.assert_array_equal(found, wanted)


def test_a_result_has_the_type_that_those_of_its_paths_promote_to(tmp_path: Path) -> None:
    def chosen(x: Any, y: Any, n: Any) -> Any:
        return x if n > 0 else y

    concrete = weft.function(chosen).get_concrete_function(
        *map(weft.TensorSpec.from_string, ("f64[2]", "i64[2]", "i64"))
    )
    x, y = np.array([0.5, 1.5]), np.array([2**53 + 1, 3])
    assert concrete(x, y, np.int64(0)) is y
    library = Exported(concrete.export(str(tmp_path / "out"), name="f"))
    for n, kept in ((1, x), (0, y.astype(float))):
        found = library(x, y, np.int64(n))
        assert found.dtype == np.float64
        np.testing.assert_array_equal(found, kept)
    weft.save(tmp_path / "f.weft", f=concrete)  # which tells types apart
    loaded = weft.load(tmp_path / "f.weft").f
    assert loaded(x, y, np.int64(1)) is x
    assert loaded(x, y, np.int64(0)) is y


def test_names_that_the_interface_uses_itself(tmp_path: Path) -> None:
    specs = ["f64[?,?]", "f64", "f64", "f64", "f64[?]", "f64", "f64", "f64", "f64"]
    library = exported(tmp_path, specs, names)
    found = library(np.ones((1, 2)), 1.0, 2.0, 3.0, np.ones(2), 4.0, 5.0, 6.0, 7.0)
    assert [np.asarray(f).tolist() for f in found.values()] == [[[1, 1]], 22]
    told = [argument["name"] for argument in library.manifest["functions"][0]["arguments"]]
    assert told == ["w", "a0", "error_", "state_", "x", "x_0_", "sizes_", "code", "done"]


def test_functions_of_files_and_signatures_of_one_spec(tmp_path: Path) -> None:
    def total(a: Any, b: Any) -> Any:
        return a + 2 * b

    spec = weft.TensorSpec([None], "float64")
    weft.save(tmp_path / "total.weft", total=weft.function(total, input_signature=[spec] * 2))
    files = weft.export(tmp_path, weft.load(tmp_path / "total.weft").total, target="native")
    np.testing.assert_array_equal(Exported(files)(np.ones(2), np.arange(2.0)), [1, 3])


def test_weights_are_constants(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    first, second = (weft.constant(rng.normal(size=s).astype("f4")) for s in ((64, 300), (300, 10)))

    def layers(x: Any) -> Any:
        return np.maximum(x @ first, 0) @ second

    library = exported(tmp_path, ["f32[?,64]"], layers)
    for rows in (1, 50):
        x = rng.normal(size=(rows, 64)).astype("f4")
        np.testing.assert_allclose(library(x), layers(x), rtol=1e-3, atol=1e-4)


# State


def test_random_numbers_are_those_of_the_generator(tmp_path: Path) -> None:
    rng = np.random.default_rng(7)

    def noisy(x: Any) -> Any:
        return x + rng.normal(size=x.shape), rng.integers(0, 9, 3)

    library = exported(tmp_path, ["f64[4]"], noisy)
    for _ in range(2):
        for found, wanted in zip(library(np.zeros(4)).values(), noisy(np.zeros(4)), strict=True):
            np.testing.assert_array_equal(found, wanted)


def test_what_nobody_writes_is_in_the_library(tmp_path: Path) -> None:
    weights = np.arange(24.0).reshape(4, 6)
    library = exported(tmp_path, ["f64[?,4]"], lambda x: x @ weights)
    x = np.ones((2, 4))
    np.testing.assert_allclose(library(x), x @ weights)
    assert library.manifest["state"] == []


class Counter:
    def __init__(self) -> None:
        self.seen = 0
        self.sums = {"a b": np.zeros(2, "f4")}

    def add(self, x: Any) -> Any:
        self.seen += 1
        self.sums["a b"] += x
        return self.sums["a b"] / self.seen

    def read(self) -> Any:
        return self.sums["a b"], self.seen


def test_functions_share_a_state(tmp_path: Path) -> None:
    counter = Counter()
    x = np.ones(2, "f4")
    add = weft.function(counter.add).get_concrete_function(x)
    read = weft.function(counter.read).get_concrete_function()
    files = weft.export(tmp_path, library="both", target="native", add=add, read=read)
    library = Exported(files)
    library(x, name="add")
    np.testing.assert_array_equal(library(3 * x, name="add"), [2, 2])
    np.testing.assert_array_equal(library.array(library.manifest["state"][1]["key"]), 4)
    assert library(name="read") == {"result_1": 2}
    assert counter.seen == 0


class Best:
    """Keeps what may be of another type than at first."""

    def __init__(self, first: Any) -> None:
        self.best = first

    @weft.function
    def step(self, x: Any) -> Any:
        if x.sum() > self.best:
            self.best = x.sum()
        return self.best * 2


@pytest.mark.parametrize(("first", "type"), [(0, r"i64\[\]"), (np.float32(0), r"f32\[\]")])
def test_a_state_that_changes_its_type_is_refused(tmp_path: Path, first: Any, type: str) -> None:
    own = Best(first)
    step = own.step.get_concrete_function(np.ones(2))
    message = rf"it changes self\.best from {type} to f64\[\], .*: let it be of f64\[\] from the start"
    with pytest.raises(weft.NotPortable, match=message):
        weft.export(tmp_path / "out", step=step)
    with pytest.raises(weft.NotPortable, match=message):
        weft.save(tmp_path / "step.weft", step=step)
    floats = Best(0.0)
    library = Exported(floats.step.get_concrete_function(np.ones(2)).export(str(tmp_path / "out"), name="f"))
    assert [library(np.array([1.25, n])) for n in (1.5, 4.0, 1.0)] == [5.5, 10.5, 10.5]


def test_what_is_saved_is_a_file_of_arrays(tmp_path: Path) -> None:
    counter = Counter()
    add = weft.function(counter.add).get_concrete_function(np.ones(2, "f4"))
    library = Exported(add.export(str(tmp_path), name="f", target="native"))
    library(np.ones(2, "f4"))
    size = library.library.f_size()
    buffer = ctypes.create_string_buffer(size)
    library.library.f_save(library.state, buffer)
    (tmp_path / "state.safetensors").write_bytes(buffer.raw)
    from weft.frontend.variables.state_files import read_arrays

    found = read_arrays(str(tmp_path / "state.safetensors"))
    assert sorted(array.tolist() for array in found.values() if array.ndim == 0) == [1]
    assert [array.tolist() for array in found.values() if array.ndim] == [[1, 1]]


# Errors


def refuse(x: Any) -> Any:
    if x[0] > 2:
        raise ValueError(f"{x[0]} is more than {x[1]}, {{}}")
    return x


@pytest.fixture(scope="module")
def refusing(tmp_path_factory: pytest.TempPathFactory) -> Exported:
    return exported(tmp_path_factory.mktemp("refusing"), ["f64[2]"], refuse)


@pytest.mark.parametrize(
    "numbers",
    [
        (2.5, 1e16),
        (1e22, -1.5e-7),
        (123456.0, 0.1),
        (3.0, 1e-4),
        (np.inf, np.nan),
        (1e100, 0.00012),
        (5e3, -0.0),
    ],
)
def test_floats_in_messages_are_written_as_by_python(refusing: Exported, numbers: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match=" is more than ") as expected:
        refuse(np.array(numbers))
    with pytest.raises(Failed) as failure:
        refusing(np.array(numbers))
    assert str(failure.value) == str(expected.value)


def test_smaller_floats_in_messages(tmp_path: Path) -> None:
    message = "{0:float16} {0:float32}"
    text = f"""func.func @f(%c: tensor<i1>, %bits: tensor<i64>) {{
      "weft.raise_if"(%c, %bits) {{error = "ValueError", message = "{message}"}} : (tensor<i1>, tensor<i64>) -> ()
      return
    }}"""
    library = Exported(weft.from_mlir(text).get_concrete_function().export(str(tmp_path), target="native"))
    halves = [0.1, -1e-7, np.inf, 0.0, 65504, 6e-5]
    for bits in [
        *(int(np.float16(x).view(np.int16)) for x in halves),
        int(np.float32(0.1).view(np.int32)),
        32705,
    ]:
        with pytest.raises(Failed) as failure:
            library(True, bits)
        assert str(failure.value) == format_message(message, [bits])


def test_places_and_lines_of_errors(tmp_path: Path) -> None:
    library = exported(tmp_path, ["f64[?]", "i64"], lambda x, i: x[i])
    with pytest.raises(Failed, match="index 7 is out of bounds for axis 0 with size 6") as failure:
        library(R, 7)
    assert failure.value.code == 1
    known = next(e for e in library.manifest["errors"] if e["number"] == failure.value.place)
    assert known["error"] == "IndexError"
    assert known["place"].startswith("test_calls.py:")


def add_rows(a: Any, b: Any) -> Any:
    a += b[:, :2]
    return a * 2


def test_a_checking_library_looks_at_its_arguments(tmp_path: Path) -> None:
    library = exported(tmp_path, ["f64[?,2]", "f64[?,4]"], add_rows, checked=True)
    a, b = np.ones((3, 2)), np.ones((3, 4))
    assert library(a, b).tolist() == [[4, 4]] * 3
    memory = np.zeros(100)

    def call(*words: Any) -> str:
        error = Error()
        given = [
            ctypes.c_void_p(w) if isinstance(w, int) and w > 99 else ctypes.c_int64(w or 0) for w in words
        ]
        code = library.library.f(*given, ctypes.byref(error))
        return library.describe(error) if code else "fine"

    at = memory.ctypes.data
    assert call(at, 3, at + 48, 3, at + 400) == "fine"
    assert call(None, 3, at, 3, at + 400) == "the address of array 0 of the call is NULL"
    assert call(at, 3, at + 100, 3, at + 400) == (
        "the address of array 1 of the call is no multiple of the size of its elements"
    )
    assert call(at, -1, at, 3, at + 400) == "an extent of array 0 of the call is negative"
    overlap = "arrays {} and {} of the call overlap, and one of them is written"
    assert call(at, 3, at + 40, 3, at + 400) == overlap.format(0, 1)
    assert call(at, 3, at + 48, 3, at + 80) == overlap.format(1, 2)
    assert call(None, 0, None, 0, None) == "fine"
    assert call(at, 3, at + 48, 3, None) == "the address of array 2 of the call is NULL"


def test_a_checking_library_looks_at_states_and_places_of_blocks(tmp_path: Path) -> None:
    counter = Counter()

    def add(x: Any) -> Any:
        counter.seen += 1
        return x[x > 0]

    library = exported(tmp_path, ["f64[2]"], add, checked=True)
    memory = np.ones(20)
    at = memory.ctypes.data

    def call(*words: int | None) -> str:
        error = Error()
        code = library.library.f(*map(ctypes.c_void_p, words), ctypes.byref(error))
        return library.describe(error) if code else "fine"

    state = library.state.value if library.state else 0
    assert call(state, at, at + 16, at + 24) == "fine"
    assert call(None, at, at + 16, at + 24) == "the state of the call is NULL"
    assert call(state, at, None, at + 24) == "the address of array 1 of the call is NULL"
    assert call(state, at, at + 16, None) == "the address of array 2 of the call is NULL"
    assert "arrays 0 and 1 of the call overlap" in call(state, at, at + 8, at + 32)
    assert library.array(library.manifest["state"][0]["key"]) == 1


# What is refused, before anything is written


def solve(a: Any, b: Any) -> Any:
    return np.linalg.solve(a, b)


def show(x: Any) -> Any:
    print("sum", x.sum())
    return x


def test_code_of_numpy_is_refused_by_its_name_and_line(tmp_path: Path) -> None:
    with pytest.raises(weft.NotPortable, match=r"linalg\.solve.*numpy|numpy.*solve.*test_calls.py:\d+"):
        exported(tmp_path / "out", ["f64[?,?]", "f64[?]"], solve)
    with pytest.raises(weft.NotPortable, match=r"calls Python for `print` at .*test_calls.py:\d+"):
        exported(tmp_path / "out", ["f64[?]"], show)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kind": "dll"}, "no kind 'dll'; there are: shared, static, object, llvm, wasm"),
        ({"target": "vax"}, "there is no target 'vax'"),
        ({"target": "aarch64"}, "links no library for 'aarch64'"),
        ({"library": "a-b"}, r"'a-b' is no name for a library in C: .* \(library=, --library\)"),
        ({"library": "int"}, "'int' is no name"),
        ({"library": "f_sizes", "f_sizes_describe": None}, "would be called f_sizes_describe"),
        ({"library": "f", "f_cpp": None}, "would be called f_cpp"),
        ({"library": "a", "WEFT_OK": None}, "'WEFT_OK' is no name"),
        ({"library": "a", "int64_t": None}, "'int64_t' is no name"),
        (
            {"library": "a", "std": None},
            r"'std' is no name for a function in C: .* \(a keyword, name=, --name\)",
        ),
        ({"library": "sin"}, "'sin' is a function of the C library: give a library another name"),
    ],
)
def test_options_that_there_are_not(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    concrete = weft.function(lambda x: x).get_concrete_function(weft.TensorSpec([None]))
    options = {name: concrete if value is None else value for name, value in options.items()}
    with pytest.raises(ValueError, match=message):
        weft.export(tmp_path / "out", f=concrete, **options)
    assert not (tmp_path / "out").exists()


def test_names_of_a_loaded_file_are_free_in_libraries(tmp_path: Path) -> None:
    concrete = weft.function(lambda x: x * 2).get_concrete_function(weft.TensorSpec([None]))
    files = weft.export(tmp_path / "out", kind="object", path=concrete)
    assert "int32_t path(const double *x" in Path(files["header"]).read_text()


def test_results_that_may_be_no_arrays_are_refused(tmp_path: Path) -> None:
    def perhaps(x: Any, n: Any) -> Any:
        return x * 2 if n > 0 else None

    with pytest.raises(
        weft.NotPortable, match="result of perhaps may be None, or is one of several constants"
    ):
        exported(tmp_path / "out", ["f64[?]", "i64[]"], perhaps)


def test_functions_of_several_signatures_are_refused(tmp_path: Path) -> None:
    doubled = weft.function(lambda x: x * 2)
    with pytest.raises(ValueError, match="nothing was compiled"):
        weft.export(tmp_path, doubled=doubled)
    doubled(1.0), doubled(np.ones(2))
    with pytest.raises(ValueError, match="for 2 signatures"):
        weft.export(tmp_path, doubled=doubled)


def test_calls_without_what_they_need(tmp_path: Path) -> None:
    doubled = weft.function(lambda x: x * 2, name="doubled")
    example = r"as in weft\.export\('out', predict=predict\)"
    with pytest.raises(ValueError, match=rf"weft\.export: name a function to write, {example}"):
        weft.export(tmp_path)
    with pytest.raises(TypeError, match=rf"weft\.export writes what weft\.function makes, not 3, {example}"):
        weft.export(tmp_path, three=3)
    with pytest.raises(
        TypeError, match=rf"weft\.export is first told where to write, {example}, and not <weft"
    ):
        weft.export(doubled)
    with pytest.raises(ValueError, match=r"weft\.export: two functions are named doubled"):
        weft.export(tmp_path, doubled, doubled=doubled)


def test_without_a_linker_nothing_is_written(tmp_path: Path) -> None:
    concrete = weft.function(lambda x: x * 2).get_concrete_function(weft.TensorSpec([None]))
    with pytest.raises(
        weft.LinkError, match=r"there is no no-such-cc to link libf\.so: install a C compiler"
    ):
        weft.export(tmp_path, f=concrete, linker="no-such-cc")
    with pytest.raises(OSError, match=r"false cannot link libf\.so"):
        weft.export(tmp_path, f=concrete, linker="false")
    assert list(tmp_path.iterdir()) == []


# Threads


@pytest.mark.optimised
@pytest.mark.skipif(sys.platform != "linux", reason="threads are counted in /proc")
def test_threads_share_loops_and_give_the_same_bits(tmp_path: Path) -> None:
    def smooth(x: Any) -> Any:
        return np.tanh(np.sin(x) * np.cos(x[::-1])) @ x, np.exp(x) + x.sum(axis=0)

    def threads() -> int:
        return len(list(Path("/proc/self/task").iterdir()))

    serial = exported(tmp_path / "serial", ["f64[?,?]"], smooth)
    shared = exported(tmp_path / "shared", ["f64[?,?]"], smooth, threads=True)
    x = np.random.default_rng(0).normal(size=(300, 300))
    expected = serial(x)
    assert shared.manifest["threads"] is True
    for count in (1, 3, 5000, -2):
        shared.library.f_set_threads(ctypes.c_int64(count))
        before = threads()
        for _ in range(3):
            for found, wanted in zip(shared(x).values(), expected.values(), strict=True):
                np.testing.assert_array_equal(found, wanted)
        if count == 3:
            assert threads() == before + 2
    child = os.fork()
    if not child:
        same = all(np.array_equal(a, b) for a, b in zip(shared(x).values(), expected.values(), strict=True))
        os._exit(0 if same else 1)
    assert os.waitpid(child, 0)[1] == 0
    shared.library.f_set_threads(ctypes.c_int64(3))
    shared(x)  # those that there were have ended before the fork
    before = threads()
    _ctypes.dlclose(shared.library._handle)  # its threads end
    assert threads() < before


def test_threads_are_for_this_system(tmp_path: Path) -> None:
    concrete = weft.function(lambda x: x * 2).get_concrete_function(weft.TensorSpec([None]))
    with pytest.raises(ValueError, match="threads=True is for this machine's system"):
        weft.export(tmp_path, f=concrete, kind="object", target=FOREIGN, threads=True)


FOREIGN = "x86-64-v2" if host().triple.startswith(("aarch64", "arm64")) else "aarch64"
