"""Functions of files in the disk cache: who loads a file again compiles nothing, and never runs what is for another."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

import weft
from support.saved_programs import CASES, Model, Program, outcome
from weft.frontend.artifacts.recorded_function import RecordedFunction
from weft.frontend.disk_cache.code_settings import statistics

X = np.linspace(-3, 3, 20)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path) -> Iterator[Path]:
    with weft.settings.scope(cache=True, cache_dir=str(tmp_path / "cache")):
        yield tmp_path / "cache"


def no_compiler() -> Any:
    """Lets functions of files fail that are compiled in a `with` block."""
    return patch.object(RecordedFunction, "_traced", side_effect=AssertionError("it is compiled"))


@pytest.mark.parametrize(("program", "specs", "args"), CASES)
def test_what_was_compiled_once_is_found(
    program: Program, specs: list[Any], args: tuple[Any, ...], tmp_path: Path
) -> None:
    weft.save(tmp_path / "a.weft", f=weft.function(program).get_concrete_function(*specs))
    expected = outcome(weft.load(tmp_path / "a.weft").f, args)
    with no_compiler():
        loaded = weft.load(tmp_path / "a.weft").f
        for _ in range(3):  # the last calls are native
            assert outcome(loaded, args) == expected
        assert loaded.trace_count == 0


def test_state_is_that_of_the_file_that_is_loaded(tmp_path: Path) -> None:
    model, same = Model(), Model()
    for made in (model, same):
        made.fit(np.ones(3)), made.noisy(np.ones(3))
    weft.save(tmp_path / "m.weft", fit=model.fit, noisy=model.noisy)
    weft.load(tmp_path / "m.weft").fit(np.ones(3)), weft.load(tmp_path / "m.weft").noisy(np.ones(3))
    mine = np.zeros(3)
    with no_compiler():
        loaded, other = weft.load(tmp_path / "m.weft"), weft.load(tmp_path / "m.weft", state={"w": mine})
        assert other.fit(np.ones(3)) is mine
        np.testing.assert_array_equal(mine, np.full(3, -0.5))
        for _ in range(3):
            np.testing.assert_array_equal(loaded.fit(np.ones(3)), same.fit(np.ones(3)))
            np.testing.assert_array_equal(loaded.noisy(np.ones(3)), same.noisy(np.ones(3)))
    with pytest.raises(TypeError, match=r"fit needs f64\[3\] as the state 'w'"):
        weft.load(tmp_path / "m.weft", state={"w": np.zeros(4)}).fit(np.ones(3))


def test_constants_are_told_from_arrays_that_may_change() -> None:
    """A weft.constant comes packed, which an array that may change must not."""
    weights = np.arange(60 * 70.0).reshape(60, 70)
    x = np.ones((50, 60))
    f = weft.function(lambda x: x @ weights, name="f")
    expected = f(x)
    path = Path(weft.settings.cache_dir).parent / "f.weft"
    weft.save(path, f)
    (key,) = weft.load(path).state
    for _ in range(2):
        constant = weft.load(path, state={key: weft.constant(weights)})
        np.testing.assert_array_equal(constant.f(x), expected)
        loaded = weft.load(path)
        np.testing.assert_array_equal(loaded.f(x), expected)
        loaded.state[key][...] = 0
        np.testing.assert_array_equal(loaded.f(x), 0)
    assert constant.f.trace_count == loaded.f.trace_count == 0


def test_other_programs_targets_and_types_are_others(tmp_path: Path) -> None:
    def made(factor: float) -> Any:
        concrete = weft.function(lambda x: x * factor, name="f").get_concrete_function(
            weft.TensorSpec([None])
        )
        weft.save(tmp_path / "a.weft", concrete)
        return weft.load(tmp_path / "a.weft").f

    for factor in (2.0, 3.0):
        f = made(factor)
        np.testing.assert_array_equal(f(X), X * factor)
        assert f.trace_count == 1
    found = made(2.0)
    np.testing.assert_array_equal(found(X), X * 2)
    np.testing.assert_array_equal(found(X[:3]), X[:3] * 2)
    assert found.trace_count == 1  # for the other size
    with weft.settings.scope(target="x86-64"):
        again = made(2.0)
        again.get_concrete_function(X)
        assert again.trace_count == 1


def test_functions_of_text_are_found_too() -> None:
    text = weft.function(lambda x: x + x).get_concrete_function(weft.TensorSpec([None])).as_text("weft")
    weft.from_mlir(text)(X)
    with no_compiler():
        np.testing.assert_array_equal(weft.from_mlir(text)(X), X + X)


def test_a_damaged_file_counts_as_not_there(cache: Path, tmp_path: Path) -> None:
    weft.save(tmp_path / "a.weft", f=weft.function(lambda x: x + 1).get_concrete_function(X))
    weft.load(tmp_path / "a.weft").f(X)
    (kept,) = cache.rglob("*-file.weft")
    for content in (b"", kept.read_bytes()[:-1], kept.read_bytes().replace(b"f64", b"f99")):
        kept.write_bytes(content)
        loaded = weft.load(tmp_path / "a.weft").f
        np.testing.assert_array_equal(loaded(X), X + 1)
        assert loaded.trace_count == 1
    with no_compiler():
        weft.load(tmp_path / "a.weft").f(X)


def test_what_depends_on_more_is_not_stored(tmp_path: Path) -> None:
    """An argument that is an array of the state is compiled as that."""
    model = Model()
    model.fit(np.ones(3)), model.predict(np.ones(3))
    weft.save(tmp_path / "m.weft", fit=model.fit, predict=model.predict)
    before = statistics["not stored"]
    for _ in range(2):
        loaded = weft.load(tmp_path / "m.weft")
        w = loaded.state["w"]
        assert loaded.predict(w) == w @ w * loaded.state["steps"]
        assert loaded.predict(w + 1) == (w + 1) @ w * loaded.state["steps"]
    assert statistics["not stored"] == before + 2
