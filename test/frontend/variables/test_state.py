"""`weft.state`, `save_state` and `load_state`: the arrays of objects by name, and in files."""

from __future__ import annotations

import json
import random
from collections import deque
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest

import weft
from weft.dialect.dtypes import ALL_DTYPES


class Moments(NamedTuple):
    first: np.ndarray
    second: np.ndarray


@dataclass
class Layer:
    w: np.ndarray
    b: weft.Variable
    rate: float = 0.1
    parts: list = field(default_factory=list)


class Slotted:
    __slots__ = ("table",)

    def __init__(self):
        self.table = {"a": np.arange(2), 3: np.arange(3)}


class Model:
    def __init__(self):
        self.layers = [Layer(np.ones((2, 3)), weft.Variable(np.zeros(3))) for _ in range(2)]
        self.layers[1].parts = [self.layers[0], self.layers[0].w]  # found before
        self.moments = Moments(np.zeros(2), np.ones(2, np.float32))
        self.slotted, self.steps, self.name = Slotted(), weft.Variable(0), "model"
        self.itself = self

    @weft.function
    def step(self, x):
        """Change everything."""
        for layer in self.layers:
            layer.w += x
            layer.b.assign_sub(x)
        self.moments.first[...] = x
        self.steps += 1
        return self.layers[0].w.sum()


NAMES = [
    "layers.0.w", "layers.0.b", "layers.1.w", "layers.1.b", "moments.first", "moments.second", "slotted.table.a",
    "slotted.table.3", "steps",
]  # fmt: skip


def test_the_arrays_by_their_names():
    model = Model()
    found = weft.state(model)
    assert list(found) == NAMES
    assert found["layers.0.b"] is model.layers[0].b.value
    assert found["slotted.table.3"] is model.slotted.table[3]
    assert weft.state(np.zeros(2))[""].shape == (2,)
    assert weft.state([1, "a", np.float64(2), None, len, Model]) == {}
    with pytest.raises(ValueError, match="two arrays have the name '1'"):
        weft.state({1: np.zeros(2), "1": np.zeros(2)})
    with pytest.raises(weft.UnsupportedError, match="outside of the compiled function"):
        weft.function(lambda: weft.state(model) and 1)()


@pytest.mark.parametrize("ending", ["npz", "safetensors"])
def test_a_program_goes_on_from_a_file(tmp_path, ending):
    path = tmp_path / f"model.{ending}"
    model, other = Model(), Model()
    model.step(np.float64(2))
    weft.save_state(model, path)
    assert [p.name for p in tmp_path.iterdir()] == [path.name]  # no draft is left
    other.step(np.float64(5))
    arrays, traces = weft.state(other), Model.step.trace_count
    weft.load_state(other, str(path))
    for one, before, expected in zip(
        weft.state(other).values(), arrays.values(), weft.state(model).values(), strict=True
    ):
        assert one is before
        assert one.dtype == expected.dtype
        np.testing.assert_array_equal(one, expected)
    assert other.step(np.float64(1)) == model.step(np.float64(1))
    assert int(other.steps) == 2
    assert Model.step.trace_count == traces


@pytest.mark.parametrize("ending", ["npz", "safetensors"])
def test_every_dtype_and_shape(tmp_path, ending):
    path = tmp_path / f"arrays.{ending}"
    arrays = {
        d.name: np.arange(6).astype(d).reshape(2, 3).T
        for d in ALL_DTYPES
        if ending == "npz" or d.name != "complex128"
    }
    arrays |= {
        "scalar": np.array(3.5),
        "none": np.zeros((0, 4)),
        "file": np.arange(3, dtype=">i4"),
        "a/b ü": np.ones(1),
    }
    weft.save_state(arrays, path)
    found = {name: np.zeros(array.shape, array.dtype) for name, array in arrays.items()}
    if ending == "safetensors":
        found["file"] = found["file"].astype("i4")  # files are in one order of bytes
    weft.load_state(found, path)
    for name, array in arrays.items():
        np.testing.assert_array_equal(found[name], array)


def test_the_format_of_safetensors(tmp_path):
    path = tmp_path / "a.safetensors"
    weft.save_state({"w": np.float32([1, 2]), "n": np.array(3, np.int16)}, path)
    content = path.read_bytes()
    length = int.from_bytes(content[:8], "little")
    assert length % 8 == 0
    assert json.loads(content[8 : 8 + length]) == {
        "w": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]},
        "n": {"dtype": "I16", "shape": [], "data_offsets": [8, 10]},
    }
    assert content[8 + length :] == np.float32([1, 2]).tobytes() + np.int16(3).tobytes()


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"w": np.zeros(2)}, ValueError, "it lacks 'b'$"),
        ({"w": np.zeros(2), "b": np.zeros(3), "c": 1}, ValueError, "holds 'c', which the object has not"),
        ({"w": np.zeros(2), "b": np.zeros(4)}, ValueError, r"b has shape \(3,\), but the mapping .* \(4,\)"),
        ({"w": np.zeros(2), "b": np.zeros(3, "f4")}, TypeError, "b has dtype float64, but .* float32"),
    ],
)
def test_what_does_not_fit_changes_nothing(given, error, message):
    own = {"w": np.ones(2), "b": np.ones(3)}
    with pytest.raises(error, match=message):
        weft.load_state(own, given)
    assert own["w"].sum() + own["b"].sum() == 5


def test_arrays_that_cannot_be_written_or_stored(tmp_path):
    with pytest.raises(ValueError, match="w is read-only"):
        weft.load_state({"w": weft.constant(np.ones(2))}, {"w": np.zeros(2)})
    with pytest.raises(ValueError, match="of complex128, which the format has not"):
        weft.save_state({"w": np.ones(2) * 1j}, tmp_path / "a.safetensors")
    with pytest.raises(ValueError, match="which tell the format"):
        weft.save_state({"w": np.ones(2)}, tmp_path / "a.pickle")
    with pytest.raises(FileNotFoundError):
        weft.load_state({}, tmp_path / "b.npz")
    assert not list(tmp_path.iterdir())


def _safetensors(header, data=b"12345678"):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


def _entry(dtype="F64", shape=(1,), offsets=(0, 8)):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets)}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"123", "ends within its header"),
        ((2**63).to_bytes(8, "little") + b"{}", "ends within its header"),
        (_safetensors(b"{nothing"), "not JSON"),
        (_safetensors(b"\xff\xfe"), "not JSON"),
        (_safetensors(b'{"w": 1, "w": 2}'), "a name comes twice"),
        (_safetensors([1]), "names no arrays"),
        (_safetensors({"w": 5}), "does not say what 'w' is"),
        (_safetensors({"w": _entry(shape=(-1,))}), "does not say what 'w' is"),
        (_safetensors({"w": _entry(offsets=(0, 8.0))}), "does not say what 'w' is"),
        (_safetensors({"w": _entry(dtype="F8_E4M3")}), "dtype 'F8_E4M3', which is not supported"),
        (_safetensors({"w": _entry(dtype=["F64"])}), "is not supported|does not say"),
        (_safetensors({"w": _entry(shape=(2,))}), "another number of bytes"),
        (_safetensors({"w": _entry(shape=(2**62, 4), offsets=(0, 0))}), "another number of bytes"),
        (_safetensors({"w": _entry(offsets=(8, 16))}), "another number of bytes"),
        (_safetensors({"w": _entry(), "v": _entry()}), "overlap"),
        (_safetensors({"w": _entry()}, b"1" * 16), "16 bytes of elements, and names 8"),
    ],
)
def test_damaged_files(tmp_path, content, message):
    path = tmp_path / "w.safetensors"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=message):
        weft.load_state({"w": np.zeros(1)}, path)


def test_files_that_were_cut_off(tmp_path):
    for ending in ("npz", "safetensors"):
        path = tmp_path / f"w.{ending}"
        weft.save_state({"w": np.arange(4.0), "v": np.arange(3)}, path)
        content = path.read_bytes()
        for length in range(0, len(content), 7):
            path.write_bytes(content[:length])
            with pytest.raises(ValueError, match="damaged"):
                weft.load_state({"w": np.zeros(4), "v": np.zeros(3, int)}, path)
    np.save(tmp_path / "one.npy", np.zeros(3))
    (tmp_path / "one.npy").rename(tmp_path / "one.npz")
    with pytest.raises(ValueError, match="one array without a name"):
        weft.load_state({"w": np.zeros(3)}, tmp_path / "one.npz")
    np.savez(tmp_path / "objects.npz", w=np.array([{}], object))
    with pytest.raises(ValueError, match="allow_pickle"):
        weft.load_state({"w": np.zeros(1)}, tmp_path / "objects.npz")


GENERATORS = {
    "PCG64": lambda seed: np.random.default_rng(seed),
    "Philox": lambda seed: np.random.Generator(np.random.Philox(seed)),
    "SFC64": lambda seed: np.random.Generator(np.random.SFC64(seed)),
    "MT19937": lambda seed: np.random.Generator(np.random.MT19937(seed)),
    "RandomState": lambda seed: np.random.RandomState(seed),
    "Random": random.Random,
}


def drawn(generator):
    """Numbers of the kinds that generators keep something of for the next ones."""
    if isinstance(generator, random.Random):
        return [generator.gauss(0, 1), generator.random()]
    few = (
        generator.integers(9, size=3, dtype=np.uint32)
        if hasattr(generator, "integers")
        else generator.randn(3)
    )
    return [*few, *generator.random(2)]


@pytest.mark.parametrize("kind", GENERATORS)
@pytest.mark.parametrize("ending", ["npz", "safetensors"])
def test_generators_go_on_where_they_were(kind, ending, tmp_path):
    stopped = {"noise": GENERATORS[kind](1), "w": np.ones(2)}
    stopped["again"] = stopped["noise"]
    drawn(stopped["noise"])
    path = tmp_path / f"state.{ending}"
    weft.save_state(stopped, path)
    assert list(weft.state(stopped)) == [f"noise.{kind}", "w"]
    following = drawn(stopped["noise"])
    resumed = {"noise": GENERATORS[kind](2), "w": np.zeros(2)}
    weft.load_state(resumed, path)
    assert drawn(resumed["noise"]) == following


def test_a_generator_in_an_attribute_of_compiled_code(tmp_path):
    class Noisy:
        def __init__(self, seed):
            self.generator = np.random.default_rng(seed)
            self.layers = deque([np.ones(2)])
            self.others = SimpleNamespace(w=np.ones(1))
            self.table = np.array([np.zeros(3), None], dtype=object)

        @weft.function
        def draw(self):
            return self.generator.random(3)

    stopped, resumed = Noisy(1), Noisy(2)
    stopped.draw()
    weft.save_state(stopped, tmp_path / "state.npz")
    assert list(weft.state(stopped)) == ["generator.PCG64", "layers.0", "others.w", "table.0"]
    weft.load_state(resumed, tmp_path / "state.npz")
    np.testing.assert_array_equal(stopped.draw(), resumed.draw())


def test_a_generator_of_another_kind_is_refused():
    state = weft.state({"noise": random.Random(1)})
    with pytest.raises(ValueError, match=r"lacks 'noise.PCG64' and holds 'noise.Random'"):
        weft.load_state({"noise": np.random.default_rng(1)}, state)
