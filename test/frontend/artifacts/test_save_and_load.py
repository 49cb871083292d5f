"""What is saved and loaded computes what its source computes: values, errors, state, gradients, views."""

from __future__ import annotations

import inspect
import subprocess
import sys
import textwrap
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from support.exported_programs import softmax, stencil
from support.saved_programs import CASES, FLOATS, Model, Program, outcome, shares


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("program", "specs", "args"), CASES)
def test_loaded_functions_compute_what_their_source_computes(
    program: Program, specs: list[Any], args: tuple[Any, ...], tmp_path: Path
) -> None:
    concrete = weft.function(program).get_concrete_function(*specs)
    weft.save(tmp_path / "a.weft", f=concrete)
    loaded = weft.load(tmp_path / "a.weft").f
    for _ in range(3):  # the last calls are native
        with np.printoptions(precision=5):
            assert outcome(loaded, args) == outcome(program, args)
    assert list(inspect.signature(loaded).parameters) == list(inspect.signature(program).parameters)


def test_results_are_arguments_and_their_views(tmp_path: Path) -> None:
    weft.save(tmp_path / "a.weft", f=weft.function(shares).get_concrete_function(weft.TensorSpec([None, 5])))
    x = FLOATS.reshape(4, 5).copy()
    whole, part, turned, y, stepped, row = weft.load(tmp_path / "a.weft").f(x)
    assert whole is x
    assert all(np.shares_memory(view, x) for view in (part, turned, row))
    assert np.shares_memory(y, stepped)
    assert not np.shares_memory(x, y)


def test_functions_share_the_state_of_their_object(tmp_path: Path) -> None:
    model, again, x = Model(), Model(), np.ones(3)
    for made in (model, again):
        made.fit(x), made.predict(x), made.noisy(x)
    weft.save(tmp_path / "m.weft", fit=model.fit, predict=model.predict, noisy=model.noisy)
    loaded = weft.load(tmp_path / "m.weft")
    assert sorted(loaded.state) == ["rng", "steps", "w"]
    for _ in range(3):
        assert loaded.fit(x) is loaded.state["w"]
        again.fit(x)
        np.testing.assert_array_equal(loaded.predict(x), again.predict(x))
        np.testing.assert_array_equal(loaded.noisy(x), again.noisy(x))
    np.testing.assert_array_equal(model.w, [-0.5, 0.5, 1.5])
    assert loaded.state["steps"] == again.steps == 4


def test_other_arrays_take_the_places_of_the_state(tmp_path: Path) -> None:
    model = Model()
    model.fit(np.ones(3))
    weft.save(tmp_path / "m.weft", model.fit)
    mine = np.zeros(3)
    loaded = weft.load(tmp_path / "m.weft", state={"w": mine})
    assert loaded.fit(np.ones(3)) is mine
    with pytest.raises(ValueError, match=r"has no state 'v'; it has: .*w"):
        weft.load(tmp_path / "m.weft", state={"v": mine})
    loaded.state["w"] = np.zeros(4)
    with pytest.raises(TypeError, match=r"fit needs f64\[3\] as the state 'w', which is array"):
        loaded.fit(np.ones(3))


def test_loaded_functions_are_differentiated_and_part_of_others(tmp_path: Path) -> None:
    weft.save(tmp_path / "s.weft", softmax=weft.function(softmax).get_concrete_function(CASES[0][1][0]))
    loaded = weft.load(tmp_path / "s.weft").softmax
    x = CASES[0][2][0]
    gradient = weft.grad(lambda x: loaded(x)[:, 0].sum())(x)
    expected = weft.grad(lambda x: softmax(x)[:, 0].sum())(x)
    np.testing.assert_allclose(gradient, expected, atol=1e-7)

    @weft.function
    def outer(x: Any) -> Any:
        part = x[1:]
        return np.tanh(loaded(part)) + 1

    np.testing.assert_allclose(outer(x), np.tanh(softmax(x[1:])) + 1, rtol=1e-6)
    assert "func.call" not in outer.get_concrete_function(x).as_text("optimized")


def test_writes_through_views_of_the_caller(tmp_path: Path) -> None:
    def doubled(x: Any) -> None:
        x *= 2

    weft.save(tmp_path / "d.weft", f=weft.function(doubled).get_concrete_function(weft.TensorSpec([None])))
    loaded = weft.load(tmp_path / "d.weft").f

    @weft.function
    def outer(x: Any) -> Any:
        loaded(x[1:])
        return x

    x = np.arange(4.0)
    np.testing.assert_array_equal(outer(x), [0, 2, 4, 6])
    loaded(x[::-2])
    np.testing.assert_array_equal(x, [0, 4, 4, 12])


def test_known_sizes_are_written_into_the_program(tmp_path: Path) -> None:
    for program, specs, args in CASES[:2]:
        weft.save(tmp_path / "s.weft", f=weft.function(program).get_concrete_function(*specs))
        text = weft.load(tmp_path / "s.weft").f.get_concrete_function(*args).as_text("optimized")
        assert "?" not in text
        text = weft.load(tmp_path / "s.weft").f.get_concrete_function().as_text("optimized")
        assert "?" in text


def branching(a: Any, b: Any) -> Any:
    total = 0.0
    for i in range(3):
        if i > 1 and len(a) == len(b):
            total += (a + b).sum()
        while total < -5:
            total += (a * b).sum()
    try:
        return total + (a - b).max()
    except ValueError:
        return -1.0


@pytest.mark.sampled(3)
@pytest.mark.parametrize("sizes", [(3, 3), (2, 700), (0, 0), (0, 5)])
def test_sizes_that_do_not_fit_raise_where_the_program_comes_to_them(
    tmp_path: Path, sizes: tuple[int, int]
) -> None:
    source = weft.function(branching, input_signature=[weft.TensorSpec([None]), weft.TensorSpec([None])])
    weft.save(tmp_path / "f.weft", source)
    arrays = [np.ones(size) for size in sizes]
    assert weft.load(tmp_path / "f.weft").branching(*arrays) == source(*arrays)


def test_all_specialisations_are_saved(tmp_path: Path) -> None:
    @weft.function
    def doubled(x: Any, mode: str = "a") -> Any:
        return x * 2 if mode == "a" else x * 3

    doubled(np.ones(2)), doubled(np.ones(2, int)), doubled(np.ones(2), "b")
    weft.save(tmp_path / "d.weft", doubled)
    loaded = weft.load(tmp_path / "d.weft")
    assert loaded.doubled(np.ones(2, int)).dtype == int
    np.testing.assert_array_equal(loaded.doubled(np.ones(2), "b"), [3, 3])
    expected = ["doubled(f64[2], 'a')", "doubled(f64[2], 'b')", "doubled(i64[2], 'a')"]
    assert sorted(loaded.signatures["doubled"]) == expected
    with pytest.raises(
        TypeError, match=r"(?s)was not saved for the arguments .*'c'.*the file has\n  doubled"
    ):
        loaded.doubled(np.ones(2), "c")


def test_saving_again_gives_the_same_bytes(tmp_path: Path) -> None:
    model = Model()
    model.fit(np.ones(3)), model.noisy(np.ones(3))
    for name in "ab":
        weft.save(tmp_path / f"{name}.weft", fit=model.fit, noisy=model.noisy)
    weft.save(tmp_path / "c.weft", **weft.load(tmp_path / "a.weft").functions)
    first, second, third = ((tmp_path / f"{name}.weft").read_bytes() for name in "abc")
    assert first == second == third
    assert b"/test/" not in first


def test_a_process_without_the_source(tmp_path: Path) -> None:
    (tmp_path / "source").mkdir()
    source = """
        import weft
        def helper(x):
            return x + 1
        @weft.function(input_signature=[weft.TensorSpec([None], "float64")])
        def f(x):
            if x[0] > 5:
                raise ValueError(f"{x[0]} is large")
            return helper(x)
    """
    (tmp_path / "source" / "secret.py").write_text(textwrap.dedent(source))
    program = """
        import sys, weft
        sys.path.insert(0, "source")
        import secret
        weft.save("f.weft", secret.f)
    """
    load = """
        import sys, numpy as np, weft
        model = weft.load("f.weft")
        print(model.f(np.arange(3.0)))
        try:
            model.f(np.array([7.5]))
        except ValueError as error:
            print(error)
        print(weft.load("f.weft", only_look=True).signatures, "secret" in sys.modules)
    """
    for text in (program, load):
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(text)],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    assert done.stdout == "[1. 2. 3.]\n7.5 is large\n{'f': ['f(f64[?])']} False\n"


def test_looking_loads_no_compiler(tmp_path: Path) -> None:
    weft.save(tmp_path / "s.weft", softmax=weft.function(softmax).get_concrete_function(CASES[0][1][0]))
    text = (
        "import sys, weft; print(weft.load('s.weft', only_look=True));"
        "print(any('mlir' in name or 'llvmlite' in name for name in sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", text], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout == "<weft.Model of s.weft\n  softmax(f32[?,?])>\nFalse\n"


def test_threads_call_one_loaded_function(tmp_path: Path) -> None:
    weft.save(tmp_path / "s.weft", softmax=weft.function(softmax).get_concrete_function(CASES[0][1][0]))
    loaded, x = weft.load(tmp_path / "s.weft").softmax, CASES[0][2][0]
    expected, wrong = softmax(x), []

    def work() -> None:
        for _ in range(50):
            if not np.allclose(loaded(x), expected):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


class TestWhatCannotBeSaved:
    def refused(self, tmp_path: Path, program: Program, *args: Any) -> str:
        function = weft.function(program)
        function(*args)
        with pytest.raises(weft.NotPortable) as caught:
            weft.save(tmp_path / "n.weft", f=function)
        assert not (tmp_path / "n.weft").exists()
        return str(caught.value)

    def test_calls_of_python_are_all_named_with_their_lines(self, tmp_path: Path) -> None:
        def shown(x: Any) -> Any:
            weft.print("sum", x.sum())
            weft.py_call(repr, x)
            return [x, slice(x[0], 2.0)]

        told = self.refused(tmp_path, shown, np.ones(3))
        assert told.startswith("shown cannot leave this process:\n  it calls Python for `print` at ")
        assert "test_save_and_load.py" in told
        assert "`repr`" in told
        assert "it returns an object of Python: return arrays" in told

    def test_changes_of_what_is_no_number(self, tmp_path: Path) -> None:
        found: list[Any] = []

        def noted(x: Any) -> Any:
            found.append(x[0])
            return x

        assert "it changes found" in self.refused(tmp_path, noted, np.ones(3))

    def test_arguments_without_a_form(self, tmp_path: Path) -> None:
        def added(x: Any, how: Any) -> Any:
            return x + how(1)

        assert "it takes a function" in self.refused(tmp_path, added, np.ones(3), lambda n: n)

    def test_nothing_was_compiled(self, tmp_path: Path) -> None:
        with pytest.raises(
            ValueError, match=r"nothing was compiled of f yet: call it, or pass f\.get_concrete"
        ):
            weft.save(tmp_path / "n.weft", f=weft.function(softmax))
        with pytest.raises(ValueError, match="name a function to write"):
            weft.save(tmp_path / "n.weft")
        with pytest.raises(TypeError, match=r"writes what weft\.function makes, not <function"):
            weft.save(tmp_path / "n.weft", f=softmax)
        with pytest.raises(
            TypeError, match=r"weft\.save is first told where to write, as in .*, and not <weft"
        ):
            weft.save(weft.function(softmax))
        with pytest.raises(ValueError, match="is no name for a function: pass it by a keyword"):
            weft.save(tmp_path / "n.weft", weft.function(lambda x: x, name="a b"))

    def test_a_directory_is_no_file(self, tmp_path: Path) -> None:
        concrete = weft.function(softmax).get_concrete_function(weft.TensorSpec([3, 3]))
        with pytest.raises(IsADirectoryError) as caught:
            weft.save(tmp_path, concrete)
        assert (caught.value.filename, caught.value.filename2) == (str(tmp_path), None)
        assert not list(tmp_path.parent.glob("*.draft"))


class TestCallsThatDoNotFit:
    @pytest.fixture
    def stencil(self, tmp_path: Path) -> Any:
        weft.save(tmp_path / "s.weft", f=weft.function(stencil).get_concrete_function(*CASES[1][1]))
        return weft.load(tmp_path / "s.weft").f

    def test_types(self, stencil: Any) -> None:
        a, n = np.ones((4, 5)), np.int64(1)
        with pytest.raises(TypeError, match=r"f takes f64\[\?,\?\] for 'b', not f32\[4,5\]"):
            stencil(a, a.astype("f4"), n)
        with pytest.raises(TypeError, match=r"f takes f64\[\?,\?\] for 'a', not f64\[4\]"):
            stencil(a[:, 0].copy(), a, n)
        with pytest.raises(TypeError, match="missing a required argument: 'steps'"):
            stencil(a, a)
        with pytest.raises(TypeError, match=r"f takes i64\[\] for 'steps', not 1.5"):
            stencil(a, a.copy(), 1.5)

    def test_one_array_for_two(self, stencil: Any) -> None:
        a = np.ones((4, 5))
        with pytest.raises(ValueError, match="'b' and 'a' of f are one array, and one of them is written"):
            stencil(a, a, np.int64(1))

    def test_unknown_names_and_eager_runs(self, stencil: Any, tmp_path: Path) -> None:
        with pytest.raises(AttributeError, match="has no function 'g'; it has: f"):
            _ = weft.load(tmp_path / "s.weft").g
        with weft.eager():  # there is no Python that could run
            assert stencil(np.ones((4, 5)), np.ones((4, 5)), np.int64(1)) is None


def test_a_signature_is_compiled_for_each_object_that_is_saved(tmp_path: Path) -> None:
    class Scaled:
        def __init__(self, factor: float) -> None:
            self.factor = np.array(factor)

        @weft.function(input_signature=[weft.TensorSpec([None])])
        def apply(self, x: Any) -> Any:
            return x * self.factor

    assert Scaled(2.0).apply([1.0]).tolist() == [2.0]
    path = tmp_path / "scaled.weft"
    weft.save(path, apply=Scaled(3.0).apply)
    assert weft.load(path).apply(np.ones(2)).tolist() == [3.0, 3.0]
