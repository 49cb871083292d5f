"""Which specialisation of a file a call gets, what shares memory with the state, and what cannot be told in a file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft

SPEC = weft.TensorSpec([None])


def saved(path: Path, function: Any, *calls: tuple[Any, ...]) -> Any:
    """The function as it comes from a file, compiled for some calls."""
    for args in calls:
        function(*args)
    weft.save(path / "f.weft", f=function)
    return weft.load(path / "f.weft").f


class TestWhichSpecialisation:
    def test_one_array_for_two_arguments(self, tmp_path: Path) -> None:
        def moved(x: Any, y: Any) -> Any:
            x += 1
            return x * y

        x, y = np.ones(2), np.ones(2)
        for calls in ([(x, y), (x, x)], [(x, x), (x, y)]):
            loaded = saved(tmp_path, weft.function(moved), *calls)
            a, b = np.ones(2), np.ones(2)
            np.testing.assert_array_equal(loaded(a, b), [2, 2])
            np.testing.assert_array_equal(loaded(a, a), [9, 9])

    def test_known_sizes(self, tmp_path: Path) -> None:
        f = weft.function(lambda x: x + x.shape[0])
        for size in (2, 3):
            f.get_concrete_function(weft.TensorSpec([size]))
        loaded = saved(tmp_path, f)
        np.testing.assert_array_equal(loaded(np.ones(2)), [3, 3])
        np.testing.assert_array_equal(loaded(np.ones(3)), [4, 4, 4])
        with pytest.raises(
            TypeError, match=r"(?s)was not saved for the arguments .*f64\[4\].*f64\[2\].*f64\[3\]"
        ):
            loaded(np.ones(4))

    def test_sizes_that_are_known_when_it_runs(self, tmp_path: Path) -> None:
        weft.save(
            tmp_path / "f.weft", f=weft.function(lambda x: x + x.shape[0]).get_concrete_function(np.ones(2))
        )
        loaded = weft.load(tmp_path / "f.weft").f

        @weft.function
        def outer(x: Any, mask: Any) -> Any:
            return loaded(x[mask])

        np.testing.assert_array_equal(outer(np.ones(3), np.array([True, False, True])), [3, 3])
        with pytest.raises(TypeError, match=r"f takes f64\[2\] for 'x', not an array with 3 for 2"):
            outer(np.ones(3), np.ones(3, bool))

    def test_writes_to_arrays_of_sizes_that_are_known_when_it_runs(self, tmp_path: Path) -> None:
        def doubled(x: Any) -> None:
            x *= 2

        weft.save(tmp_path / "f.weft", f=weft.function(doubled).get_concrete_function(np.ones(2)))
        loaded = weft.load(tmp_path / "f.weft").f

        @weft.function
        def outer(x: Any, mask: Any) -> Any:
            found = x[mask]
            loaded(found)
            return found

        np.testing.assert_array_equal(outer(np.ones(3), np.array([True, False, True])), [2, 2])

    def test_numbers_of_the_class_that_was_compiled(self, tmp_path: Path) -> None:
        def raised(x: Any, n: Any) -> Any:
            return x * n, n

        function = weft.function(raised)
        for n in (2, 3, 4, 1.5, 2.5, 3.5):
            function(np.ones(2, "i4"), n)
        loaded = saved(tmp_path, function)
        for n in (5, 6, 7.5, 8.5):
            got, expected = loaded(np.ones(2, "i4"), n), raised(np.ones(2, "i4"), n)
            assert repr(got) == repr(expected)
            assert got[0].dtype == expected[0].dtype
        with pytest.raises(TypeError, match="True"):
            loaded(np.ones(2, "i4"), True)


class Model:
    def __init__(self) -> None:
        self.w = np.arange(3.0)
        self.part = self.w[1:]

    @weft.function
    def fit(self, x: Any) -> Any:
        self.w += x
        return self.w

    @weft.function
    def predict(self, x: Any) -> Any:
        return self.part * x

    @weft.function
    def first(self, x: Any) -> Any:
        return self.w[0] * x


class TestMemoryOfTheState:
    def test_a_view_of_what_is_written(self, tmp_path: Path) -> None:
        model = Model()
        model.fit(np.ones(3)), model.predict(np.float64(2)), model.first(np.float64(2))
        with pytest.raises(weft.NotPortable, match="lie in the same memory, which a file does not keep"):
            weft.save(tmp_path / "m.weft", fit=model.fit, predict=model.predict)
        assert not (tmp_path / "m.weft").exists()
        weft.save(tmp_path / "m.weft", fit=model.fit, first=model.first)
        loaded = weft.load(tmp_path / "m.weft")
        loaded.state["w"][0] = 5
        assert loaded.first(np.float64(2)) == 10

    def test_an_argument_that_is_the_state(self, tmp_path: Path) -> None:
        model = Model()
        model.fit(np.ones(3))
        weft.save(tmp_path / "m.weft", fit=model.fit)
        loaded = weft.load(tmp_path / "m.weft")
        with pytest.raises(
            ValueError, match=r"'x' and the state '.*w' of fit are one array, and one of them is"
        ):
            loaded.fit(loaded.state["w"])
        np.testing.assert_array_equal(loaded.fit(loaded.state["w"].copy()), [2, 4, 6])

    def test_one_function_of_several_objects(self, tmp_path: Path) -> None:
        one, other = Model(), Model()
        one.first(np.float64(2)), other.first(np.float64(2))
        with pytest.raises(weft.NotPortable, match=r"first was compiled for several objects.*model\.predict"):
            weft.save(tmp_path / "m.weft", first=Model.first)
        weft.save(tmp_path / "m.weft", first=other.first)
        assert len(weft.load(tmp_path / "m.weft").signatures["first"]) == 1

    def test_what_is_compiled_again_is_saved_once(self, tmp_path: Path) -> None:
        scale = {"k": 2.0}

        @weft.function
        def f(x: Any) -> Any:
            return x * scale["k"]

        f(np.ones(2))
        scale["k"] = 3.0
        loaded = saved(tmp_path, f, (np.ones(2),))
        np.testing.assert_array_equal(loaded(np.ones(2)), [3, 3])
        assert len(weft.load(tmp_path / "f.weft").signatures["f"]) == 1

    def test_states_that_are_given(self, tmp_path: Path) -> None:
        weft.save(tmp_path / "f.weft", f=weft.function(lambda x: x + 1).get_concrete_function(SPEC))
        with pytest.raises(ValueError, match=r"has no state 'w'; it has: none"):
            weft.load(tmp_path / "f.weft", state={"w": np.ones(2)})
        with pytest.raises(TypeError, match=r"state= is a dict of arrays by their names, not \[1\]"):
            weft.load(tmp_path / "f.weft", state=[1])


class TestNames:
    def test_attributes_of_models(self, tmp_path: Path) -> None:
        concrete = weft.function(lambda x: x + 1, name="doubled").get_concrete_function(SPEC)
        for name in ("state", "functions", "path", "signatures"):
            with pytest.raises(ValueError, match=f"'{name}' is an attribute of loaded files"):
                weft.save(tmp_path / "f.weft", **{name: concrete})
        with pytest.raises(ValueError, match="two functions are named doubled"):
            weft.save(tmp_path / "f.weft", concrete, doubled=concrete)

    def test_folders_that_are_not_there(self, tmp_path: Path) -> None:
        concrete = weft.function(lambda x: x + 1).get_concrete_function(SPEC)
        with pytest.raises(FileNotFoundError) as caught:
            weft.save(tmp_path / "none" / "f.weft", f=concrete)
        assert caught.value.filename == str(tmp_path / "none" / "f.weft")


@dataclass
class Point:
    x: Any


def object_of(x: Any) -> Any:
    return Point(x)


def counted(x: Any) -> Any:
    return {v: v for v in x}


def grown(x: Any) -> Any:
    found = []
    for v in x:
        if v > 0:
            found.append(v)
    return found


@pytest.mark.parametrize(
    ("program", "args", "message"),
    [
        (object_of, (np.ones(3),), "returns a Point: arrays, numbers and strings"),
        (
            counted,
            (np.ones(3),),
            "returns a dict whose keys are known when it runs only: return arrays of what",
        ),
        (
            grown,
            (np.ones(3),),
            "returns a list whose length is known when it runs only: return np.array of it",
        ),
        (
            lambda x, d: x,
            (np.ones(3), np.array(["2020-01-01"], "M8[D]")),
            "takes an array of dates, records or texts",
        ),
        (lambda x, d: x, (np.ones(3), np.random.default_rng(0)), "takes a generator of random numbers"),
        (lambda x, d: x, (np.ones(3), date(2020, 1, 1)), "takes a date"),
    ],
)
def test_why_a_function_cannot_be_saved(
    program: Callable[..., Any], args: tuple[Any, ...], message: str, tmp_path: Path
) -> None:
    function = weft.function(program)
    function(*args)
    with pytest.raises(weft.NotPortable, match=message):
        weft.save(tmp_path / "f.weft", f=function)
