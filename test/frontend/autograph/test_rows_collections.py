"""Lists, dicts, tuples, sets and array items inside control flow on array values."""

from __future__ import annotations

import collections
from dataclasses import dataclass

import numpy as np
import pytest

from support.behaviour_harness import refused, same

DTYPES = [np.int32, np.int64, np.float32, np.float64]
F64, I64 = np.float64, np.int64
Point = collections.namedtuple("Point", "x y")


class TestAppend:
    def test_append_in_an_unrolled_loop(self):
        def f(x):
            parts = []
            for i in range(3):
                parts.append(x * i)
            return parts

        same(f, np.arange(2.0))

    @pytest.mark.parametrize("dtype", DTYPES)
    def test_append_in_a_staged_loop_then_stack(self, dtype):
        def f(x, n):
            values = []
            for i in range(n):
                values.append(x + i)
            return np.array(values)

        same(f, *[(dtype(3), I64(n)) for n in (1, 5)])

    def test_rows_are_appended_and_stacked(self):
        def f(x, n):
            rows = []
            while n > 0:
                rows.append(x * n)
                n -= 1
            return np.stack(rows), len(rows)

        same(f, *[(np.arange(3.0), I64(n)) for n in (1, 4)])

    def test_nothing_to_stack_is_an_error(self):
        def f(x, n):
            rows = []
            for _ in range(n):
                rows.append(x)
            return np.stack(rows)

        same(f, (np.arange(3.0), I64(2)), (np.arange(3.0), I64(0)))

    def test_append_under_a_condition(self):
        def f(x):
            positive = []
            for value in x:
                if value > 0:
                    positive.append(value)
            return np.array(positive), len(positive)

        same(f, np.array([1.0, -1.0, 3.0]), np.array([-1.0, 2.0, -3.0]))
        same(f, np.arange(-100.0, 100.0))

    def test_a_grown_list_is_returned_as_a_list(self):
        def f(x, n):
            values = [x]
            for i in range(n):
                values.append(values[-1] * 2 + i)
            return values

        same(f, *[(F64(1), I64(n)) for n in (0, 1, 4)])

    def test_append_in_a_branch(self):
        def f(x):
            values = [x]
            if x > 0:
                values.append(x * 2)
            return values, len(values)

        same(f, F64(1), F64(-1))

    def test_append_in_nested_loops(self):
        def f(n):
            products = []
            for i in range(n):
                for j in range(i):
                    products.append(i * j)
            return np.array(products, dtype=np.int64)

        same(f, *[I64(n) for n in (2, 5)])

    def test_extend_and_plus(self):
        def f(x):
            values = [x]
            values.extend([x + 1, x + 2])
            values += [x * 3]
            values = values + [x * 4]
            if x > 0:
                values = values[::2] + [x, x]
            return sum(values)

        same(f, F64(1), F64(-1))

    def test_a_list_argument_is_changed_for_the_caller(self):
        def f(values, x):
            values.append(x * 2)
            values[0] = x
            return len(values)

        same(f, ([F64(1), F64(2)], F64(5)), ([F64(3), F64(4)], F64(6)))


class TestListsAsStacks:
    def test_pop_append_and_len(self):
        def f(n):
            stack = [n]
            total = 0
            while len(stack) > 0:
                top = stack.pop()
                total += top
                if top > 1:
                    stack.append(top // 2)
                    stack.append(top - top // 2 - 1)
            return total

        same(f, *[I64(n) for n in (0, 1, 5, 20)])

    def test_a_list_is_false_when_it_is_empty(self):
        def f(n):
            stack = [n]
            steps = 0
            while stack:
                top = stack.pop()
                steps += 1
                if top > 0:
                    stack.append(top - 1)
            return steps

        same(f, *[I64(n) for n in (0, 4)])

    def test_items_at_run_time_places(self):
        def f(x, i):
            values = [x, x * 2, x * 3]
            return values[i], values[-1]

        same(f, *[(F64(5), I64(i)) for i in (0, 2, -1, -3, 3)])

    def test_setting_items_at_run_time_places(self):
        def f(x, i):
            values = [x, x * 2, x * 3]
            values[i] = x * 100
            return values

        same(f, *[(F64(5), I64(i)) for i in (0, 2, -1, 3)])

    def test_items_of_a_grown_list(self):
        def f(n):
            fib = [0, 1]
            for i in range(2, n):
                fib.append(fib[i - 1] + fib[i - 2])
            return fib[n - 1], fib[0]

        same(f, *[I64(n) for n in (1, 2, 3, 20)])

    def test_pop_from_an_empty_list(self):
        def f(n):
            values = [n]
            while n > 0:
                values.pop()
                n -= 1
            return len(values)

        same(f, *[I64(n) for n in (0, 1, 2)])

    def test_walking_a_grown_list(self):
        def f(n):
            squares = []
            for i in range(n):
                squares.append(i * i)
            total = 0
            for s in squares:
                if s > 3:
                    total += s
            return total

        same(f, *[I64(n) for n in (0, 1, 6)])


class TestDicts:
    def test_a_key_added_in_every_branch(self):
        def f(x):
            d = {}
            if x > 0:
                d["sign"] = 1
            else:
                d["sign"] = -1
            return d

        same(f, F64(1), F64(-1))

    def test_a_key_that_a_condition_chose(self):
        def f(x, n):
            counts, sums = {"low": 0, "high": 0, "all": 0}, {"low": 0.0, "high": 0.0}
            for v in x:
                key = "low" if v < 1 else "high"
                counts[key] += 1
                counts["all"] += 1
                sums[key] = sums.get(key, 1.0) + v
            chosen = "low" if n > 0 else "none"
            return counts, sums, chosen in sums, sums.get(chosen, -1.0), sums[chosen]

        x = np.array([1.0, -2.0, 3.0, 0.5])
        same(f, (x, I64(1)), (x, I64(0)))

    def test_a_key_that_a_condition_chose_may_be_a_new_one(self):
        def f(n):
            made = {"low": 0}
            made["low" if n > 0 else "high"] = 1
            return made

        same(f, I64(1), I64(0))

    def test_a_key_added_in_one_branch(self):
        def f(x):
            d = {"x": x}
            if x > 0:
                d["positive"] = x * 2
            return d["positive"] if "positive" in d else d["x"], len(d), d

        same(f, F64(1))
        same(f, F64(-1))

    def test_a_key_added_in_one_branch_beside_values_of_other_types(self):
        def f(x):
            d = {"n": 1, "name": "x", "none": None, "pair": (1, x)}
            if x > 0:
                d["positive"] = x * 2
            else:
                d["negative"] = True
            d["n"] += 1
            return (
                d,
                d.get("positive", "none"),
                d["name"] + "!",
                list(d.items()),
                d["pair"],
            )

        same(f, F64(1), F64(-1))

    def test_a_key_added_in_one_branch_beside_an_array_is_refused_by_name(self):
        def f(x):
            d = {"n": np.ones(2)}
            if x > 0:
                d["positive"] = x * 2
            return d

        refused(f, F64(1), error=TypeError, match="positive")

    def test_walking_the_items_of_a_dict(self):
        def f(d, limit):
            total = 0.0
            for name, value in d.items():
                if value > limit and name != "c":
                    total += value
            return total

        same(f, *[({"a": F64(1), "b": F64(5), "c": F64(9)}, F64(v)) for v in (0, 3, 7)], joined=True)

    def test_dicts_in_lists(self):
        def f(x, n):
            layers = [{"w": x, "b": 0.0}, {"w": x * 2, "b": 1.0}]
            for _ in range(n):
                for layer in layers:
                    layer["w"] = layer["w"] / 2
                    layer["b"] += layer["w"]
            return layers

        same(f, *[(F64(1), I64(n)) for n in (0, 1, 3)], joined=True)


class TestItemsOfArrays:
    X = np.arange(24.0).reshape(4, 6)

    def test_basic_indices_in_loops(self):
        def f(x, n):
            total = x[0, 0]
            for i in range(n):
                total += x[i, -1] + x[-1 - i, i] + x[i].sum() + x[..., i].sum() + x[:, None][i, 0, i]
            return total

        same(f, *[(self.X, I64(n)) for n in (0, 1, 4)])

    def test_run_time_slices(self):
        def f(x, a, b, c):
            return x[a:b], x[a:], x[:b], x[:, a:b], x[a:b].sum()

        bounds = [(0, 2, 1), (1, 9, 2), (3, 1, 1), (-2, 4, 1), (3, 0, -1), (-9, 9, 3)]
        same(f, *[(self.X, *map(I64, b)) for b in bounds])

    def test_run_time_steps(self):
        def f(x, a, b, c):
            return x[a:b:c], x[::c].sum(), x[:, ::c]

        same(f, *[(self.X, *map(I64, b)) for b in [(0, 2, 1), (1, 9, 2), (3, 0, -1), (9, -9, -2)]])

    def test_run_time_slices_are_written(self):
        def f(x, a, b):
            x[a:b] = 0
            x[b:, a] += 1
            x[a : a + 2, b:] *= -1

        same(f, *[(self.X, I64(a), I64(b)) for a, b in [(0, 2), (1, 4), (3, 1), (-1, 3)]])

    def test_boolean_masks_in_loops(self):
        def f(x, n):
            for i in range(n):
                x[x > 10 + i] -= i
                x[i][x[i] < 3] = 7
            return x.sum()

        same(f, *[(self.X, I64(n)) for n in (0, 1, 4)])

    def test_index_arrays_in_loops(self):
        def f(x, places):
            total = 0.0
            for p in places:
                total += x[p, places].sum()
                x[places, p] += 1
            return total

        same(f, (self.X, np.array([0, 3, 1])), (self.X, np.array([-1, -4, 2])))

    @pytest.mark.parametrize("dtype", [*DTYPES, np.bool_])
    def test_items_are_assigned_in_place(self, dtype):
        def f(x, i, value):
            before = x[i]
            x[i] = value
            return before, x[i]

        same(f, *[(np.array([0, 1, 1], dtype), I64(i), dtype(1)) for i in (0, 2, -1)])

    @pytest.mark.parametrize("i", [3, -4, 2**40])
    def test_an_index_out_of_range_raises(self, i):
        def get(x, i):
            return x[i]

        def put(x, i):
            x[0] = 5
            x[i] = 1

        def loop(x, i):
            for k in range(i):
                x[k] = k

        same(get, (np.arange(3), I64(i)))
        same(put, (np.arange(3), I64(i)))
        if i < 100:
            same(loop, (np.arange(3), I64(abs(i) + 1)))

    def test_the_right_axis_is_named_in_the_message(self):
        def f(x, i, j):
            return x[i, j]

        same(f, *[(self.X, I64(i), I64(j)) for i, j in [(0, 6), (4, 0), (-5, 0), (0, -7), (3, 5)]])

    def test_augmented_items(self):
        def f(x, n):
            for i in range(n):
                x[i] += 1
                x[i] -= x[i + 1]
                x[i] *= 2
                x[i] //= 3
                x[i] **= 2
                x[i] %= 7
            return x

        same(f, *[(np.arange(5), I64(n)) for n in (0, 1, 4, 5)])
        same(f, *[(np.arange(5.0), I64(n)) for n in (0, 1, 4)])

    def test_integer_items_take_floats_truncated(self):
        def f(x, y):
            for i in range(len(x)):
                x[i] = y[i] * 1.5
            return x

        same(f, (np.zeros(4, np.int32), np.array([1.0, -1.0, 2.5, 0.0])))

    def test_copies_are_not_views(self):
        def f(x, n):
            y = x.copy()
            z = x[1:]
            for i in range(n):
                y[i] = -1
                z[i] = -2
            return x, y, z

        same(f, *[(np.arange(4.0), I64(n)) for n in (0, 1, 3)])


class TestStructures:
    def test_nested_results_keep_types_and_order(self):
        @dataclass
        class Result:
            value: float
            parts: list

        def f(x):
            out = {"b": [Point(x, 1)], "a": (x, {"z": None, "y": x * 2}), "r": Result(x, [x])}
            if x > 0:
                out["a"] = (x + 1, {"z": None, "y": x})
                out["r"].value = x * 3
            return out

        same(f, F64(1), F64(-1))

    def test_sets_and_strings_are_pythons_own(self):
        def f(x, names):
            seen = set()
            text = ""
            for name in names:
                if name not in seen:
                    seen.add(name)
                    text += name.upper()
                    x = x + len(seen)
            return x, text, seen

        same(f, (F64(1), ("a", "b", "a")))

    def test_tuples_are_unpacked_and_swapped(self):
        def f(x, n):
            a, (b, *c) = x, (x + 1, x + 2, x + 3)
            for _ in range(n):
                a, b, c = b, c[0], [a, *c[1:]]
            return a, b, c

        same(f, *[(F64(1), I64(n)) for n in (0, 1, 2, 3)])

    def test_starred_calls_and_results(self):
        def f(x, n):
            args = [x, x * 2]
            total = 0.0
            for _ in range(n):
                total = total + max(*args, total)
            return [*args, total], {**{"a": x}, "b": total}

        same(f, *[(F64(1), I64(n)) for n in (0, 1, 3)], joined=True)

    def test_ragged_rows_in_a_loop(self):
        def f(x):
            total = 0.0
            for i in range(len(x)):
                head = x[: i + 1]
                total += head.sum() * len(head)
            return total

        same(f, np.arange(5.0), joined=True)
        same(f, np.arange(150.0), joined=True)
