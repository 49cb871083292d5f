"""What the pages on files, gradients and training say in sentences, tried."""

from __future__ import annotations

import traceback
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

import weft
from support.claims import Claims, require

CLAIMS = Claims()
claim = CLAIMS.claim
X: Any = np.array([1.0, 2.0, 2.0])
VECTOR = weft.TensorSpec([None], "float64")


def through_a_file(**functions: Any) -> Any:
    """What a file of functions gives back."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "functions.weft"
        weft.save(path, **functions)
        return weft.load(path)


def refused_in_files(function: Any, *arguments: Any) -> None:
    compiled = weft.function(function)
    compiled(*arguments)
    with pytest.raises(weft.NotPortable):
        through_a_file(f=compiled)


def slope(function: Callable[[Any], Any], at: Any) -> Any:
    return weft.grad(function)(at)


@claim("files.md", "such an extent does not stretch")
def _() -> None:
    added = through_a_file(f=weft.function(lambda x, y: x + y).get_concrete_function(VECTOR, VECTOR)).f
    assert isinstance(added, weft.Function)
    assert (added(X, X) == 2 * X).all()
    with pytest.raises(ValueError, match=r"3.*1|1.*3"):
        added(X, np.ones(1))


@claim("files.md", "Errors show the lines of the source by the names of\n  its files")
def _() -> None:
    element = weft.function(lambda x, i: x[i])
    element(X, np.int64(0))
    loaded = through_a_file(f=element).f
    with pytest.raises(IndexError) as caught:
        loaded(X, np.int64(9))
    last = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert Path(last.filename).name == Path(__file__).name
    assert "x[i]" in (last.line or "")


@claim("files.md", "refused where it was an int")
def _() -> None:
    class Counter:
        def __init__(self) -> None:
            self.number = 0

        @weft.function
        def add(self, x: Any) -> Any:
            self.number = self.number + x
            return self.number * 1.0

    added = Counter().add.get_concrete_function(weft.TensorSpec([], "float64"))
    with pytest.raises(weft.NotPortable, match=r"it changes self.number from i64\[\] to f64\[\]"):
        through_a_file(f=added)


@claim("files.md", "an array of which another one reads a part under another name, that is refused")
def _() -> None:
    class Parts:
        def __init__(self) -> None:
            self.whole = np.zeros(4)
            self.part = self.whole[1:3]

        @weft.function
        def write(self, x: Any) -> None:
            self.whole += x

        @weft.function
        def read(self, x: Any) -> Any:
            return self.part + x

    parts = Parts()
    parts.write(1.0)
    parts.read(np.ones(2))
    with pytest.raises(weft.NotPortable):
        through_a_file(write=parts.write, read=parts.read)


@claim(
    "files.md",
    "Lists and dicts of lengths that only the run tells, and objects of other classes, are refused",
)
def _() -> None:
    @dataclass
    class Pair:
        x: Any

    def growing(x: Any) -> Any:
        found = []
        for value in x:
            if value > 1:
                found.append(value)
        return found

    refused_in_files(growing, X)
    refused_in_files(lambda x: Pair(x + 1), X)


@claim("files.md", "A zip: `manifest.json` (versions, and for each function")
def _() -> None:
    class Scaled:
        def __init__(self) -> None:
            self.scale = np.full(3, 2.0)

        @weft.function
        def run(self, x: Any) -> Any:
            self.scale += 1
            return x * self.scale

    scaled = Scaled()
    scaled.run(X)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "functions.weft"
        weft.save(path, run=scaled.run)
        names = zipfile.ZipFile(path).namelist()
        with pytest.raises(weft.ArtifactError, match="max_bytes"):
            weft.load(path, max_bytes=100)
    assert {"manifest.json", "state.safetensors"} < set(names)
    assert [name for name in names if name.endswith(".mlir")] == [name for name in names if "code/" in name]


@claim("gradients.md", "any number of times, for one run of `f`")
def _() -> None:
    def twice(x: Any) -> Any:
        calls = np.zeros(1)

        def square(x: Any) -> Any:
            calls[0] += 1
            return x * x

        _, pullback = weft.vjp(square, x)
        return pullback(np.ones(3))[0], pullback(2 * np.ones(3))[0], calls

    first, second, calls = weft.function(twice)(X)
    assert (first == 2 * X).all()
    assert (second == 4 * X).all()
    assert calls == 1


@dataclass
class Weights:
    w: Any
    name: str


@claim("gradients.md", "or a list, tuple, dict or dataclass of these\n  and other things")
def _() -> None:
    found = slope(lambda p: np.sum(p[0].w ** 2) + p[1]["b"], [Weights(X, "w"), {"b": np.float64(1), "n": 2}])
    assert (found[0].w == 2 * X).all()
    assert (found[0].name, found[1]["b"], found[1]["n"]) == (None, 1, None)


@claim("gradients.md", "What does not depend on the argument has a gradient of zeros")
def _() -> None:
    assert (slope(lambda x: np.float64(3), X) == 0).all()


@claim(
    "gradients.md",
    "`floor`, `ceil`, `trunc`, `rint`, `sign`, `floor_divide` and comparisons have derivative zero",
)
def _() -> None:
    def all_of_them(x: Any) -> Any:
        whole = np.floor(x) + np.ceil(x) + np.trunc(x) + np.rint(x) + np.sign(x) + x // 0.3
        return np.sum(whole + (x > 1.5))

    assert (slope(all_of_them, X + 0.2) == 0).all()


@claim("gradients.md", "both get half at a tie if by both is\n  differentiated; else x gets nothing")
def _() -> None:
    both = weft.grad(lambda x, y: np.maximum(x, y), argnums=(0, 1))
    assert both(1.0, 1.0) == (0.5, 0.5)
    assert slope(lambda x: np.maximum(x, 1.0), np.float64(1)) == 0


@claim("gradients.md", "that of `std` of equal numbers, too")
def _() -> None:
    assert (slope(np.std, np.ones(3)) == 0).all()


@claim("gradients.md", "running extremes to\n  the latest of equal elements")
def _() -> None:
    assert (slope(lambda x: np.maximum.accumulate(x)[-1], X) == [0, 0, 1]).all()


@claim("gradients.md", "What the block computes itself may be asked about, too")
def _() -> None:
    @weft.function
    def by_a_value(x: Any) -> Any:
        with weft.GradientTape() as tape:
            h = x * 2
            y = np.sum(h**2)
        return tape.gradient(y, h), tape.gradient(y, x)

    first, second = by_a_value(X)
    assert (first == 4 * X).all()
    assert (second == 8 * X).all()


@claim("gradients.md", "may be asked any number of times; `persistent=True` is\n  taken, and changes nothing")
def _() -> None:
    @weft.function
    def asked(x: Any) -> Any:
        with weft.GradientTape(persistent=True) as tape:
            y = np.sum(x**2)
        z = y + np.sum(x)  # behind the block, and not seen
        return tape.gradient(y, x), tape.gradient(y, x), z

    first, second, _ = asked(X)
    assert (first == 2 * X).all()
    assert (second == 2 * X).all()


@claim(
    "gradients.md",
    "Where a loop would keep more than `settings.gradient_memory` bytes, 8 MiB if nothing else is said",
)
def _() -> None:
    assert weft.settings.gradient_memory == 8 << 20


@claim("gradients.md", "What loops add up for numbers of 16 bits is float32, and rounded when the loop ends")
def _() -> None:
    def repeated(w: Any) -> Any:
        total = np.float16(0)
        for _ in range(3000):
            total = total + w
        return total

    with np.errstate(all="ignore"):
        assert slope(repeated, np.float16(0.25)) == 3000  # in float16, ones are lost from 2,048 on


@claim("gradients.md", "what `weft.py_call` returns, without `weft.custom_gradient` around it")
def _() -> None:
    with pytest.raises(weft.DifferentiationError):
        slope(lambda x: weft.py_call(np.sum, x, result=weft.TensorSpec([], "float64")), X)


@claim("training.md", "a plain number\nwould do, too, but is not in the [file](#files)")
def _() -> None:
    class Counted:
        def __init__(self) -> None:
            self.plain, self.kept = 0.0, weft.Variable(0.0)

        @weft.function
        def count(self) -> Any:
            self.plain += 1
            self.kept += 1
            return self.plain + self.kept

    counted = Counted()
    assert [counted.count(), counted.count()] == [2, 4]
    assert list(weft.state(counted)) == ["kept"]


@claim("training.md", "breakpoints stop in\neach step, and only the gradient is a compiled function then")
def _() -> None:
    seen = []

    @weft.function
    def step(x: Any) -> Any:
        seen.append(type(x))
        return weft.grad(lambda x: np.sum(x * x))(x)

    assert (step.python_function(X) == 2 * X).all()
    assert seen == [np.ndarray]


@pytest.mark.parametrize(("page", "words", "tried"), CLAIMS.parameters())
def test_what_a_page_says_is_so(page: str, words: str, tried: Callable[[], None]) -> None:
    require(page, words)
    tried()
