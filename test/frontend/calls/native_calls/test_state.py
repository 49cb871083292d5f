"""What compiled functions read and change besides their arguments, methods, and the switches, with native calls."""

from __future__ import annotations

import contextvars
import functools
import gc
import types
import weakref
from typing import Any

import numpy as np
import pytest

import weft
from support.native_calls import F32, native_calls, ones, runs_natively, same
from weft.backend.cpu.dispatch.objects import is_supported

pytestmark = pytest.mark.skipif(not is_supported(), reason="calls go through Python here")


class TestState:
    def test_globals(self):
        namespace: dict[str, Any] = {"scale": 2, "np": np}
        exec("def f(x): return np.sqrt(x) * scale", namespace)
        f = weft.function(namespace["f"], autograph=False)
        x = ones(2)
        assert runs_natively(f, x)
        namespace["unrelated"] = 1
        assert runs_natively(f, x)
        assert f.trace_count == 1
        namespace["scale"] = 3
        same(f(x), np.sqrt(x) * 3)
        namespace["scale"] = 2
        same(f(x), np.sqrt(x) * 2)
        del namespace["scale"]
        with pytest.raises(NameError):
            f(x)
        namespace["scale"] = 2
        same(f(x), np.sqrt(x) * 2)

    def test_equal_values_of_other_identity(self):
        namespace: dict[str, Any] = {"scale": 10**6}
        exec("def f(x): return x * scale", namespace)
        f = weft.function(namespace["f"], autograph=False)
        assert runs_natively(f, ones(1))
        namespace["scale"] = int("1000000")
        assert runs_natively(f, ones(1))
        assert f.trace_count == 1

    def test_attributes_that_are_absent(self):
        chain: Any = types.SimpleNamespace(value=2.0)
        for _ in range(3):
            chain = types.SimpleNamespace(inner=chain)

        def f(x: Any) -> Any:
            found = chain
            for _ in range(3):
                found = found.inner
            return x * found.value

        compiled = weft.function(f)
        assert runs_natively(compiled, ones(2))
        chain.inner.inner.inner.value = 5.0
        same(compiled(ones(2)), f(ones(2)))
        chain.inner.inner.inner.inner = types.SimpleNamespace(value=7.0)
        same(compiled(ones(2)), f(ones(2)))
        chain.inner.inner = types.SimpleNamespace(inner=types.SimpleNamespace(value=9.0))
        same(compiled(ones(2)), f(ones(2)))

    def test_variables_around(self):
        def around() -> tuple[Any, Any]:
            scale, array, table = 2.0, ones(2), {"a": ones(2), "b": [1, ones(2)]}

            def f(x: Any) -> Any:
                return x * scale + array + table["a"] + table["b"][1] * table["b"][0]

            def change(name: str, value: Any) -> None:
                nonlocal scale, array, table
                if name == "scale":
                    scale = value
                elif name == "array":
                    array = value
                else:
                    table["b"][0] = value

            return weft.function(f), change

        f, change = around()
        assert runs_natively(f, ones(2))
        change("scale", 3.0)
        same(f(ones(2)), ones(2) * 6)
        change("array", ones(2) * 5)
        same(f(ones(2)), ones(2) * 10)
        change("table", 2)
        same(f(ones(2)), ones(2) * 11)

    def test_containers_around(self):
        arrays = [ones(2) * i for i in range(60)]
        nested: list[Any] = [[1, 2.5, "x", None, True, (ones(2),), {"k": np.float32}] for _ in range(40)]
        table: dict[Any, Any] = {"a": 1, 2: ones(2), b"c": {"deep": [ones(2)]}}
        many = list(range(3000))

        def f(x: Any) -> Any:
            return x + arrays[3] + nested[1][0] + table[2] + list(table).index("a") + many[5] + len(many)

        compiled = weft.function(f, autograph=False)
        x = ones(2)
        assert runs_natively(compiled, x)
        for change in (
            lambda: arrays.__setitem__(3, ones(2) * 100),
            lambda: nested[1].__setitem__(0, 7),
            lambda: nested[1].__setitem__(0, 7.0),
            lambda: table.update({2: ones(2) * 9}),
            lambda: table.update(a=table.pop("a")),
            lambda: many.append(1),
            lambda: many.__setitem__(5, 6),
            lambda: arrays.append(ones(2)),
            lambda: nested.__setitem__(1, tuple(nested[1])),
        ):
            change()
            for _ in range(3):
                same(compiled(x), f(x))

    def test_elements_of_an_array_outside(self):
        small, large = ones(2), np.zeros(1000, F32)

        def f(x: Any) -> Any:
            return x + small + large[:2]

        compiled = weft.function(f)
        assert runs_natively(compiled, ones(2))
        small[0] = 7
        same(compiled(ones(2)), F32([8, 2]))
        large[1] = 3
        same(compiled(ones(2)), F32([8, 5]))
        assert compiled.trace_count == 2
        assert runs_natively(compiled, ones(2))

    def test_attributes(self):
        class Model:
            def __init__(self) -> None:
                self.weight, self.scale, self.layers = (
                    np.ones((60, 60), F32),
                    2,
                    [ones(60), np.ones(600, F32)],
                )

            @weft.function
            def apply(self, x: Any) -> Any:
                return (x @ self.weight + self.layers[0]) * self.scale + self.layers[1][:60]

        model = Model()
        x = ones(60)
        assert runs_natively(model.apply, x)
        bound = model.apply
        assert runs_natively(bound, x)
        model.scale = 3
        same(model.apply(x), ones(60) * (61 * 3 + 1))
        model.weight = np.zeros((60, 60), F32)
        same(model.apply(x), ones(60) * 4)
        model.layers[0] = ones(60) * 2
        same(model.apply(x), ones(60) * 7)
        model.layers.append(1)
        same(model.apply(x), ones(60) * 7)
        model.weight = np.zeros((60, 60))
        assert model.apply(x).dtype == np.float64
        del model.scale
        with pytest.raises(AttributeError):
            model.apply(x)

    def test_numbers_that_change_become_data(self):
        class Step:
            count = 0.5

            @weft.function
            def apply(self, x: Any) -> Any:
                return x * self.count

        step = Step()
        for turn in range(12):
            step.count = turn + 0.5
            same(step.apply(ones(2)), ones(2) * F32(turn + 0.5))
        assert Step.apply.trace_count <= 4
        assert native_calls(Step.apply) > 4

    def test_arrays_in_two_places(self):
        class Model:
            def __init__(self) -> None:
                self.weight = np.ones(500, F32)

            @weft.function
            def apply(self, x: Any) -> Any:
                return (x + self.weight, x is self.weight)

        model = Model()
        x = np.ones(500, F32)
        assert runs_natively(model.apply, x)
        assert runs_natively(model.apply, model.weight)
        assert model.apply(x)[1] is False
        assert model.apply(model.weight)[1] is True


class TestMethods:
    def test_instances(self):
        class Model:
            def __init__(self, weight: float) -> None:
                self.weight = weight

            @weft.function
            def apply(self, x: Any, power: int = 1) -> Any:
                return x * self.weight**power

        models = [Model(i + 1.0) for i in range(5)]
        for _ in range(4):
            for model in models:
                same(model.apply(ones(1)), ones(1) * F32(model.weight))
                same(model.apply(ones(1), power=2), ones(1) * F32(model.weight**2))
                same(Model.apply(model, ones(1)), ones(1) * F32(model.weight))
        assert Model.apply.trace_count == 10
        assert native_calls(Model.apply) == 4 * 15 - 20

    def test_instances_are_not_kept(self):
        class Model:
            @weft.function
            def apply(self, x: Any) -> Any:
                return x + 1

        model = Model()
        assert runs_natively(model.apply, ones(1))
        bound = model.apply
        reference = weakref.ref(model)
        del model, bound
        gc.collect()
        assert reference() is None
        for _ in range(20):  # one of them lies where the first one was
            model = Model()
            same(model.apply(ones(1)), ones(1) + 1)
        assert Model.apply.trace_count == 21

    def test_kinds_of_methods(self):
        class Model:
            factor = 2

            @classmethod
            @weft.function
            def of_class(cls, x: Any) -> Any:
                return x * cls.factor

            @staticmethod
            @weft.function
            def of_none(x: Any) -> Any:
                return x * 3

            @property
            @weft.function
            def of_property(self) -> Any:
                return weft.ones(2) * self.factor

        model = Model()
        for _ in range(4):
            same(model.of_class(ones(1)), ones(1) * 2)
            same(Model.of_class(ones(1)), ones(1) * 2)
            same(model.of_none(ones(1)), ones(1) * 3)
            same(model.of_property, np.ones(2) * 2)
        same(functools.partial(Model.of_none, ones(1))(), ones(1) * 3)

    def test_calls_of_every_form(self):
        class Model:
            @weft.function
            def apply(self, x: Any, y: Any = 1) -> Any:
                return x + y

        model, x = Model(), ones(1)
        bound = model.apply
        for _ in range(4):
            same(bound(x), x + 1)
            same(bound(x, y=2), x + 2)
            same(bound(*[x, 3]), x + 3)
            same(bound(**{"x": x, "y": 4}), x + 4)
            same(list(map(bound, [x, x]))[1], x + 1)
            same(sorted([x], key=bound)[0], x)
            same(Model.__dict__["apply"](model, x), x + 1)
            same(weft.Function.__call__(Model.apply, model, x), x + 1)
        assert bound.trace_count == 2


class TestSwitches:
    def test_eager(self):
        pure = weft.function(lambda x: x + 1)
        assert runs_natively(pure, ones(1))
        before = native_calls(pure)
        with weft.eager():
            same(pure(ones(1)), ones(1) + 1)
            context = contextvars.copy_context()
        assert native_calls(pure) == before
        pure(ones(1))
        assert native_calls(pure) == before + 1
        context.run(pure, ones(1))
        assert native_calls(pure) == before + 1

    def test_disable_jit(self):
        f = weft.function(lambda x: x + 1)
        assert runs_natively(f, ones(1))
        before = native_calls(f)
        with weft.settings.scope(disable_jit=True):
            same(f(ones(1)), ones(1) + 1)
            weft.run_functions_eagerly(True)
            same(f(ones(1)), ones(1) + 1)
        assert native_calls(f) == before
        f(ones(1))
        assert native_calls(f) == before + 1

    def test_other_settings_change_nothing(self):
        f = weft.function(lambda x: x + 1)
        assert runs_natively(f, ones(1))
        before = native_calls(f)
        other = type(weft.settings)(disable_jit=True)
        f(ones(1))
        other.disable_jit = False
        f(ones(1))
        assert native_calls(f) == before + 2

    def test_calls_inside_of_a_trace(self):
        inner = weft.function(lambda x: x * 2)
        assert runs_natively(inner, ones(2))
        before = native_calls(inner)
        outer = weft.function(lambda x: inner(x) + inner(np.ones(2, F32)))
        same(outer(ones(2)), ones(2) * 4)
        assert native_calls(inner) == before
        assert runs_natively(outer, ones(2))

    def test_no_warning_where_compilations_are_few(self):
        f = weft.function(lambda x, n: x + np.ones((1,) * 6, F32).sum(axis=n).sum())
        with weft.settings.scope(retracing_warning=3):
            for n in range(6):
                for _ in range(4):
                    f(ones(1), n)
        assert f.trace_count == 6
