"""Decorators in wrong places, calls that do not fit, and changes that a caller would not see: all refused clearly."""

from __future__ import annotations

import dataclasses
import functools
import queue
import re
import threading

import numpy as np
import pytest

import weft

X = np.arange(3.0)


class TestDecorator:
    @pytest.mark.parametrize("kind", [staticmethod, classmethod])
    def test_below_it_belongs_nothing_but_a_function(self, kind):
        with pytest.raises(TypeError, match=f"put @{kind.__name__} above @weft.function"):
            weft.function(kind(lambda x: x))

    def test_static_and_class_methods(self):
        class Scale:
            factor = 2

            @staticmethod
            @weft.function
            def twice(x):
                return x * 2

            @classmethod
            @weft.function
            def scaled(cls, x):
                return x * cls.factor

        for owner in (Scale, Scale()):
            np.testing.assert_array_equal((owner.twice(X), owner.scaled(X)), (X * 2, X * 2))

    def test_classes_are_refused(self):
        with pytest.raises(
            TypeError, match=r"compiles functions, and .*Model is a class; decorate its methods"
        ):

            @weft.function
            class Model:
                pass

    @pytest.mark.parametrize(
        "signature", [3, "f32[3]", weft.TensorSpec([3]), [3], [None], [np.ones(3)], [[0]]]
    )
    def test_input_signature_holds_specs_only(self, signature):
        with pytest.raises(
            TypeError, match=r"input_signature of lambda is a list of weft.TensorSpec.*, not "
        ):
            weft.function(input_signature=signature)(lambda x: x)


class TestCalls:
    @pytest.mark.parametrize(
        "call",
        [
            lambda f: f(),
            lambda f: f(X),
            lambda f: f(X, X, X),
            lambda f: f(X, X, c=1),
            lambda f: f(X, a=X),
            lambda f: f.get_concrete_function(X),
        ],
    )
    def test_arguments_that_do_not_fit_name_the_function(self, call):
        def add(a, b):
            return a + b

        with pytest.raises(TypeError, match=re.escape("add() ")) as caught:
            call(weft.function(add))
        assert caught.value.__cause__ is None

    def test_a_compiled_function_inside_another_becomes_part_of_it(self):
        @weft.function
        def outer(x):
            @weft.function
            def power(n):
                return x**n

            return power(2) + power(n=3)

        np.testing.assert_array_equal(outer(X), X**2 + X**3)


@dataclasses.dataclass
class State:
    weight: np.ndarray
    steps: int = 0


@dataclasses.dataclass(init=False, frozen=True)
class Table:
    rows: np.ndarray
    size: int
    name: str = dataclasses.field(default="table", init=False)

    def __init__(self, size: int) -> None:
        object.__setattr__(self, "rows", np.arange(float(size)))
        object.__setattr__(self, "size", size)


@dataclasses.dataclass
class Doubled:
    weight: np.ndarray
    times: dataclasses.InitVar[int] = 2

    def __post_init__(self, times):
        self.weight = self.weight * times
        self.offset = self.weight + 1


class TestDataclasses:
    def test_constructors_are_not_called_again(self):
        def use(table, doubled, x):
            return table, doubled, table.rows * doubled.weight + doubled.offset + x * table.size, table.name

        compiled = weft.function(use)
        expected, got = (f(Table(3), Doubled(np.ones(3)), X) for f in (use, compiled))
        assert (type(got[0]), type(got[1])) == (Table, Doubled)
        np.testing.assert_equal((vars(got[1]), *got[2:]), (vars(expected[1]), *expected[2:]))
        np.testing.assert_equal((got[0].rows, got[0].size, got[0].name), (np.arange(3.0), 3, "table"))
        compiled(Table(3), Doubled(np.zeros(3)), X)
        assert compiled.trace_count == 1


class TestContainers:
    @pytest.mark.parametrize(
        "change",
        [
            lambda p: p.append(p[0]),
            lambda p: p.__setitem__(0, p[0] + 1),
            lambda p: p[1].update(b=p[0]),
            lambda p: p[1].pop("a"),
            lambda p: setattr(p[2], "weight", p[0]),
            lambda p: setattr(p[2], "steps", p[2].steps + 1),
        ],
    )
    def test_changes_are_seen_by_the_caller(self, change):
        def step(x, parameters):
            change(parameters)
            return x

        def parameters():
            return [X + 1, {"a": X + 2}, State(X + 3)]

        compiled = weft.function(step)
        for _ in range(2):
            expected, by_place, by_name = parameters(), parameters(), parameters()
            state = by_place[2]
            step(X, expected)
            compiled(X, by_place)
            compiled(x=X, parameters=by_name)
            for got in (by_place, by_name):
                np.testing.assert_equal(
                    [*got[:2], vars(got[2]), *got[3:]], [*expected[:2], vars(expected[2]), *expected[3:]]
                )
            assert by_place[2] is state
        assert compiled.trace_count == 1

    def test_changes_of_variable_arguments_are_seen(self):
        def step(*states, **named):
            (states + tuple(named.values()))[-1].steps += 1

        one, last, other = State(X), State(X + 1), State(X + 1)
        weft.function(step)(one, last=last)
        weft.function(step)(one, other)
        assert (one.steps, last.steps, other.steps) == (0, 1, 1)

    def test_one_list_given_twice_is_not_changed(self):
        def step(x, one, other):
            one.append(x)
            return len(other)

        shared = [X]
        with pytest.raises(NotImplementedError, match="hold one list twice"):
            weft.function(step)(X, shared, shared)
        assert len(shared) == 1

    def test_writes_into_their_arrays_are_seen(self):
        @weft.function
        def descend(state, gradients):
            state.weight -= gradients["weight"]
            gradients["weight"] *= 0
            gradients = {}
            return gradients

        state, gradients = State(np.ones(3)), {"weight": np.full(3, 2.0)}
        assert descend(state, gradients) == {}
        np.testing.assert_array_equal(state.weight, [-1, -1, -1])
        np.testing.assert_array_equal(gradients["weight"], [0, 0, 0])


class TestArraysFromOutside:
    @pytest.mark.parametrize("size", [3, 3000])
    def test_one_that_is_an_argument_too_is_written(self, size):
        table = np.zeros(size)

        @weft.function
        def f(x):
            x += 1
            return table + x

        np.testing.assert_array_equal(f(table), np.full(size, 2.0))
        np.testing.assert_array_equal(table, np.ones(size))
        np.testing.assert_array_equal(f(np.ones(size)), np.full(size, 3.0))
        np.testing.assert_array_equal(f(table), np.full(size, 4.0))
        with pytest.raises(ValueError, match="overlap"):
            f(table[:])

    @pytest.mark.filterwarnings("ignore:Setting the:DeprecationWarning")  # NumPy 2.5
    @pytest.mark.parametrize("size", [3, 3000])
    def test_changes_of_type_and_of_the_sign_of_a_zero_are_seen(self, size):
        def f(x):
            return x / table

        table = np.zeros(size)
        compiled = weft.function(f)
        for change in (
            lambda: None,
            lambda: np.negative(table, out=table),
            lambda: setattr(table, "dtype", np.dtype(">i8")),
            lambda: table.fill(3),
            lambda: setattr(table, "shape", (3, 1, -1)),
        ):
            change()
            with np.errstate(divide="ignore"):
                expected = f(np.float64(2))
            np.testing.assert_array_equal(compiled(np.float64(2)), expected)

    def test_a_frozen_one_may_be_written_again(self):
        table = np.ones(3)
        table.flags.writeable = False
        f = weft.function(lambda x: x + table)
        np.testing.assert_array_equal(f(X), X + 1)
        table.flags.writeable = True
        table[:] = 2
        np.testing.assert_array_equal(f(X), X + 2)

    def test_a_concrete_function_refuses_other_contents(self):
        table = np.zeros(3)
        concrete = weft.function(lambda x: x + table).get_concrete_function(X)
        np.testing.assert_array_equal(concrete(X), X)
        table[0] = 1
        with pytest.raises(ValueError, match="the elements of table changed since"):
            concrete(X)

    def test_a_concrete_function_refuses_another_shape(self):
        table = np.zeros(3000)
        concrete = weft.function(lambda x: x + table).get_concrete_function(X[:1])
        table[:] = 1
        np.testing.assert_array_equal(concrete(X[:1]), np.ones(3000))
        table.resize(3, refcheck=False)
        with pytest.raises(ValueError, match=r"table is no longer f64\[3000\] since"):
            concrete(X[:1])


@pytest.mark.parametrize(
    "use", [np.asarray, bool, float, list, lambda x: x.item(), lambda x: x + 1, "{:.1f}".format]
)
def test_leaked_arrays_say_so_whatever_they_are_used_for(use):
    leaked = queue.SimpleQueue()
    keep = weft.do_not_convert(lambda value: leaked.put(value))
    weft.function(lambda x: keep(x.sum()))(X)
    with pytest.raises((weft.LeakedArrayError, TypeError), match=r"after the tracing|is not iterable"):
        use(leaked.get())


def test_exceptions_of_the_user_keep_cause_and_context():
    def chained(x):
        try:
            {}["key"]
        except KeyError as error:
            raise ValueError("mine") from error

    def implicit(x):
        try:
            {}["key"]
        except KeyError:
            raise ValueError("mine")  # noqa: B904  (that it has no cause is the point)

    for function, has_cause in ((chained, True), (implicit, False)):
        with pytest.raises(ValueError, match="mine") as caught:
            weft.function(function)(X)
        assert isinstance(caught.value.__context__, KeyError)
        assert isinstance(caught.value.__cause__, KeyError) is has_cause
        assert caught.value.__suppress_context__ is has_cause


def test_eager_blocks_of_two_threads_do_not_meet():
    f = weft.function(lambda x: x + 1)
    entered, leave = threading.Event(), threading.Event()

    def other():
        with weft.eager():
            entered.set()
            leave.wait(10)

    thread = threading.Thread(target=other)
    thread.start()
    entered.wait(10)
    f(X)
    assert f.trace_count == 1
    with weft.eager():
        leave.set()
        thread.join()
        f(np.ones(5))
    assert f.trace_count == 1
    f(np.ones(5))
    assert f.trace_count == 2


def test_partial_functions_are_named_by_what_they_hold():
    def scale(x, factor):
        return x * factor

    with pytest.raises(TypeError, match=r"scale\(\) "):
        weft.function(functools.partial(scale, factor=2))()
