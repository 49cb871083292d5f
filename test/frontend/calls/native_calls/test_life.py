"""Native calls that fail, call each other, run in threads, and end with their functions; no reference is lost."""

from __future__ import annotations

import contextlib
import copy
import gc
import pickle
import sys
import threading
import traceback
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from support.native_calls import F32, Pair, native_calls, ones, runs_natively, same
from weft.backend.cpu.dispatch.objects import is_supported

pytestmark = pytest.mark.skipif(not is_supported(), reason="calls go through Python here")


@pytest.fixture(autouse=True)
def _only_what_is_new_is_collected() -> None:
    """What tests before left in this process is not walked by each of many collections."""
    gc.collect()
    gc.freeze()  # for good: what conftest.py froze would come back with it


class TestErrors:
    def test_the_line_is_shown(self):
        def f(x: Any, i: Any) -> Any:
            return x[i] + 1  # the place

        compiled = weft.function(f)
        assert runs_natively(compiled, ones(3), np.int64(2))
        before = native_calls(compiled)
        texts = []
        for _ in range(2):
            with pytest.raises(IndexError, match="index 5 is out of bounds") as caught:
                compiled(ones(3), np.int64(5))
            texts.append("".join(traceback.format_tb(caught.tb)))
        assert native_calls(compiled) == before + 2
        assert all("return x[i] + 1  # the place" in text for text in texts)
        assert {frame.filename for frame in traceback.extract_tb(caught.tb)} == {__file__}
        assert native_calls(compiled) == before + 2
        same(compiled(ones(3), np.int64(1)), F32(2))

    def test_context_of_an_error(self):
        f = weft.function(lambda x, i: x[i])
        for _ in range(3):
            f(ones(3), np.int64(0))
        first = KeyError("before")

        def call() -> None:
            try:
                raise first
            except KeyError:
                f(ones(3), np.int64(9))

        with pytest.raises(IndexError) as caught:
            call()
        assert caught.value.__context__ is first

    def test_guards_that_raise(self):
        class Key:
            broken = False

            def __hash__(self) -> int:
                return 1

            def __eq__(self, other: object) -> bool:
                if Key.broken:
                    raise ZeroDivisionError
                return self is other

        f = weft.function(lambda x, c: x + 1)
        constant = frozenset([Key()])
        assert runs_natively(f, ones(1), constant)
        Key.broken = True
        with contextlib.suppress(ZeroDivisionError):
            f(ones(1), constant)
        Key.broken = False
        same(f(ones(1), constant), ones(1) + 1)

    def test_python_that_is_called_and_raises(self):
        def check(x: Any) -> None:
            if x[0] > 2:
                raise ValueError(f"too large: {x[0]}")

        def f(x: Any) -> Any:
            weft.py_call(check, x)
            return x + 1

        compiled = weft.function(f)
        assert runs_natively(compiled, ones(2))
        for _ in range(3):
            with pytest.raises(ValueError, match=r"too large: 3\.0"):
                compiled(ones(2) * 3)
            same(compiled(ones(2)), ones(2) + 1)

    def test_interrupts(self):
        def interrupt(x: Any) -> None:
            if x[0] > 2:
                raise KeyboardInterrupt

        def f(x: Any) -> Any:
            weft.py_call(interrupt, x)
            return x + 1

        compiled = weft.function(f)
        assert runs_natively(compiled, ones(2))
        with pytest.raises(KeyboardInterrupt):
            compiled(ones(2) * 3)
        same(compiled(ones(2)), ones(2) + 1)


@weft.function
def _module_level(x: Any) -> Any:
    return x + 1


class TestLife:
    def test_python_that_calls_the_function_again(self):
        depth = []

        def again(x: Any) -> Any:
            if len(depth) < 5:
                depth.append(1)
                return f(x + 1)
            return x

        @weft.function
        def f(x: Any) -> Any:
            return weft.py_call(again, x, result=weft.TensorSpec([2], F32)) * 2

        x = ones(2)
        for _ in range(4):
            depth.clear()
            same(f(x), (x + 5) * 2**6)

    def test_cache_is_cleared_while_it_runs(self):
        def clear(x: Any) -> None:
            f.clear_cache()
            gc.collect()

        @weft.function
        def f(x: Any) -> Any:
            weft.py_call(clear, x)
            return np.sqrt(x) + 1

        for _ in range(6):
            same(f(ones(2)), np.sqrt(ones(2)) + 1)
        assert f.trace_count == 6

    def test_threads(self):
        functions = [weft.function(lambda x, n: np.sum(x * n) + n) for _ in range(2)]
        x = ones(40000)
        wrong = []

        def work(seed: int) -> None:
            for turn in range(300):
                n = F32((seed + turn) % 7)
                result = functions[turn % 2](x, n)
                if result != F32(40000) * n + n:
                    wrong.append((result, n))
                if turn % 100 == seed:
                    functions[0].clear_cache()

        threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not wrong

    def test_functions_are_freed(self):
        f = weft.function(lambda x: x + 1)
        assert runs_natively(f, ones(2))
        code = weakref.ref(f._known.concretes[0]._executable)
        result = f(ones(2))
        reference = weakref.ref(f)
        del f
        gc.collect()
        assert reference() is None
        assert code() is None
        same(result, ones(2) * 2)

    def test_cleared_specialisations_are_freed(self):
        f = weft.function(lambda x: x + 1)
        assert runs_natively(f, ones(2))
        code = weakref.ref(f._known.concretes[0]._executable)
        f.clear_cache()
        gc.collect()
        assert code() is None
        assert runs_natively(f, ones(2))

    def test_arguments_are_not_kept(self):
        def f(tree: Any, y: Any) -> Any:
            return {"a": tree[0] + y, "view": tree[0][1:]}

        compiled = weft.function(f)
        tree, y = [ones(3)], ones(3)
        assert runs_natively(compiled, tree, y)
        references = [weakref.ref(tree[0]), weakref.ref(y)]
        del tree, y
        gc.collect()
        assert [reference() for reference in references] == [None, None]

    def test_copies(self):
        assert runs_natively(_module_level, ones(1))
        for other in (pickle.loads(pickle.dumps(_module_level)), copy.copy(_module_level)):
            same(other(ones(1)), ones(1) + 1)

    def test_subclasses_of_functions(self):
        class Counting(weft.Function):
            calls = 0

            def __call__(self, *args: Any, **kwargs: Any) -> Any:
                self.calls += 1
                return super().__call__(*args, **kwargs)

        f = Counting(lambda x: x + 1, None, None)
        for _ in range(5):
            same(f(ones(1)), ones(1) + 1)
        assert f.calls == 5


@pytest.mark.processor  # so many calls take hours in the emulator
class TestReferences:
    """No call keeps a reference, or gives one back that it does not have."""

    def check(self, call: Callable[[], Any], participants: list[Any], calls: int = 20_000) -> None:
        for _ in range(4):
            call()
        gc.collect()
        before = [sys.getrefcount(value) for value in participants]
        for _ in range(calls):
            call()
        gc.collect()
        after = [sys.getrefcount(value) for value in participants]
        assert [now - then for now, then in zip(after, before, strict=True)] == pytest.approx(
            [0] * len(participants), abs=50
        )
        blocks = sys.getallocatedblocks()
        for _ in range(calls):
            call()
        gc.collect()
        assert sys.getallocatedblocks() - blocks < 200

    def test_results_and_trees(self):
        x, w, c = ones(3), np.ones((3, 3)), "constant"
        tree = {"w": [w, w + 1], "c": c, "t": (x,), "p": Pair(w, 1)}
        f = weft.function(
            lambda x, tree: ([x + 1, tree["w"][1]], {"s": np.sum(x), "c": c}, tree["t"][0], x[1:])
        )
        assert runs_natively(f, x, tree)
        participants = [
            x,
            w,
            c,
            tree,
            tree["w"],
            tree["w"][1],
            tree["t"],
            tree["p"],
            Pair,
            x.dtype,
            w.dtype,
            None,
            f,
        ]
        self.check(lambda: f(x, tree), participants)

    def test_arguments_by_name(self):
        x, n = ones(3), np.float32(2)
        f = weft.function(lambda x, y=3, *, n, flag=True: x * n + y)
        assert runs_natively(f, x, n=n)
        self.check(lambda: f(n=n, x=x), [x, n, True, 3, x.dtype])

    def test_guards(self):
        class Model:
            def __init__(self) -> None:
                self.w, self.k, self.table = np.ones(600), 2.5, {"a": np.ones(3), "b": [np.ones(400)]}

            @weft.function
            def apply(self, x: Any) -> Any:
                return (
                    x * self.k
                    + self.w[:3]
                    + self.table["a"]
                    + self.table["b"][0][:3]
                    + len(str(_module_level))
                )

        model, x = Model(), np.ones(3)
        assert runs_natively(model.apply, x)
        self.check(
            lambda: model.apply(x),
            [model, x, model.w, model.k, model.table, model.table["a"], model.table["b"], Model, vars(model)],
        )

    def test_failures(self):
        x, i = ones(3), np.int64(7)
        f = weft.function(lambda x, i: [x + 1, x[i]])
        assert runs_natively(f, x, np.int64(1))

        def call() -> None:
            with contextlib.suppress(IndexError):
                f(x, i)

        self.check(call, [x, i, x.dtype, IndexError], calls=1000)

    def test_misses(self):
        x, y, k = ones(3), ones(3), "other"
        f = weft.function(lambda t, k: t[0] + t[1])
        assert runs_natively(f, [x, y], "one")
        tree = [x, [y]]

        def call() -> None:
            with contextlib.suppress(TypeError):
                f(tree, k)

        self.check(call, [x, y, k, tree, f], calls=1000)

    def test_bound_methods(self):
        class Model:
            @weft.function
            def apply(self, x: Any, *, y: Any) -> Any:
                return x + y

        model, x, y = Model(), ones(1), ones(1)
        assert runs_natively(model.apply, x, y=y)
        bound = model.apply
        self.check(lambda: bound(x, y=y), [model, x, y, bound, Model.apply])
        self.check(lambda: model.apply(*(x,), y=y), [model, x, y, Model.apply])

    def test_memory_over_many_calls(self):
        x = np.ones(1)
        f = weft.function(lambda x: x + 1)
        assert runs_natively(f, x)
        self.check(lambda: f(x), [x, x.dtype, f], calls=1_000_000)

    def test_resident_memory(self):
        resource = pytest.importorskip("resource")
        x, index = np.ones(2000), np.int64(10**6)
        f = weft.function(lambda x, i: (x + 1, [x[i]], {"copy": x * 2}))
        assert runs_natively(f, x, np.int64(3))

        def fail() -> None:
            with contextlib.suppress(IndexError):
                f(x, index)

        for call, calls in (
            (lambda: f(x, np.int64(3)), 100_000),
            (lambda: f(x[::2], np.int64(3)), 50_000),
            (fail, 5000),
        ):
            for _ in range(1000):
                call()
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            for _ in range(calls):
                call()
            grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
            assert grown < 16 << 10, "16 MiB, where one array a call would be 80 MB"
