"""Functions that nobody means to write, and people do: what they return, keep, change and ask for."""

from __future__ import annotations

import collections
import gc
import subprocess
import sys
import textwrap
import threading
import weakref

import numpy as np
import pytest

import weft
from support.differential import check

X = np.arange(6.0).reshape(2, 3)


class TestResults:
    @pytest.mark.parametrize(
        "function",
        [
            lambda x: None,
            lambda x: 5,
            lambda x: [None, "text", b"b", 2**100, 1.5, ..., slice(1, 2), range(3), x.shape, x.dtype, len],
            lambda x: (np.arange(3), np.ones(1000), np.float32(3), np.zeros((0, 2))),
            lambda x: [[[[[(x + 1, {"a": [x]})]]]]],
            lambda x: (x, x[0], x.T, x[:, ::-1], x),
            lambda x: {"b": x + 1, "a": x, 1: x * 2, None: 3},
            lambda x: collections.OrderedDict(b=x + 1, a=x),
            lambda x: [x + i for i in range(100)],
        ],
    )
    def test_what_is_returned_comes_back(self, function):
        check(function, X)

    def test_dicts_keep_their_order(self):
        assert list(weft.function(lambda x: {"b": x + 1, "a": x})(X)) == ["b", "a"]

    def test_one_array_returned_twice_is_one_array(self):
        def twice(x):
            y = x + 1
            return y, [y], y[0], np.ones(2), np.zeros(2)

        first, (second,), row, ones, zeros = weft.function(twice)(X)
        assert first is second
        np.testing.assert_array_equal(row, X[0] + 1)
        np.testing.assert_array_equal((ones, zeros), ([1, 1], [0, 0]))

    def test_an_array_from_outside_is_returned_as_it_is_now(self):
        for table in (np.arange(3.0), np.arange(1000.0)):
            f = weft.function(lambda x: [x, TABLE[0]])
            TABLE[:] = [table]
            f(X)
            table[0] = 7
            assert f(X)[1][0] == 7

    def test_an_object_that_was_made_is_made_anew(self):
        f = weft.function(lambda x: Holder(x + 1))
        first, second = f(X), f(X)
        assert type(first) is Holder
        assert first is not second
        np.testing.assert_array_equal(second.value, X + 1)

    @pytest.mark.parametrize(
        "function",
        [
            lambda x: (value for value in [x + 1]),
            lambda x: map(np.sin, [x]),
            lambda x: [iter([1])],
            lambda x: lambda: x + 1,
        ],
    )
    def test_what_cannot_be_taken_apart_is_refused(self, function):
        with pytest.raises(NotImplementedError, match=r"the result holds .*; return "):
            weft.function(function)(X)

    def test_generators_and_coroutines_are_refused_when_they_are_decorated(self):
        def generator(x):
            yield x

        async def coroutine(x):
            return x

        for function in (generator, coroutine):
            with pytest.raises(TypeError, match="generators and coroutines run piece by piece"):
                weft.function(function)


TABLE: list[np.ndarray] = []


class Holder:
    def __init__(self, value):
        self.value = value


class TestArraysFromOutside:
    def test_a_small_one_changed_while_tracing_is_read_each_time(self):
        def f(x):
            buffer = np.zeros(3)
            first = x + buffer
            buffer[0] = 5
            return first, x + buffer, x * buffer

        compiled = check(f, np.ones(3))
        compiled(np.ones(3)), compiled(np.ones(3))
        assert compiled.trace_count == 1

    def test_a_large_one_changed_while_tracing_is_refused(self):
        def f(x):
            buffer = np.zeros(3000)
            first = x + buffer
            buffer[0] = 5
            return first + buffer

        with pytest.raises(
            NotImplementedError, match=r"f uses a NumPy array \(f64\[3000\]\).*changes it in Python"
        ):
            weft.function(f, autograph=False)(np.ones(3000))

    @pytest.mark.filterwarnings("ignore:the matrix subclass")
    @pytest.mark.parametrize("make", [np.matrix, np.ma.array])
    def test_arrays_with_rules_of_their_own_are_refused(self, make):
        array = make([[1.0, 2], [3, 4]])
        with pytest.raises(
            TypeError, match=r"argument 'm' is a numpy\.\S+, a kind of numpy.ndarray with rules"
        ):
            weft.function(lambda m: m * 2)(array)
        with pytest.raises(TypeError, match="an array that the function uses is a numpy"):
            weft.function(lambda x: np.multiply(x, array))(np.ones(array.shape))

    def test_attributes_of_memory_say_that_there_is_none(self):
        for name in ("ctypes", "data"):
            with pytest.raises(AttributeError, match=f"{name} of an array is not available in compiled code"):
                weft.function(lambda x, name=name: getattr(x, name))(X)
        with pytest.raises(AttributeError, match="no attribute 'foo'"):
            weft.function(lambda x: x.foo)(X)
        assert weft.function(lambda x: hasattr(x, "ctypes"))(X) is False


class TestRunTimeExtents:
    """An extent that is known only at run time is what it is in NumPy: a Python number."""

    @pytest.mark.parametrize(
        "dtype", ["float16", "float32", "float64", "complex64", "int32", "uint8", "int64"]
    )
    def test_they_do_not_promote(self, dtype):
        def f(x):
            n = x.shape[0]
            exact = [
                x + n,
                x * (n - 1),
                np.where(x > 0, x, n),
                np.maximum(x, n),
                x + n**2,
                np.sqrt(n) * x,
                x > n,
            ]
            return [*exact, x / n, np.sum(x) / x.size, x - n / 2]

        compiled = weft.function(f, input_signature=[weft.TensorSpec([None], dtype)])
        for extent in (3, 5, 10):
            x = np.arange(extent).astype(dtype)
            for got, expected in zip(compiled(x), f(x), strict=True):
                assert got.dtype == expected.dtype
                np.testing.assert_allclose(got, expected, rtol=1e-6)
        assert compiled.trace_count == 1

    def test_they_are_returned_as_python_numbers(self):
        def f(x):
            n, m = x.shape
            return x.shape, x.size, n + 1, n / 2, -n // 2, n % 2, divmod(m, 2), x.nbytes, x.ndim

        compiled = weft.function(f, input_signature=[weft.TensorSpec([None, None])])
        for shape in ((3, 4), (0, 5)):
            got = compiled(np.ones(shape))
            assert got == f(np.ones(shape))
            assert type(got[2]) is int
            assert type(got[3]) is float

    def test_one_that_an_integer_dtype_cannot_hold_raises(self):
        f = weft.function(lambda x: x + x.shape[0], input_signature=[weft.TensorSpec([None], "uint8")])
        np.testing.assert_array_equal(f(np.ones(255, np.uint8))[:2], [0, 0])
        with pytest.raises(OverflowError, match="Python integer 256 out of bounds for uint8"):
            f(np.ones(256, np.uint8))
        g = weft.function(lambda x: x < x.shape[0], input_signature=[weft.TensorSpec([None], "uint8")])
        assert g(np.full(256, 255, np.uint8)).all()


class TestLimits:
    @pytest.mark.parametrize(
        "function",
        [
            lambda x: np.broadcast_to(x, (1 << 40, 1 << 40)) + 1,
            lambda x: np.broadcast_to(x, (1 << 40, 1 << 40)).sum(),
            lambda x: weft.zeros((1 << 40, 1 << 40)) + x,
            lambda x: weft.zeros(1 << 70) + x,
            lambda x: weft.eye(1 << 40)[0, :3] + x,
            lambda x: x.reshape((1,) * 65),
            lambda x: weft.TensorSpec([1] * 65),
        ],
    )
    def test_shapes_that_no_array_can_have(self, function):
        with pytest.raises(ValueError, match=r"array is too big|maximum supported dimension"):
            weft.function(function)(np.ones(1))

    def test_what_does_not_fit_into_memory(self):
        f = weft.function(lambda x: x[:, None] + x[None, :])
        with pytest.raises(MemoryError):
            f(np.ones(1 << 24))

    @pytest.mark.parametrize("rank", [10, 33, 64])
    def test_high_ranks(self, rank):
        check(
            lambda x: (x + 1, x.sum(), x.T * 2, x[..., 0]),
            np.arange(2.0 ** min(rank, 10)).reshape((1,) * (rank - min(rank, 10)) + (2,) * min(rank, 10)),
        )

    def test_many_arguments_and_results(self):
        check(lambda *xs: sum(xs, np.zeros(3)), *[np.full(3, float(i)) for i in range(200)])
        check(lambda x: [x * i for i in range(500)], np.ones(2))

    def test_nesting_without_end(self):
        nested = [np.ones(1)]
        nested.append(nested)
        with pytest.raises(RecursionError, match="argument 'x' is nested too deeply, or holds itself"):
            weft.function(lambda x: 1)(nested)


def test_an_exponent_out_of_range_is_reported_before_a_negative_one():
    with pytest.raises(OverflowError, match="255 out of bounds for int8"):
        weft.function(lambda x: np.power(255, x))(np.array([-1], np.int8))


def test_functions_that_are_collected_while_others_compile():
    """Machine code is freed by the garbage collector, which may run at any time and in any thread."""
    program = """
    import gc, threading, numpy as np, weft
    from unittest.mock import Mock
    from weft.backend.cpu.machine import code, linking

    code.Image = Mock(side_effect=code.NotLoadable)  # all is left to LLVM

    # While code is linked:
    f = weft.function(lambda x: x + 1)
    f(np.ones(3))
    with linking._lock:
        f.clear_cache()
        gc.collect()
        assert linking._released
    weft.function(lambda x: x - 1)(np.ones(3))
    assert not linking._released

    # At any time, in any thread:
    gc.set_threshold(20)

    def compile_and_drop():
        for i in range(10):
            f = weft.function(lambda x: x + i)
            f(np.ones(3))
            f.itself = f

    threads = [threading.Thread(target=compile_and_drop) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    gc.collect()
    assert not linking._released
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(program)], check=True, timeout=120)


class TestMemory:
    def test_functions_that_are_dropped_free_their_memory(self):
        program = """
        import gc, resource, numpy as np, weft

        def resident():
            with open("/proc/self/statm") as statm:
                return int(statm.read().split()[1]) * resource.getpagesize()

        def compile_and_drop(count):
            for i in range(count):
                f = weft.function(lambda x, y: np.tanh(x @ y + i).sum(axis=0))
                f(np.ones((4, 5)), np.ones((5, 6)))
            gc.collect()

        compile_and_drop(10)
        before = resident()
        compile_and_drop(30)
        grown = resident() - before
        assert grown < 12 << 20, f"{grown >> 10} KiB"
        """
        subprocess.run([sys.executable, "-c", textwrap.dedent(program)], check=True, timeout=120)

    def test_calls_keep_no_references(self):
        table = np.arange(500.0)

        def f(x, y):
            x += 1
            return x, y[1:], x @ y, y + table[:3]

        compiled = weft.function(f)
        x, y = np.ones(3), np.ones(3)
        compiled(x, y)
        counts = sys.getrefcount(x), sys.getrefcount(y)
        for _ in range(100):
            results = compiled(x, y)
        assert results[0] is x
        output = weakref.ref(results[3])
        del results
        gc.collect()
        assert output() is None
        assert (sys.getrefcount(x), sys.getrefcount(y)) == counts

    def test_arguments_and_functions_are_not_kept_alive(self):
        compiled = weft.function(lambda x: x * 2)
        x = np.ones(3)
        compiled(x)
        argument, function = weakref.ref(x), weakref.ref(compiled)
        del x, compiled
        gc.collect()
        assert argument() is None
        assert function() is None

    def test_failing_calls_keep_nothing(self):
        compiled = weft.function(lambda x, i: x[i] * 2)
        x = np.ones(3)
        for _ in range(3):
            with pytest.raises(IndexError):
                compiled(x, np.int64(7))
        argument = weakref.ref(x)
        del x
        gc.collect()
        assert argument() is None


class TestThreads:
    def test_many_threads_with_many_signatures(self):
        def f(x, scale):
            y = np.tanh(x) * scale
            x[:1] = 5
            return {"y": y, "sum": y.sum()}

        compiled = weft.function(f)
        shapes = [(3,), (4, 2), (0, 3), (40, 70)]
        failures = []

        def work(seed):
            random = np.random.default_rng(seed)
            for _ in range(60):
                shape = shapes[random.integers(len(shapes))]
                x = random.standard_normal(shape).astype([np.float32, np.float64][random.integers(2)])
                given, scale = x.copy(), [2, 0.5][random.integers(2)]
                result, expected = compiled(given, scale), f(x, scale)
                if not np.allclose(result["y"], expected["y"], rtol=1e-5) or not np.array_equal(given, x):
                    failures.append((shape, x.dtype))

        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failures
        assert compiled.trace_count <= len(shapes) * 2 * 2

    def test_one_run_time_shape_in_many_threads(self):
        compiled = weft.function(
            lambda x: np.sort(x * 2)[::-1] - x.mean(), input_signature=[weft.TensorSpec([None])]
        )
        wrong = []

        def work(seed):
            for n in range(1, 80):
                x = np.random.default_rng(n + seed).standard_normal(n * 7 % 50 + 1)
                if not np.allclose(compiled(x), np.sort(x * 2)[::-1] - x.mean()):
                    wrong.append(n)

        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not wrong


def test_an_overlap_that_is_too_hard_to_decide_is_refused_at_once():
    def write(x, y):
        x[0] = y[0]

    memory = np.zeros(192163377, np.int8)  # never touched
    x, y = (
        np.lib.stride_tricks.as_strided(memory[start:], (1049, 1049, 1049), strides)
        for start, strides in ((0, (36674, 61119, 85569)), (64023025, (12223, 12224, 1)))
    )
    with pytest.raises(np.exceptions.TooHardError):
        np.shares_memory(x, y, max_work=1000)
    with pytest.raises(ValueError, match="overlap in memory"):
        weft.function(write)(x, y)


def test_consecutive_loops_differ_in_a_constant():
    """The first begins with a constant where the others begin with what the one before left."""

    def several(x, n):
        s = 0.0
        for _ in range(n):
            s = s * 1.5 + 0.0
        for _ in range(n):
            s = s * 1.5 + 1.0
        for _ in range(n):
            s = s * 1.5 + 2.0
        return s + x[0]

    x = X[0]
    assert weft.function(several)(x, np.int64(5)) == several(x, 5)
