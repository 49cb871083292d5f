"""`weft.function`: what is a signature, what calls are one trace, what goes in and out."""

from __future__ import annotations

import collections
import dataclasses
import functools
import gc
import pickle
import threading
import weakref
from unittest import mock

import numpy as np
import pytest

import weft
from support.differential import check

F32 = np.float32


def ones(*shape: int, dtype: type = F32) -> np.ndarray:
    return np.ones(shape, dtype)


@weft.function
def module_level(x):
    return x + 1


class TestSignatures:
    def test_equal_dtype_and_shape_reuse_one_trace(self):
        f = weft.function(lambda x: x + 1)
        f(ones(2)), f(ones(2) * 3)
        assert f.trace_count == 1

    def test_new_dtype_or_shape_traces_again(self):
        f = weft.function(lambda x: x + 1)
        f(ones(2)), f(ones(2, dtype=np.int32)), f(ones(3))
        assert f.trace_count == 3

    def test_python_values_are_part_of_the_signature_by_value(self):
        f = weft.function(lambda x, n: x * n)
        np.testing.assert_array_equal(f(ones(2), 2), [2, 2])
        np.testing.assert_array_equal(f(ones(2), 3), [3, 3])
        f(ones(2), 2)
        assert f.trace_count == 2
        assert f(ones(2), 2.0).dtype == F32
        assert f.trace_count == 3

    def test_numpy_scalars_are_data(self):
        f = weft.function(lambda x, n: x * n)
        f(ones(2), np.int64(1)), f(ones(2), np.int64(5))
        assert f.trace_count == 1
        np.testing.assert_array_equal(f(ones(2), np.int64(5)), [5.0, 5.0])

    def test_calls_that_come_again_tell_numbers_apart(self):
        """They take a shorter way than first calls."""
        numbers = [
            1, 1.0, True, 0.0, -0.0, 0, False, float("nan"), np.int64(1), np.float64(1), np.bool_(True),
            np.float32(1), np.asarray(1), np.asarray(1.0),
        ]  # fmt: skip
        f = weft.function(lambda x, n: (x / 2 * n, np.copysign(x, n), type(n).__name__))
        first = [f(np.float32([1, 2]), number) for number in numbers]
        count = f.trace_count
        for _ in range(2):
            for number, (product, signed, name) in zip(numbers, first, strict=True):
                again = f(np.float32([3, 4]), number)
                assert again[0].dtype == product.dtype
                np.testing.assert_array_equal(again[0], product + np.asarray(number, product.dtype))
                np.testing.assert_array_equal(np.signbit(again[1]), np.signbit(signed))
                assert again[2] == name
        assert (
            f.trace_count == count == len(numbers) - 2
        )  # the third and later floats are data, as the second

    def test_positional_keyword_and_default_arguments_are_one_signature(self):
        @weft.function
        def f(a, b=2):
            return a * b

        f(ones(1), 2), f(a=ones(1)), f(ones(1), b=2), f(b=2, a=ones(1))
        assert f.trace_count == 1

    def test_dicts_are_walked_in_their_own_order(self):
        def f(d, **others):
            total = 0
            for value in (*d.values(), *others.values()):
                total = total * 2 + value
            return total, list(d), list(others)

        compiled = weft.function(f)
        a, b = ones(2), ones(2) * 3
        for _ in range(3):
            for d in ({"a": a, "b": b}, {"b": b, "a": a}):
                for others in ({"x": b, "y": a}, {"y": a, "x": b}):
                    got, expected = compiled(d, **others), f(d, **others)
                    np.testing.assert_array_equal(got[0], expected[0])
                    assert got[1:] == expected[1:]
        assert compiled.trace_count == 4

    def test_lists_and_tuples_differ(self):
        f = weft.function(lambda p: p[0] + p[1])
        f([ones(1), ones(1)]), f((ones(1), ones(1)))
        assert f.trace_count == 2

    def test_negative_zero_is_another_value(self):
        f = weft.function(lambda x, c: x * c)
        f(ones(1), 0.0), f(ones(1), -0.0), f(ones(1), float("nan")), f(ones(1), float("nan"))
        assert f.trace_count == 2

    def test_objects_are_compared_by_identity_and_not_kept_alive(self):
        class Scale:
            factor = 2

        f = weft.function(lambda x, o: x * o.factor)
        scale = Scale()
        f(ones(1), scale), f(ones(1), scale)
        assert f.trace_count == 1
        reference = weakref.ref(scale)
        del scale
        gc.collect()
        assert reference() is None

    def test_two_functions_never_share_traces(self):
        def g(x):
            return x + 1

        first, second = weft.function(g), weft.function(g)
        first(ones(1)), second(ones(1))
        assert first.trace_count == second.trace_count == 1

    def test_same_array_twice_is_one_array(self):
        def f(a, b):
            a += 1
            return a + b

        compiled = weft.function(f)
        x, y = ones(3), ones(3)
        np.testing.assert_array_equal(compiled(x, x), f(y, y))
        np.testing.assert_array_equal(x, y)
        np.testing.assert_array_equal(compiled(ones(3), ones(3)), [3, 3, 3])
        assert compiled.trace_count == 2

    def test_concurrent_first_calls_compile_once(self):
        f = weft.function(lambda x: np.tanh(x) * 2)
        results, barrier = [], threading.Barrier(8)

        def work():
            barrier.wait()
            for _ in range(20):
                results.append(f(ones(5)))

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert f.trace_count == 1
        assert len(results) == 160
        for result in results:
            np.testing.assert_allclose(result, np.tanh(ones(5)) * 2, rtol=1e-6)


Point = collections.namedtuple("Point", ["x", "y"])


@dataclasses.dataclass
class Pair:
    left: np.ndarray
    right: np.ndarray


class TestStructures:
    def test_nested_results_keep_their_types(self):
        check(lambda x: {"a": [x + 1, (x * 2,)], "p": Point(x - 1, 3), "none": None, "text": "s"}, ones(2))

    def test_dataclasses_go_in_and_out(self):
        f = weft.function(lambda p: Pair(p.right + 1, p.left))
        pair = Pair(ones(2), ones(3))
        result = f(pair)
        assert isinstance(result, Pair)
        np.testing.assert_array_equal(result.left, [2, 2, 2])
        assert result.right is pair.left

    def test_namedtuple_argument(self):
        check(lambda p: p.x * 2 + p.y, Point(ones(2), ones(2)))

    def test_var_arguments(self):
        check(lambda *xs: sum(xs[1:], xs[0]), ones(2), ones(2) * 2, ones(2) * 4)
        f = weft.function(lambda x, **others: x + others["b"] - others["a"])
        np.testing.assert_array_equal(f(ones(1), a=ones(1), b=ones(1) * 5), [5])

    def test_arguments_are_returned_as_they_are(self):
        x = ones(3)
        f = weft.function(lambda x: (x, x[1:], x.T))
        same, view, transposed = f(x)
        assert same is x
        assert np.shares_memory(view, x)
        assert transposed.base is x or np.shares_memory(transposed, x)

    def test_results_of_rank_zero_are_scalars_where_numpy_gives_scalars(self):
        check(lambda x: (np.sum(x), x[0], x[0] + 1, np.sum(x).reshape(()), x[:1].reshape(())), ones(3))

    def test_function_without_array_arguments(self):
        f = weft.function(lambda: weft.arange(3) * 2)
        np.testing.assert_array_equal(f(), [0, 2, 4])


class TestCallables:
    def test_method_has_a_trace_for_each_instance(self):
        class Model:
            def __init__(self, weight):
                self.weight = weight

            @weft.function
            def apply(self, x):
                return x * self.weight

        first, second = Model(2.0), Model(3.0)
        for _ in range(2):
            np.testing.assert_array_equal(first.apply(ones(1)), [2])
            np.testing.assert_array_equal(second.apply(ones(1)), [3])
        assert Model.apply.trace_count == 2

    def test_lambda_partial_and_callable_object(self):
        class Adder:
            def __call__(self, x):
                return x + 10

        np.testing.assert_array_equal(weft.function(functools.partial(lambda a, b: a - b, b=1))(ones(1)), [0])
        np.testing.assert_array_equal(weft.function(Adder())(ones(1)), [11])

    def test_decorator_with_and_without_arguments(self):
        @weft.function
        def plain(x):
            """Add one."""
            return x + 1

        @weft.function(name="renamed")
        def named(x):
            return x + 1

        assert plain.__name__ == "plain"
        assert plain.__doc__ == "Add one."
        assert "@renamed" in named.get_concrete_function(ones(1)).as_text("weft")

    def test_nested_functions_are_inlined(self):
        inner = weft.function(lambda x: x * 2)
        outer = weft.function(lambda x: inner(x) + 1)
        np.testing.assert_array_equal(outer(ones(2)), [3, 3])
        assert inner.trace_count == 0
        np.testing.assert_array_equal(inner(ones(2)), [2, 2])

    def test_pickle_brings_the_function_along(self):
        copy = pickle.loads(pickle.dumps(module_level))
        np.testing.assert_array_equal(copy(ones(1)), [2])

    def test_helpers_come_along(self):
        def helper(a):
            a[0] = 5
            return a * 2

        def f(x):
            y = x + 0
            z = helper(y)
            return y, z

        check(f, ones(3))


class TestInputSignature:
    def test_unknown_extents_are_one_trace(self):
        f = weft.function(lambda x: x * 2 + np.sum(x), input_signature=[weft.TensorSpec([None], "float32")])
        for length in (2, 3, 100, 0):
            x = np.arange(length, dtype=F32)
            np.testing.assert_array_equal(f(x), x * 2 + np.sum(x))
        assert f.trace_count == 1

    def test_shapes_that_come_again_find_their_trace(self):
        with mock.patch("weft.backend.cpu.dispatch.entries.MOST_ENTRIES", 3):
            f = weft.function(lambda x, y: x + y, input_signature=[weft.TensorSpec([None], "float32")] * 2)
            for size in (2, 3, 2, 1, 4, 5, 6, 3, 2, 1):
                np.testing.assert_array_equal(f(ones(size), ones(size) * 2), ones(size) * 3)
                with pytest.raises(ValueError, match="could not be broadcast together"):
                    f(ones(size + 1), ones(size + 2))
        assert f.trace_count == 2
        with pytest.raises(TypeError, match=r"argument 'x' must be f32\[\?\], but f64\[2\] was given"):
            f(np.ones(2), ones(2))

    def test_extent_one_broadcasts(self):
        spec = weft.TensorSpec([None], "float32")
        f = weft.function(lambda x, y: x + y, input_signature=[spec, spec])
        np.testing.assert_array_equal(f(ones(1), ones(4)), [2, 2, 2, 2])
        np.testing.assert_array_equal(f(ones(3), ones(3)), [2, 2, 2])

    def test_unequal_run_time_extents_are_refused(self):
        spec = weft.TensorSpec([None], "float32")
        f = weft.function(lambda x, y: x + y, input_signature=[spec, spec])
        with pytest.raises(ValueError, match="could not be broadcast together"):
            f(ones(3), ones(4))

    def test_calls_that_do_not_fit_name_the_argument(self):
        f = weft.function(lambda weights: weights, input_signature=[weft.TensorSpec([None], "float32")])
        with pytest.raises(TypeError, match=r"argument 'weights' must be f32\[\?\], but i32\[2\] was given"):
            f(ones(2, dtype=np.int32))
        with pytest.raises(TypeError, match=r"f32\[2,2\] was given"):
            f(ones(2, 2))

    def test_python_numbers_become_arrays(self):
        f = weft.function(lambda x: x + 1, input_signature=[weft.TensorSpec([], "int32")])
        assert f(3) == 4
        assert f(4) == 5
        assert f.trace_count == 1
        with pytest.raises(TypeError, match="argument 'x'"):
            f("three")

    def test_attributes_of_classes_are_methods_if_they_take_an_instance(self):
        spec = weft.TensorSpec([None])
        increased = weft.function(lambda x: x + 1, input_signature=[spec])

        class Model:
            activation = increased
            doubled = weft.function(lambda self, x: x * 2, input_signature=[spec])
            summed = weft.function(lambda self, *x: x[0], input_signature=[spec])

        np.testing.assert_array_equal(increased([1.0]), [2])
        np.testing.assert_array_equal(Model.activation([1.0]), [2])
        np.testing.assert_array_equal(Model().doubled([1.0]), [2])
        np.testing.assert_array_equal(Model().summed([1.0]), [1])

    def test_too_many_entries(self):
        with pytest.raises(ValueError, match=r"input_signature of .* has 2 entries"):
            weft.function(lambda x: x, input_signature=[weft.TensorSpec([]), weft.TensorSpec([])])


class TestConcreteFunction:
    def test_from_examples_and_specs(self):
        f = weft.function(lambda x, n: x * n)
        by_spec = f.get_concrete_function(weft.TensorSpec([2], "float32"), 3)
        by_example = f.get_concrete_function(ones(2), 3)
        assert by_spec is by_example
        np.testing.assert_array_equal(by_spec(ones(2), 3), [3, 3])
        assert f.trace_count == 1

    def test_refuses_what_it_was_not_made_for(self):
        concrete = weft.function(lambda x, n: x * n).get_concrete_function(ones(2), 3)
        with pytest.raises(
            TypeError, match=r"argument 'n' of .* is 3, as tracing has fixed it, but 4 was given"
        ):
            concrete(ones(2), 4)
        with pytest.raises(TypeError, match=r"must be f32\[2\], but f64\[2\]"):
            concrete(np.ones(2), 3)

    @pytest.mark.parametrize(
        ("stage", "content"),
        [
            ("weft", '"weft.tanh"'),
            ("optimized", '"weft.tanh"'),
            ("linalg", "linalg.generic"),
            ("kernels", "func.func private"),
            ("buffers", "memref"),
            pytest.param("loops", "scf.for", marks=pytest.mark.processor),
            pytest.param("llvm-dialect", "llvm.func", marks=pytest.mark.processor),
            pytest.param("llvm", "define", marks=pytest.mark.processor),
            pytest.param("optimized-llvm", "define", marks=pytest.mark.processor),
            pytest.param("asm", "ret", marks=pytest.mark.processor),
        ],
    )
    def test_stages(self, stage, content):
        concrete = weft.function(lambda x: np.tanh(x) + 1).get_concrete_function(ones(200))
        assert content in concrete.as_text(stage)

    @pytest.mark.processor
    def test_unknown_stage_lists_the_stages(self):
        concrete = weft.function(lambda x: x + 1).get_concrete_function(ones(2))
        with pytest.raises(
            ValueError, match="there is no stage 'http'; the stages are: weft, optimized, linalg"
        ):
            concrete.as_text("http")
        with pytest.raises(
            ValueError, match="'ptx' is not a stage of the CPU backend: linalg, kernels, buffers"
        ):
            concrete.as_text("ptx")

    def test_signatures_are_printed(self):
        f = weft.function(lambda x, n: {"y": x * n}, name="scaled")
        f(ones(2), 3)
        assert f.pretty_printed_concrete_signatures() == "scaled(x: f32[2], n=3)\n  returns {'y': f32[2]}"


class TestEagerSwitch:
    def test_run_functions_eagerly(self):
        calls = []

        @weft.function
        def f(x):
            calls.append(type(x))
            return x + 1

        weft.run_functions_eagerly(True)
        try:
            f(ones(1)), f(ones(1))
        finally:
            weft.run_functions_eagerly(False)
        with weft.eager():
            f(ones(1))
        assert calls == [np.ndarray] * 3
        assert f.trace_count == 0
        f(ones(1))
        assert f.trace_count == 1


class TestKindsOfInput:
    @pytest.mark.parametrize(
        "x",
        [
            np.arange(12.0).reshape(3, 4).T,
            np.arange(12.0)[::-2],
            np.arange(12.0).astype(">f8"),
            np.frombuffer(b"\0" + np.arange(3.0).tobytes(), np.uint8)[1:].view(np.float64),
            np.zeros((0, 3)),
            np.array(5.0),
            np.broadcast_to(np.arange(3.0), (2, 3)),
        ],
        ids=["transposed", "strided", "byte-swapped", "misaligned", "zero-size", "0-d", "broadcast"],
    )
    def test_arrays_of_any_layout(self, x):
        f = weft.function(lambda x: x * 2 + 1)
        got, expected = f(x), x * 2 + 1
        assert got.dtype == expected.dtype.newbyteorder("=")
        assert got.shape == expected.shape
        np.testing.assert_array_equal(got, expected)

    def test_strided_arguments_are_written_in_place(self):
        def f(x):
            x[1:] += 10
            return np.sum(x)

        base, expected = np.arange(10.0), np.arange(10.0)
        assert weft.function(f)(base[::2]) == f(expected[::2])
        np.testing.assert_array_equal(base, expected)

    def test_read_only_arguments(self):
        x = np.arange(3.0)
        x.flags.writeable = False
        np.testing.assert_array_equal(weft.function(lambda x: x + 1)(x), x + 1)

        def write(x):
            x[0] = 1

        def write_what_is_there(x):
            x[...] = x

        for function in (write, write_what_is_there):
            with pytest.raises(
                ValueError, match=r"assignment destination is read-only: write.* writes to its argument 'x'"
            ):
                weft.function(function)(x)

    def test_overlapping_arguments_that_are_written_are_refused(self):
        def f(a, b):
            a += b

        x = np.arange(6.0)
        with pytest.raises(ValueError, match="arguments 'a' and 'b' of f overlap in memory"):
            weft.function(f)(x[1:], x[:-1])
        np.testing.assert_array_equal(x, np.arange(6.0))

    def test_objects_with_array_interface_and_dlpack(self):
        class Wrapped:
            def __array__(self, dtype=None, copy=None):
                return np.arange(3.0)

        class Exchanged:
            def __dlpack__(self, **kwargs):
                return np.arange(3.0).__dlpack__(**kwargs)

            def __dlpack_device__(self):
                return np.arange(3.0).__dlpack_device__()

        f = weft.function(lambda x: x * 2)
        np.testing.assert_array_equal(f(Wrapped()), [0, 2, 4])
        np.testing.assert_array_equal(f(Exchanged()), [0, 2, 4])


class TestCapturedArrays:
    def test_large_ones_are_read_at_each_call(self):
        table = np.arange(1000.0)
        f = weft.function(lambda x: x + table)
        f(np.zeros(1000))
        table[0] = 7
        assert f(np.zeros(1000))[0] == 7
        assert f.trace_count == 1

    def test_small_ones_are_compared_at_each_call(self):
        table = np.arange(3.0)
        f = weft.function(lambda x: x + table)
        f(np.zeros(3)), f(np.zeros(3))
        assert f.trace_count == 1
        table[0] = 7
        np.testing.assert_array_equal(f(np.zeros(3)), [7, 1, 2])
        assert f.trace_count == 2

    def test_resizing_one_compiles_again(self):
        table = np.arange(400.0)
        f = weft.function(lambda x: np.sum(x * table))
        assert f(np.ones(1)) == 79800
        table.resize(300, refcheck=False)
        assert f(np.ones(1)) == 44850
        assert f.trace_count == 2


@pytest.mark.parametrize(
    "name", ["sin", "pow", "cexp", "free", "memcpy", "kernel_0", "weft_exit", "größe", "main"]
)
def test_functions_may_have_any_name(name):
    def compute(x):
        matrix = np.sin(x) + x**0.7 + np.exp(x + 0j).real
        return np.sort(matrix @ matrix.T, axis=0)[np.array([0, -1])]

    compute.__name__ = name
    f = weft.function(compute)
    x = np.random.default_rng(0).random((5, 7))
    np.testing.assert_allclose(f(x), compute(x), rtol=1e-12)
    assert f.pretty_printed_concrete_signatures().startswith(f"{name}(")


def test_a_wrapper_sees_what_its_caller_writes():
    """And neither defaults nor places of what it wraps."""

    def telling(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            return function(*args, **kwargs), len(args), sorted(kwargs)

        return wrapper

    @telling
    def f(x, scale=2.0, *, shift=1):
        return x * scale + shift

    compiled = weft.function(f)
    for args, kwargs in [
        ((1.0,), {}),
        ((1.0, 3.0), {}),
        ((1.0,), {"scale": 3.0}),
        ((), {"x": 1.0, "shift": 2}),
    ]:
        assert compiled(*args, **kwargs) == f(*args, **kwargs)
    with pytest.raises(TypeError, match="unexpected keyword argument 'other'"):
        compiled(1.0, other=2)
    described = weft.function(f, input_signature=[weft.TensorSpec([None], np.float64)])
    np.testing.assert_array_equal(described(np.ones(3))[0], f(np.ones(3))[0])
