"""`weft.Variable`: an array under a name, in NumPy and in compiled functions."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import weft
from support.differential import assert_same

F64, I64 = np.float64, np.int64


def test_it_computes_as_its_array():
    w, n = weft.Variable([1.0, 2.0, 3.0], name="w"), weft.Variable(2, dtype="int32")
    array, number = w.value, n.value
    assert_same(
        (w + 1, 2 * w, -w, w > 2, w @ w, w[1:]),
        (array + 1, 2 * array, -array, array > 2, array @ array, array[1:]),
    )
    assert_same(
        (np.sin(w), np.stack([w, w]), np.max(w), w.sum(), w.T),
        (np.sin(array), np.stack([array] * 2), F64(3), F64(6), array),
    )
    assert_same((n + 1, float(n), list(range(n))), (number + 1, 2.0, [0, 1]))
    assert_same((len(w), list(w)), (3, list(array)))
    assert (w.shape, w.dtype, w.ndim, w.size, n.dtype) == ((3,), np.float64, 1, 3, np.int32)
    assert (str(w), f"{n:03d}", repr(w)) == ("[1. 2. 3.]", "002", "Variable(array([1., 2., 3.]), name='w')")
    assert_same(weft.multiply(w, n), array * 2)


def test_it_stays_the_same_array():
    w = weft.Variable(np.ones(3), trainable=False)
    name, array = w, w.value
    w += 1
    w[0] = 7
    assert w.assign_add([1, 1, 1]) is w.assign_sub(1) is np.multiply(w, 2, out=w) is w is name
    assert w.value is array
    assert_same(array, np.array([14.0, 4.0, 4.0]))
    for other in (copy.copy(w), copy.deepcopy(w), pickle.loads(pickle.dumps(w))):
        assert_same(other.value, array)
        assert not other.trainable
        assert not np.shares_memory(other.value, array)


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        ([1.0, 2.0], ValueError, r"the Variable 'w' of shape \(3,\) is assigned an array of shape \(2,\)"),
        (1.0, ValueError, r"of shape \(\)"),
        (np.ones(3) * 1j, TypeError, "of float64 is assigned complex128"),
        (1j, TypeError, "which it cannot hold"),
        (["a", "b", "c"], TypeError, "dtype"),
    ],
)
def test_what_does_not_fit_is_refused(value, error, message):
    w = weft.Variable([1.0, 2.0, 3.0], name="w")

    @weft.function
    def assigned():
        w.assign(value)

    for assign in (lambda: w.assign(value), assigned):
        with pytest.raises(error, match=message):
            assign()
    assert_same(w.value, np.array([1.0, 2.0, 3.0]))


def test_numbers_fit_by_their_kind():
    small = weft.Variable(0, dtype="uint8")
    assert int(small.assign(200)) == 200
    with pytest.raises(OverflowError):
        small.assign(300)
    with pytest.raises(TypeError, match="of uint8 is assigned float64"):
        small.assign(1.0)
    with pytest.raises(TypeError):
        small.assign(np.int64(1))
    assert float(weft.Variable(1.0, dtype="bfloat16").assign(3)) == 3


def test_an_array_that_does_not_fit_at_run_time():
    w = weft.Variable([1.0, 2.0])

    @weft.function(input_signature=[weft.TensorSpec([None])])
    def assigned(x):
        return w.assign(x)

    assert assigned(np.array([3.0, 4.0])) is w
    with pytest.raises(ValueError, match=r"of shape \(2,\) is assigned an array of shape \(3,\)"):
        assigned(np.zeros(3))
    assert_same(w.value, np.array([3.0, 4.0]))


class TestCompiled:
    def test_it_is_as_eagerly(self, capsys):
        w, calls = weft.Variable([1.0, 2.0, 3.0]), weft.Variable(0)

        @weft.function
        def everything(x, n):
            y = w * 2 + x @ w
            for _ in range(n):
                w.assign_add(x)
                if w[0] > 10:
                    calls.assign_add(1)
            w[1] = 5
            y += w
            if calls:
                y = y + 100 - w
            print(w, f"{calls}", "%s %s" % (calls, n), "{}".format(w), [w, {"n": calls}], str(w))  # noqa: UP031, UP032
            rows = [row for row in w]  # noqa: C416
            together = np.stack([w, w]) + np.max([w[0], x[0]])
            read = (
                w.value.copy(),
                np.sin(w),
                x + w,
                w + w,
                abs(w),
                float(calls),
                sum(w),
                max(w),
                len(w),
                w.shape,
            )
            return y, together, read, rows, w > calls, w.sum(axis=0), w.T

        def run(function):
            w.assign([1.0, 2.0, 3.0])
            calls.assign(0)
            results = function(np.ones(3), I64(12))
            return results, w.value.copy(), calls.value.copy(), capsys.readouterr().out

        expected = run(everything.python_function)
        for _ in range(3):
            results = run(everything)
            assert_same(results[0], expected[0], rtol=1e-15)
            assert_same(results[1:], expected[1:])
        assert everything.trace_count == 1

    def test_it_is_told_by_its_identity(self):
        @weft.function
        def doubled(w):
            w.assign(w * 2)
            return w

        one, other = weft.Variable([1.0]), weft.Variable([2.0])
        for _ in range(3):
            assert doubled(one) is one
        assert doubled(other) is other
        assert (one.value[0], other.value[0], doubled.trace_count) == (8, 4, 2)

    def test_what_is_assigned_outside_is_seen(self):
        w = weft.Variable([1.0, 2.0])
        total = weft.function(lambda: w.sum())
        for value in (1.0, 2.0, 3.0):
            w.assign([value, value])
            assert total() == 2 * value
        assert total.trace_count == 1

    def test_in_containers_without_conversion(self):
        variables = {"w": weft.Variable([1.0, 2.0]), "more": [weft.Variable(1.0)]}

        @weft.function(autograph=False)
        def changed(x):
            variables["w"].assign_sub(x)
            more = variables["more"][0]
            more += x.sum()
            twice = np.concatenate([variables["w"], variables["w"]])
            return weft.concatenate([variables["w"], x]) * more + twice

        for call in (1.0, 2.0):
            found = changed(np.array([1.0, 1.0]))
            w, more = np.array([1.0, 2.0]) - call, 1 + 2 * call
            assert_same(variables["w"].value, w)
            assert_same(found, np.concatenate([w, [1, 1]]) * more + np.concatenate([w, w]))


class Count:
    """The guides' first program with a variable."""

    def __init__(self):
        self.count = None

    @weft.function
    def __call__(self):
        """Count the calls."""
        if self.count is None:
            self.count = weft.Variable(0)
        return self.count.assign_add(1)


class Momentum:
    """An optimiser that makes its state when it needs it."""

    def __init__(self, rate):
        self.rate, self.moments = rate, None

    def update(self, variables, gradients):
        """One step."""
        if self.moments is None:
            self.moments = [weft.Variable(np.zeros_like(v)) for v in variables]
        for variable, moment, gradient in zip(variables, self.moments, gradients, strict=True):
            moment.assign(0.9 * moment + gradient)
            variable.assign_sub(self.rate * moment)


class TestMadeInFunctions:
    def test_a_counter(self):
        one, other = Count(), Count()
        assert [int(one()) for _ in range(4)] == [1, 2, 3, 4]
        assert int(other()) == 1
        assert int(one()) == 5

    def test_once_for_each_place_and_owner(self):
        @weft.function
        def summed(x):
            total, first = weft.Variable(0.0), weft.Variable(x * 2)
            total.assign_add(x.sum())
            return total * 1, first * 1

        for number, total in ((1.0, 2.0), (2.0, 6.0), (3.0, 12.0)):
            assert_same(summed(np.full(2, number)), (F64(total), np.array([2.0, 2.0])))
        assert summed.trace_count == 2

    def test_two_optimisers_in_one_staged_loop(self):
        def train(function_of):
            optimisers = Momentum(0.1), Momentum(0.01)
            variables = [weft.Variable([1.0, 2.0]), weft.Variable(3.0)], [weft.Variable([1.0, 2.0])]

            def steps(x, n):
                for _ in range(n):
                    for optimiser, group in zip(optimisers, variables, strict=True):
                        optimiser.update(group, [x] * len(group))

            step = function_of(steps)
            for _ in range(3):
                step(F64(1), I64(2))
            return [v.value for group in variables for v in group], [
                m.value for o in optimisers for m in o.moments
            ]

        for found, expected in zip(train(weft.function), train(lambda f: f), strict=True):
            for one, other in zip(found, expected, strict=True):
                np.testing.assert_allclose(one, other, rtol=1e-15)

    def test_what_cannot_be_made(self):
        def of_a_value(x, n):
            for _ in range(n):
                v = weft.Variable(x)
            return v

        with pytest.raises(weft.UnsupportedError, match="in front of that"):
            weft.function(of_a_value)(F64(1), I64(2))

        @weft.function(input_signature=[weft.TensorSpec([None])])
        def of_any_size(x):
            return weft.Variable(x)

        with pytest.raises(weft.UnsupportedError, match="whose extents only the running program"):
            of_any_size(np.ones(3))

    def test_a_loop_that_is_recorded_again_finds_the_same(self):
        @weft.function
        def repeatedly(x, n):
            kept, total = [], 0
            for _ in range(n):
                sums = [weft.Variable(0.0) for _ in range(2)]
                kept.append(x)  # grows: the loop is recorded again
                total = total + x  # an int, then a float
                sums[0].assign_add(x)
                sums[1].assign_sub(total)
                found = sums[0] * 1, sums[1] * 1
            return found, len(kept)

        assert repeatedly(F64(2), I64(3)) == ((6, -12), 3)
        assert repeatedly(F64(1), I64(2)) == ((8, -15), 2)


def test_gradients_are_by_their_arrays():
    class Model:
        def __init__(self):
            self.w, self.b = weft.Variable([1.0, 2.0]), [weft.Variable(0.5)]

        def loss(self, x):
            return np.sum((self.w * x) ** 2) + self.b[0] * 3

        @weft.function
        def step(self, x):
            with weft.GradientTape() as tape:
                y = self.loss(x)
            return tape.gradient(y, self), tape.gradient(y, [self.w, self.b])

    model, x = Model(), np.array([2.0, 3.0])
    by_object, (w, b) = model.step(x)
    assert_same((w, b), (np.array([8.0, 36.0]), [np.array(3.0)]))
    assert_same(by_object, {"w": w, "b[0]": b[0]})
    value, found = weft.value_and_grad(lambda p: np.sum(p["w"] * p["w"]) + p["n"])({"w": model.w, "n": 2.0})
    assert_same((value, found), (F64(7), {"w": np.array([2.0, 4.0]), "n": 1.0}))


class EqualMomentum:
    """Makes what it keeps when it is needed."""

    def __init__(self, rate: float) -> None:
        self.rate, self.velocity = rate, None

    def __eq__(self, other: object) -> bool:
        return True  # objects are told apart by identity

    __hash__ = None  # type: ignore[assignment]

    def apply(self, w: Any, g: Any) -> None:
        if self.velocity is None:
            self.velocity = weft.Variable(np.zeros(np.shape(w)))
        self.velocity.assign(0.9 * self.velocity + g)
        w.assign_sub(self.rate * self.velocity)


@pytest.mark.parametrize("is_first", [True, False])
def test_objects_make_variables_of_their_own(is_first: bool) -> None:
    def by_object(w: Any, optimizer: Any) -> None:
        optimizer.apply(w, 2.0 * w.value)

    def by_list(optimizers: Any, number: int, w: Any) -> None:
        optimizers[number].apply(w, 2.0 * w.value)

    def trained(step: Any) -> list[float]:
        w, optimizers = weft.Variable(2.0), [EqualMomentum(0.01), EqualMomentum(0.1)]
        for i in range(6):
            if is_first:
                step(w, optimizers[i % 2])
            else:
                step(optimizers, i % 2, w)
        return [float(w), *(float(one.velocity) for one in optimizers)]  # type: ignore[arg-type]

    program = by_object if is_first else by_list
    np.testing.assert_allclose(trained(weft.function(program)), trained(program), rtol=1e-14)
