"""Python state that compiled functions read and change: counters, attributes, lists, globals, closures."""

from __future__ import annotations

import gc
import weakref
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import weft
from support.behaviour_harness import same

F64, I64 = np.float64, np.int64
COUNT = 0
STEP = 1
TRAINING = True
SIZE = 3
TABLE = {"calls": 0, "log": []}
WEIGHTS = np.zeros(3)
TOTAL = 0.0


class Box:
    """An object with attributes."""

    def __init__(self, **attributes):
        self.__dict__.update(attributes)


class Slotted:
    """An object without a `__dict__`."""

    __slots__ = ("__weakref__", "w")

    def __init__(self, w):
        self.w = w


class Model:
    """State as models have it."""

    def __init__(self):
        self.calls = 0
        self.w = np.ones(3)
        self.last = None
        self.losses = []
        self.total = F64(0)

    @weft.function
    def step(self, x):
        """Change everything."""
        self.calls += 1
        self.w += x
        self.last = x * 2
        self.losses.append(x.sum())
        self.total = self.total + x.sum()
        return self.w


class TestState:
    def test_a_model_is_trained(self):
        model = Model()
        w = model.w
        before = Model.step.trace_count
        for i in range(6):
            assert model.step(np.full(3, float(i))) is w
        assert (model.calls, type(model.calls)) == (6, int)
        assert (model.total, type(model.total)) == (45, F64)
        assert model.w is w
        np.testing.assert_array_equal(w, [16, 16, 16])
        np.testing.assert_array_equal(model.last, [10, 10, 10])
        assert model.losses == [0, 3, 6, 9, 12, 15]
        assert Model.step.trace_count - before <= 3

    def test_a_changed_instance_is_not_kept_alive(self):
        model = Model()
        model.step(np.ones(3))
        alive = weakref.ref(model)
        del model
        gc.collect()
        assert alive() is None

    def test_a_global_counter(self, monkeypatch):
        monkeypatch.setitem(globals(), "COUNT", 0)

        @weft.function
        def f(x):
            global COUNT
            COUNT += 1
            return x * COUNT

        assert [f(F64(1)) for _ in range(6)] == [1, 2, 3, 4, 5, 6]
        assert (COUNT, type(COUNT), f.trace_count) == (6, int, 3)

    def test_a_closure_that_accumulates(self):
        total = 0.0

        @weft.function
        def f(x):
            nonlocal total
            total = total + x
            return total

        assert [f(F64(2)) for _ in range(5)] == [2, 4, 6, 8, 10]
        assert (total, f.trace_count) == (10, 2)

    def test_a_number_that_the_caller_changes(self, monkeypatch):
        @weft.function
        def f(x):
            return x * STEP

        for step in (1, 2, 3, 4, 2.5, 3.5, 1):
            monkeypatch.setitem(globals(), "STEP", step)
            assert f(F64(2)) == 2 * step
        assert f.trace_count <= 5

    def test_a_flag_does_not_compile_again_each_time(self, monkeypatch):
        @weft.function
        def f(x):
            return x if TRAINING else -x

        for i in range(8):
            monkeypatch.setitem(globals(), "TRAINING", i % 2 == 0)
            assert f(F64(2)) == (2 if i % 2 == 0 else -2)
        assert f.trace_count == 2

    def test_a_number_whose_value_tracing_needs_stays_a_constant(self, monkeypatch):
        @weft.function
        def f(x):
            return [x] * SIZE

        for size in (3, 4, 5, 6):
            monkeypatch.setitem(globals(), "SIZE", size)
            assert len(f(F64(2))) == size

    def test_entries_of_a_global_dict(self, monkeypatch):
        monkeypatch.setitem(globals(), "TABLE", {"calls": 0, "scale": 2})
        table = TABLE

        @weft.function
        def f(x):
            TABLE["calls"] = TABLE["calls"] + 1
            return x * TABLE["scale"]

        for _ in range(5):
            assert f(F64(1)) == 2
        assert table == {"calls": 5, "scale": 2}
        assert f.trace_count == 3
        table["scale"] = 3
        assert f(F64(1)) == 3

    def test_an_array_of_a_global_is_written(self, monkeypatch):
        weights = np.zeros(3)
        monkeypatch.setitem(globals(), "WEIGHTS", weights)

        @weft.function
        def f(x, i):
            WEIGHTS[i] += x
            return WEIGHTS.sum()

        assert [f(F64(2), I64(i)) for i in (0, 1, 1)] == [2, 4, 6]
        np.testing.assert_array_equal(weights, [2, 4, 0])
        assert f.trace_count <= 2

    def test_slots_and_shared_arrays(self):
        def f(o, p, x):
            o.w[0] += x
            p.w[1] += 1
            return o.w.sum() + p.w.sum()

        compiled = weft.function(f)
        shared = np.zeros(2)
        one, other = Slotted(shared), Slotted(shared)
        assert compiled(one, other, F64(5)) == 12
        np.testing.assert_array_equal(shared, [5, 1])
        other.w = np.zeros(2)
        assert compiled(one, other, F64(1)) == 8
        np.testing.assert_array_equal(other.w, [0, 1])

    def test_an_argument_that_is_an_attribute_too(self):
        @weft.function
        def f(o, x):
            x += 1
            return o.w * 2

        o = Box(w=np.zeros(2))
        np.testing.assert_array_equal(f(o, o.w), [2, 2])
        np.testing.assert_array_equal(f(o, np.zeros(2)), [2, 2])
        np.testing.assert_array_equal(f(o, o.w), [4, 4])

    def test_an_attribute_of_another_type_compiles_again(self):
        @weft.function
        def f(o):
            return o.w + 1

        o = Box(w=np.zeros(2))
        for value in (np.zeros(2), np.ones(2), np.ones(3), np.ones(3, np.float32), F64(1), 3, None):
            o.w = value
            if value is None:
                with pytest.raises(TypeError):
                    f(o)
            else:
                np.testing.assert_array_equal(f(o), value + 1)
        assert f.trace_count >= 5

    def test_a_function_in_an_attribute_may_be_replaced(self):
        @weft.function
        def f(o, x):
            return o.activation(x)

        o = Box(activation=np.negative)
        assert f(o, F64(2)) == -2
        o.activation = np.square
        assert f(o, F64(2)) == 4

    def test_an_attribute_that_only_some_calls_set(self):
        @weft.function
        def f(o, x):
            if x > 0:
                o.best = x
            return x

        o, seen = Box(best=None), []
        for x in (-1.0, 2.0, -3.0, 4.0):
            f(o, F64(x))
            seen.append(o.best)
        assert seen == [None, 2, 2, 4]
        o.best = F64(7)
        f(o, F64(-1))
        assert o.best == 7

    def test_a_failing_trace_leaves_the_state_as_it_was(self):
        @weft.function
        def f(o, x):
            o.n = x + 1
            return [1, 2][x.tobytes()]

        o = Box(n=3)
        with pytest.raises(TypeError):
            f(o, F64(1))
        assert o.n == 3

    def test_a_helper_changes_an_attribute_in_a_loop(self):
        def record(o, value):
            o.largest = np.maximum(o.largest, value)
            o.seen += 1

        def f(o, x):
            for value in x:
                record(o, value)
            return o.largest

        calls = [
            (Box(largest=F64(0), seen=I64(0)), np.array(v)) for v in ([1.0, 5.0, 2.0], [-1.0, -2.0, -3.0])
        ]
        same(f, *calls, traces=None)

    def test_state_before_a_raise_is_kept(self):
        def f(o, x):
            o.n = x + 1
            o.name = "seen"
            if x < 0:
                raise ValueError("negative")
            o.n = o.n * 2
            return o.n

        same(f, *[(Box(n=F64(0), name=""), F64(x)) for x in (1, -1)], traces=None)

    def test_state_of_the_iterations_before_a_raise_is_kept(self):
        def f(o, x):
            for value in x:
                if value < 0:
                    raise ValueError("negative")
                o.total = o.total + value

        same(f, *[(Box(total=F64(0)), np.array(v)) for v in ([1.0, 2.0], [1.0, 3.0, -1.0, 5.0])], traces=None)


@dataclass
class Particle:
    """A dataclass as an argument."""

    position: np.ndarray
    steps: int = 0


class TestArguments:
    def test_lists_dicts_and_dataclasses_are_changed_for_the_caller(self):
        def f(items, table, particle, x):
            items.append(x)
            table["new"] = x * 2
            del table["old"]
            particle.position = particle.position + x
            particle.steps += 1
            return len(items)

        def arguments():
            return [F64(1)], {"old": 1}, Particle(np.zeros(2)), F64(3)

        same(f, arguments(), arguments())

    def test_the_objects_are_the_callers(self):
        @weft.function
        def f(table, x):
            table["inner"]["v"] = x
            table["list"][0] = x
            return x

        inner, items = {"v": 0}, [1, 2]
        table = {"inner": inner, "list": items}
        f(table, F64(5))
        assert (inner, items) == ({"v": 5}, [5, 2])
        assert table["inner"] is inner

    def test_a_field_may_get_the_value_that_it_has(self):
        def f(particle, n):
            particle.steps = 2
            particle.position = particle.position
            if n > 0:
                particle.steps = 3
            return particle.steps

        steps = (2, 3, 2, 4, "many", 2, None)
        same(f, *((Particle(np.ones(2), n), I64(m)) for n in steps for m in (0, 1)), traces=None)

    def test_a_list_that_grows_in_a_staged_loop(self):
        def f(items, x, n):
            for i in range(n):
                items.append(x + i)
            return n

        same(f, *[([F64(1)], F64(2), I64(n)) for n in (0, 3)])


class TestPlainFunctions:
    def test_attributes_in_functions_without_source_are_guarded(self):
        names = {}
        exec("def f(o, x):\n    return x * o.scale + o.inner.w", names)
        for compiled in (
            weft.function(names["f"]),
            weft.function(autograph=False)(lambda o, x: x * o.scale + o.inner.w),
        ):
            o = Box(scale=F64(2), inner=Box(w=np.zeros(2)), other=1)
            np.testing.assert_array_equal(compiled(o, F64(1)), [2, 2])
            o.scale = F64(3)
            o.other = 2
            np.testing.assert_array_equal(compiled(o, F64(1)), [3, 3])
            o.inner.w[0] = 5
            np.testing.assert_array_equal(compiled(o, F64(1)), [8, 3])
            assert compiled.trace_count == 3


class TestExplanations:
    def test_the_changed_leaf_is_named(self, monkeypatch):
        monkeypatch.setitem(globals(), "STEP", 1)

        @weft.function
        def f(x, y):
            return x * STEP + y

        assert f.explain_retrace() == "it was not called yet"
        f(np.ones(2), F64(1))
        assert f.explain_retrace() == "first call"
        monkeypatch.setitem(globals(), "STEP", 2)
        f(np.ones(2), F64(1))
        assert f.explain_retrace() == "global STEP changed from 1 to 2"
        f(np.ones(3), F64(1))
        assert f.explain_retrace() == "argument 'x' changed from f64[2] to f64[3]"

    def test_attributes_and_entries_are_named(self):
        @weft.function
        def f(o, x):
            return x * o.scales["b"][0]

        o = Box(scales={"a": [1], "b": [2]})
        f(o, F64(1))
        o.scales["b"][0] = 5
        assert f(o, F64(1)) == 5
        assert f.explain_retrace() == "o.scales['b'][0] changed"

    def test_a_concrete_function_says_what_changed(self, monkeypatch):
        monkeypatch.setitem(globals(), "STEP", 1)
        concrete = weft.function(lambda x: x * STEP).get_concrete_function(np.ones(2))
        monkeypatch.setitem(globals(), "STEP", 2)
        with pytest.raises(ValueError, match="global STEP changed from 1 to 2 since"):
            concrete(np.ones(2))


def _scaled(x: Any, *, factor: int = 2) -> Any:
    return x * factor


def test_what_hides_behind_the_parts_of_a_function_is_no_part_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(
        _scaled.__dict__, "__kwdefaults__", {"other": 3}
    )  # as `functools.wraps` of an object does
    compiled = weft.function(lambda x: _scaled(x) + 1)
    assert compiled(np.arange(3.0)).tolist() == [1, 3, 5]
    monkeypatch.setitem(_scaled.__kwdefaults__, "factor", 3)  # type: ignore[arg-type]
    assert compiled(np.arange(3.0)).tolist() == [1, 4, 7]
