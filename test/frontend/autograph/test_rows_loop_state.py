"""What loops carry: attributes, items, dtypes and shapes that change, structures, names deleted or bound inside."""

from __future__ import annotations

import collections
import contextlib
from dataclasses import dataclass

import numpy as np
import pytest

from support.behaviour_harness import refused, same

F64, I64 = np.float64, np.int64
Point = collections.namedtuple("Point", "x y")


class Box:
    """An object with attributes."""

    def __init__(self, **attributes):
        self.__dict__.update(attributes)


@dataclass
class State:
    """A dataclass as loop state."""

    position: float
    steps: int = 0


class TestAttributesAndItems:
    def test_a_loop_updates_an_attribute(self):
        def f(o, n):
            for i in range(n):
                o.total = o.total + i
            return o.total

        same(f, *[(Box(total=F64(1)), I64(n)) for n in (0, 1, 4)], traces=None)

    def test_a_branch_updates_an_attribute(self):
        def f(o, x):
            if x > 0:
                o.sign = 1
                o.count += 1
            else:
                o.sign = -1
            return o.sign

        same(f, *[(Box(sign=0, count=I64(3)), F64(x)) for x in (-1, 1)], traces=None)

    def test_nested_attributes(self):
        def f(o, n):
            while o.inner.x < n:
                o.inner.x += 1
                o.inner.log[0] = o.inner.x
            return o.inner.x

        same(f, *[(Box(inner=Box(x=I64(0), log=np.zeros(1))), I64(n)) for n in (0, 1, 4)], traces=None)

    def test_the_attribute_of_a_local_object(self):
        def f(x, n):
            o = Box(total=x, steps=0)
            for i in range(n):
                o.total = o.total * 2 + i
                if o.total > 10:
                    o.steps += 1
            return o.total, o.steps

        same(f, *[(F64(1), I64(n)) for n in (0, 1, 5)])

    def test_an_attribute_of_a_dataclass(self):
        def f(state, n):
            for _ in range(n):
                state.position = state.position / 2
                state.steps += 1
            return state.position, state.steps

        def g(x, n):
            return f(State(x), n)

        same(g, *[(F64(8), I64(n)) for n in (0, 1, 3)])

    def test_a_loop_updates_an_item_of_a_dict(self):
        def f(x, n):
            d = {"sum": x, "product": x}
            for i in range(n):
                d["sum"] = d["sum"] + i
                d["product"] *= 2
            return d

        same(f, *[(F64(3), I64(n)) for n in (0, 1, 4)])

    def test_a_branch_updates_an_item_of_a_list(self):
        def f(x):
            items = [x, x * 2]
            if x > 0:
                items[0] = items[1]
            else:
                items[1] = items[0] - 1
            return items

        same(f, F64(1), F64(-1))

    def test_a_dict_argument_is_updated(self):
        def f(d, n):
            for i in range(n):
                d["k"] = d["k"] + i
            return d["k"]

        same(f, *[({"k": F64(1)}, I64(n)) for n in (0, 1, 4)])

    def test_elements_of_an_array_are_the_state(self):
        def f(x, n):
            for _ in range(n):
                x[0], x[1] = x[1], x[0] + x[1]
            return x[0]

        same(f, *[(np.array([0, 1]), I64(n)) for n in (0, 1, 30)])

    def test_elements_at_run_time_places(self):
        def f(x, steps):
            i = 0
            for s in steps:
                x[i] += 1
                i = (i + s) % len(x)
            return i

        same(f, (np.zeros(5), np.array([1, 3, -2, 4])), (np.zeros(5), np.array([5, 0, 0, -1])))

    def test_slices_as_state(self):
        def f(x, n):
            for i in range(n):
                x[i + 1 :] += x[i]
            return x

        same(f, *[(np.arange(1.0, 6.0), I64(n)) for n in (0, 1, 4)])

    def test_a_name_that_is_one_of_two_arrays_is_refused(self):
        def f(x, n):
            y = x
            for i in range(n):
                y[i] = 1
                x = x * 2
            return x, y

        refused(f, np.full(3, 5.0), I64(2), match="make a copy before the condition or loop")

    def test_views_made_before_the_loop_follow_it(self):
        def f(n):
            x = np.zeros(4)
            tail = x[2:]
            for i in range(n):
                x[i] = i + 1
                tail *= 2
            return x, tail

        same(f, *[I64(n) for n in (0, 1, 4)])

    def test_views_made_in_the_loop(self):
        def f(x):
            for i in range(x.shape[0]):
                row = x[i]
                row[i] = 100
                row += 1
            return x.sum()

        same(f, np.zeros((3, 3)), np.ones((3, 3)))
        same(f, np.zeros((100, 100)))


class TestChangingTypes:
    def test_an_integer_becomes_a_float(self):
        def f(x, n):
            total = 0
            for _ in range(n):
                total = total + x
            return total

        same(f, *[(F64(0.5), I64(n)) for n in (0, 1, 3)], joined=True)
        same(f, *[(np.float32(0.5), I64(n)) for n in (0, 1, 3)], joined=True)

    def test_a_narrow_dtype_becomes_wide(self):
        def f(x, y, n):
            while n > 0:
                x = x + y
                n = n - 1
            return x

        same(f, *[(np.int8(100), np.int16(100), I64(n)) for n in (0, 1, 5)], joined=True)
        same(f, *[(np.ones(2, np.int32), np.ones(2, np.float32), I64(n)) for n in (1, 5)])

    def test_true_division_makes_floats(self):
        def f(n):
            x = 10
            while x > n:
                x = x / 2
            return x

        same(f, I64(20), I64(3), joined=True)

    def test_a_python_float_in_the_first_iteration(self):
        def f(x):
            best = -np.inf
            for value in x:
                if value > best:
                    best = value
            return best

        for dtype in (np.float32, np.float64, np.int32):
            same(f, np.array([3, 1, 7], dtype), joined=True)

    def test_a_bool_flag(self):
        def f(x):
            seen = False
            for value in x:
                seen = seen or value > 3
            return seen

        same(f, np.array([1, 2]), np.array([1, 5]), joined=True)

    @pytest.mark.parametrize("n", [0, 1, 4])
    def test_a_vector_that_grows(self, n):
        def f(x, n):
            for i in range(n):
                x = np.concatenate([x, x[:1] + i])
            return x

        same(f, (np.arange(2.0), I64(n)))

    def test_a_vector_that_shrinks(self):
        def f(x):
            while len(x) > 1 and x.sum() > 3:
                x = x[: len(x) // 2]
            return x

        same(f, np.ones(16), np.zeros(16))

    def test_a_scalar_that_becomes_a_vector(self):
        def f(x, n):
            y = 0.0
            for _ in range(n):
                y = y + x
            return y * 1.0 + x

        same(f, *((np.arange(3.0), I64(n)) for n in (0, 1, 4)))

    def test_structures_that_change_are_refused_by_name(self):
        def f(x, n):
            state = x
            for _ in range(n):
                state = (state, x)
            return state

        refused(f, F64(1), I64(2), error=(TypeError, NotImplementedError), match="state")


class TestStructures:
    def test_tuples_are_state(self):
        def f(n):
            pair = (0, 1)
            for _ in range(n):
                pair = (pair[1], pair[0] + pair[1])
            return pair

        same(f, *[I64(n) for n in (0, 1, 10)])

    def test_namedtuples_are_state(self):
        def f(x, n):
            p = Point(x, x * 2)
            for _ in range(n):
                p = Point(p.y, p.x + 1)
            return p

        same(f, *[(F64(3), I64(n)) for n in (0, 1, 2)])

    def test_nested_containers_are_state(self):
        def f(x, n):
            state = {"a": [x, (x, x * 2)], "b": None}
            i = 0
            while i < n:
                state = {"a": [state["a"][1][0], (state["a"][0], x * i)], "b": None}
                i += 1
            return state

        same(f, *[(F64(3), I64(n)) for n in (0, 1, 2)])

    def test_swapping_arrays(self):
        def f(x, n):
            a, b = x.copy(), x * 2
            for _ in range(n):
                a, b = b, a
                a[0] += 1
            return a, b

        same(f, *[(np.full(2, 10.0), I64(n)) for n in (0, 1, 2, 5)])

    def test_swapping_arguments_that_are_written(self):
        def f(a, b, n):
            for _ in range(n):
                a, b = b, a
                a[0] += 1
            return a, b

        same(f, *[(np.zeros(2), np.full(2, 10.0), I64(n)) for n in (0, 1, 2, 5)])

    def test_a_name_that_is_none_before_the_loop(self):
        def f(x):
            best = None
            for value in x:
                if best is None or value > best:
                    best = value
            return best

        same(f, np.array([1.0, 5.0, 3.0]))
        same(f, np.arange(300) % 70)
        same(f, np.zeros(0))

    def test_a_name_that_is_none_until_a_run_time_condition(self):
        def f(x, limit):
            place = None
            i = 0
            while i < len(x):
                if place is None and x[i] > limit:
                    place = i
                i += 1
            return place

        same(f, *[(np.array([1.0, 5.0, 7.0]), F64(v)) for v in (0, 4, 9)])


class TestNames:
    def test_a_deleted_name_cannot_be_read_after_the_loop(self):
        def f(n):
            y = 1
            for _ in range(n):
                y = 2
                del y
                y = 3
            return y

        def g(n):
            y = n
            for i in range(n):
                if i == 1:
                    del y
            return y

        same(f, *[I64(n) for n in (0, 2)])
        same(g, *[I64(n) for n in (0, 1, 2)], joined=True)

    def test_a_name_bound_in_a_branch_of_the_first_iteration(self):
        def f(x):
            for i in range(len(x)):
                if i == 0:
                    previous = x[0]
                total = x[i] - previous
                previous = x[i]
            return total

        same(f, np.array([1.0, 3.0]))
        same(f, np.arange(300.0) ** 2)

    def test_a_name_unbound_in_a_later_iteration(self):
        def f(n):
            for i in range(n):
                if i == 1:
                    y = i
                if i > 1:
                    i = i + y
            return i

        same(f, *[I64(n) for n in (1, 2, 3)])

    def test_a_name_read_before_it_is_bound(self):
        def f(n):
            for i in range(n):
                if i > 0:
                    total = total + i
            return n

        same(f, *[I64(n) for n in (0, 1, 2)])

    def test_comprehension_variables_do_not_leak(self):
        def f(x, n):
            i = 100
            for _ in range(n):
                x = x + sum([i * 2 for i in (1, 2, 3)])
            return x + i

        same(f, *[(F64(1), I64(n)) for n in (0, 1, 3)])

    def test_a_lambda_sees_the_current_value(self):
        def f(x, n):
            total = 0
            double = lambda v: v * 2 + total
            for _ in range(n):
                total = double(x)
            return total

        same(f, *[(F64(1), I64(n)) for n in (0, 1, 3)], joined=True)

    def test_shadowed_builtins(self):
        def f(x, n):
            sum = x
            range = n
            max = 0
            while max < range:
                max += 1
                sum = sum + max
            return sum

        same(f, *[(F64(1), I64(n)) for n in (0, 1, 3)])

    def test_names_that_look_like_those_of_generated_code(self):
        def f(x, n):
            test_, result_, break_ = x, 0, False
            for item in range(n):
                result_ = result_ + test_
                if item == 2:
                    break_ = True
                    break
            return result_, break_

        same(f, *[(F64(1), I64(n)) for n in (0, 1, 5)], joined=True)

    def test_the_name_of_the_operators_is_refused_and_others_are_not(self):
        def f(x):
            weft_ = x
            if weft_ > 0:
                return weft_
            return -weft_

        def g(x):
            return_ = x
            while return_ > 0:
                return_ = return_ - 1
                if return_ == 3:
                    return -return_
            return return_

        refused(f, F64(1), error=SyntaxError, match="the name weft_ cannot be compiled", place=False)
        same(g, F64(1), F64(9))

    def test_with_inside_a_loop(self):
        def f(x, n):
            for i in range(n):
                with contextlib.nullcontext(i * 2) as twice:
                    x = x + twice
            return x

        same(f, *[(F64(1), I64(n)) for n in (0, 1, 3)])

    def test_breaking_out_of_with(self):
        def f(x, n):
            for i in range(n):
                with contextlib.nullcontext():
                    x = x + i
                    if x > 2:
                        break
            return x

        same(f, *[(F64(1), I64(n)) for n in (0, 1, 5)])

    def test_global_names_are_read_in_loops(self):
        def f(x, n):
            for _ in range(n):
                x = x * FACTOR + OFFSETS[0]
            return x

        same(f, *[(F64(1), I64(n)) for n in (0, 1, 3)])


FACTOR = 3
OFFSETS = np.array([0.5, 1.0])
