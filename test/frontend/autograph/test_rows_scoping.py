"""Names in loops and branches: composite names (o.x, d["k"], x[i].y), targets of all kinds, closures, globals."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from support.behaviour_harness import same

F64, I64 = np.float64, np.int64


class Box:
    """An object with attributes."""

    def __init__(self, **attributes):
        self.__dict__.update(attributes)


class Thermometer:
    """An object with a property that checks what is set, and items of its own."""

    def __init__(self, celsius):
        self.readings = [celsius]

    @property
    def celsius(self):
        """The last reading."""
        return self.readings[-1]

    @celsius.setter
    def celsius(self, value):
        self.readings[-1] = np.maximum(value, -273)

    def __getitem__(self, unit):
        return self.celsius if unit == "C" else self.celsius + 273

    def __setitem__(self, unit, value):
        self.celsius = value if unit == "C" else value - 273


class TestCompositeNames:
    def test_an_attribute_that_only_one_branch_makes_is_there_on_that_path(self):
        def f(x):
            o = Box(x=x)
            if x > 0:
                o.y = x * 2
            return o.y

        same(f, F64(1))
        with pytest.raises(AttributeError, match="has no attribute 'y'"):
            weft.function(f)(F64(-1))

    def test_paths_of_attributes_and_items(self):
        def f(x, n):
            o = Box(parts=[Box(v=x), Box(v=x * 2)], table={"a": {"b": x}})
            for i in range(n):
                o.parts[0].v = o.parts[1].v + i
                o.table["a"]["b"] *= 2
                if o.parts[0].v > 5:
                    o.parts[1].v = o.parts[0].v - 5
            return o.parts[0].v, o.parts[1].v, o.table

        same(f, *[(F64(1), I64(n)) for n in (0, 1, 5)])

    def test_two_names_of_one_object(self):
        def f(x):
            o = Box(v=x)
            p = o
            if x > 0:
                p.v = x * 2
            return o.v, p is o

        same(f, F64(1), F64(-1))

    def test_a_name_bound_to_another_object_in_a_branch(self):
        def f(x):
            a, b = Box(v=x), Box(v=x * 10)
            c = a
            if x > 0:
                c = b
            c.v = c.v + 1
            return a.v, b.v, c.v

        same(f, F64(1), F64(-1), joined=True)

    def test_one_list_under_two_names(self):
        def f(x, n):
            a = [x]
            b = a
            for i in range(n):
                b[0] = b[0] + i
            return a, b, a is b

        same(f, *[(F64(1), I64(n)) for n in (0, 3)])

    def test_a_python_key_that_changes_in_an_unrolled_loop(self):
        def f(x):
            d = {"a": x, "b": x}
            for key in ("a", "b", "a"):
                if d[key] > 3:
                    d[key] = d[key] - 3
                else:
                    d[key] = d[key] * 2
            return d

        same(f, *[F64(v) for v in (1, 2, 5)])

    def test_properties_and_items_of_the_users_own(self):
        def f(x, n):
            t = Thermometer(x)
            for _ in range(n):
                t.celsius = t.celsius - 100
                t["K"] = t["K"] + 1
            return t.celsius, t["K"], t["C"]

        same(f, *[(F64(20), I64(n)) for n in (0, 1, 4)])

    def test_methods_change_their_object_in_a_loop(self):
        class Account:
            def __init__(self, balance):
                self.balance = balance
                self.refused = 0

            def withdraw(self, amount):
                if amount > self.balance:
                    self.refused += 1
                    return False
                self.balance -= amount
                return True

        def f(amounts):
            account = Account(10.0)
            paid = 0
            for amount in amounts:
                if account.withdraw(amount):
                    paid += 1
            return account.balance, account.refused, paid

        same(f, np.array([3.0, 8.0, 7.0, 1.0]), joined=True)
        same(f, np.ones(200), joined=True)

    def test_objects_made_in_the_loop(self):
        def f(x, n):
            o = Box(v=x, depth=0)
            for _ in range(n):
                o = Box(v=o.v * 2, depth=o.depth + 1)
            return o.v, o.depth

        same(f, (F64(1), I64(2)), (F64(1.5), I64(0)))

    def test_a_linked_list_of_python_objects(self):
        def f(x):
            head = None
            for i in range(3):
                head = Box(v=x * i, next=head)
            total = 0.0
            node = head
            while node is not None:
                if node.v > 1:
                    total = total + node.v
                node = node.next
            return total

        same(f, F64(1), F64(-1), joined=True)

    def test_attributes_of_a_class(self):
        class Settings:
            limit = 3.0

        def f(x):
            while x > Settings.limit:
                x = x / 2
            return x

        same(f, F64(1), F64(100))

    def test_arrays_in_attributes_are_updated_in_place(self):
        def f(o, n):
            o.history = np.zeros(5)
            for i in range(n):
                o.x[0] += 1
                o.x *= 2
                o.history[i] = o.x.sum()
            return o.x

        same(f, *[(Box(x=np.ones(2)), I64(n)) for n in (0, 1, 4)], traces=None)


class TestTargets:
    def test_the_target_is_an_attribute(self):
        def f(o, n):
            for o.i in range(n):
                o.total += o.i
            return o.i

        same(f, *[(Box(i=I64(-1), total=I64(0)), I64(n)) for n in (0, 1, 4)], traces=None, joined=True)

    def test_the_target_is_an_item(self):
        def f(x):
            last = [x[0], 0]
            total = 0.0
            for last[1], last[0] in enumerate(x):
                total += last[0] * last[1]
            return total, last

        same(f, np.arange(1.0, 4.0))
        same(f, np.arange(1.0, 300.0))

    def test_the_target_is_an_element_of_an_array(self):
        def f(x, n):
            for x[0] in range(n):
                x[1] += x[0]
            return x

        same(f, *[(np.zeros(2), I64(n)) for n in (0, 1, 4)])

    def test_the_target_shadows_an_argument(self):
        def f(x, n):
            total = 0
            for n in range(n):
                total += n * x
            return total, n

        same(f, *[(I64(2), I64(n)) for n in (0, 1, 4)], joined=True)

    def test_nested_loops_share_a_target(self):
        def f(n):
            log = 0
            for i in range(n):
                log = log * 2 + i
                for i in range(3):
                    log += i
                log += i
            return log, n

        same(f, *[I64(n) for n in (0, 1, 3)])

    def test_the_iterable_is_evaluated_once(self):
        def f(x, log):
            def rows():
                log[0] += 1
                return x

            total = 0.0
            for row in rows():
                total += row.sum()
                log[1] += 1
            return total

        same(f, (np.ones((3, 2)), np.zeros(2)), (np.ones((0, 2)), np.zeros(2)), traces=2, joined=True)

    def test_rebinding_the_iterated_name(self):
        def f(x):
            total = 0.0
            for v in x:
                x = x * 2
                total += v
            return total, x

        same(f, np.arange(3.0))
        same(f, np.ones(100))

    def test_writing_to_the_iterated_array(self):
        def f(x):
            total = 0.0
            for v in x:
                x[-1] += 1
                total += v
            return total

        same(f, np.arange(3.0))
        same(f, np.ones(100))


COUNT = 0
TOTALS = {"n": 0.0}


class TestFunctionsInLoops:
    def test_a_function_defined_in_the_loop(self):
        def f(x, n):
            total = 0.0
            for i in range(n):

                def scaled(v, i=i):
                    return v * i if v > 0 else v - i

                total += scaled(x) + scaled(-x)
            return total

        same(f, *[(F64(2), I64(n)) for n in (0, 1, 4)], joined=True)

    def test_closures_bind_late(self):
        def f(x):
            functions = []
            for i in range(3):
                functions.append(lambda v: v * i if v > 1 else v + i)
            return [function(x) for function in functions]

        same(f, F64(1), F64(2))

    def test_default_arguments_bind_early(self):
        def f(x):
            functions = [lambda v, k=k: v * k if v > 1 else v + k for k in range(3)]
            return [function(x) for function in functions]

        same(f, F64(1), F64(2))

    def test_a_function_defined_in_both_branches(self):
        def f(x):
            if x > 0:

                def g(v):
                    return v + 1
            else:

                def g(v):
                    return v - 1

            return g(x * 2)

        same(f, F64(1), F64(-1))

    def test_a_nested_function_changes_the_loop_state(self):
        def f(x):
            low = high = 0

            def place(v):
                nonlocal low, high
                if v < 0:
                    low += 1
                elif v > 0:
                    high += 1

            for v in x:
                place(v)
                if high > 2:
                    break
            return low, high

        same(f, np.array([1.0, -1.0, 1.0, 0.0, 1.0, 1.0]))
        same(f, np.sin(np.arange(300.0)))

    def test_names_of_nested_scopes_do_not_mix(self):
        def f(x):
            y = 1

            def inner(x):
                y = 10
                while x > 3:
                    x = x - y
                    y = y + 1
                return x + y

            while x > 0:
                x = inner(x) - y
                y = y + 1
            return x, y

        same(f, *[I64(v) for v in (0, 5, 60)])

    def test_a_walrus_in_a_comprehension(self):
        def f(x):
            last = 0
            values = [last := last + v for v in (1, 2, 3)]
            if x > 2:
                last = last * 2
            return x + last, values

        same(f, F64(1), F64(3))

    def test_a_class_defined_in_the_function(self):
        def f(x):
            class Local:
                scale = 3

                def apply(self, v):
                    if v > 1:
                        return v * self.scale
                    return v

            total = Local().apply(x)
            for _ in range(2):
                total = Local().apply(total)
            return total

        same(f, F64(0.5), F64(2))

    def test_global_statements(self):
        def f(x):
            global COUNT
            COUNT = 0
            for v in x:
                if v > 0:
                    COUNT += 1
            return COUNT

        same(f, np.array([1.0, -1.0, 2.0]))
        assert COUNT == 2

    def test_items_of_a_global_dict(self):
        def f(x):
            for v in x:
                TOTALS["n"] = TOTALS["n"] + v
            return TOTALS["n"]

        def g(x):
            TOTALS["n"] = 0.0
            return f(x)

        same(g, np.array([1.0, -1.0, 2.0]))
        assert TOTALS["n"] == 2

    @pytest.mark.parametrize("n", [0, 1, 3])
    def test_star_names_in_loops(self, n):
        def f(n, *args, **kwargs):
            total = 0
            for _ in range(n):
                for a in args:
                    total = total + a
                args = (*args, total)
                if len(args) > 4:
                    args = args[:3]
            return total

        if n == 3:
            n = 2
        same(f, (n, I64(1), I64(2)))
