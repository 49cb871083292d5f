"""Branches on array values: if, elif, else, the ternary, and, or, not, comparisons, and what names hold after them."""

from __future__ import annotations

import numpy as np
import pytest

from support.behaviour_harness import same

DTYPES = [np.int32, np.int64, np.float32, np.float64]
F64, I64 = np.float64, np.int64


def numbers(dtype, *values):
    """Scalars of a dtype, one call each."""
    return [dtype(value) for value in values]


class TestIf:
    @pytest.mark.parametrize("dtype", DTYPES)
    def test_the_first_true_branch_runs(self, dtype):
        def sign(x):
            if x < 0:
                y = -x
            elif x == 0:
                y = x + 100
            else:
                y = x * 2
            return y

        same(sign, *numbers(dtype, -1, 0, 1))

    def test_a_branch_on_a_bool_scalar(self):
        def choose(flag, x):
            if flag:
                x = x + 1
            else:
                x = x - 1
            return x

        same(choose, (np.bool_(True), np.arange(3.0)), (np.bool_(False), np.arange(3.0)))

    @pytest.mark.parametrize("dtype", [*DTYPES, np.bool_])
    def test_the_truth_of_a_number_is_that_it_is_not_zero(self, dtype):
        def truth(x):
            if x:
                return 1
            return 0

        calls = numbers(dtype, 0, 1)
        same(truth, *calls, *([dtype("nan"), dtype(-0.0)] if dtype in (np.float32, np.float64) else []))

    def test_the_truth_of_an_array_of_one_element(self):
        def truth(x):
            if x:
                return 1
            return 0

        same(truth, np.array([0]), np.array([3]))
        same(truth, np.array([[0.0]]), np.array([[np.nan]]))

    def test_the_truth_of_an_array_of_several_elements_is_an_error(self):
        def truth(x):
            if x > 0:
                return 1
            return 0

        same(truth, np.arange(3), traces=None)

    def test_nan_takes_the_else_branch(self):
        def compare(x):
            if x < 0:
                return -1
            elif x >= 0:
                return 1
            else:
                return 0

        same(compare, *numbers(F64, -1, 1, "nan", "inf", "-inf"))

    @pytest.mark.parametrize("dtype", DTYPES)
    def test_without_else_the_old_value_stays(self, dtype):
        def clamp(x):
            y = x
            if x > 3:
                y = x - x + 3
            return y

        same(clamp, *numbers(dtype, 2, 3, 4))

    def test_a_python_condition_is_not_staged(self):
        def scale(x, double):
            if double:
                x = x * 2
            if True:
                x = x + 1
            return x

        f = same(scale, (np.arange(3.0), True), (np.arange(3.0), False), traces=2)
        assert "scf.if" not in f.get_concrete_function(np.arange(3.0), True).as_text("weft")

    def test_nested_branches(self):
        def quadrant(x, y):
            if x >= 0:
                if y >= 0:
                    q = 1
                else:
                    q = 4
            else:
                if y >= 0:
                    q = 2
                else:
                    q = 3
                q = q * 10
            return q

        same(quadrant, *[(F64(x), F64(y)) for x in (-1, 1) for y in (-1, 1)])

    def test_both_branches_change_several_names(self):
        def order(a, b, c):
            if a > b:
                a, b = b, a
            if b > c:
                b, c = c, b
                if a > b:
                    a, b = b, a
            return a, b, c

        same(order, *[tuple(map(I64, t)) for t in [(1, 2, 3), (3, 2, 1), (2, 1, 3), (3, 1, 2), (1, 3, 2)]])

    def test_a_branch_changes_whole_arrays(self):
        def pick(x, y):
            if x.sum() > y.sum():
                z = np.sqrt(x)
            else:
                z = y * y
            return z + 1

        same(pick, (np.ones(4), np.zeros(4)), (np.zeros(4), np.ones(4)))

    def test_only_the_taken_branch_writes(self):
        def write(x, flag):
            if flag > 0:
                x[0] = 10
            else:
                x[1:] *= 2

        same(write, (np.ones(3), I64(0)), (np.ones(3), I64(1)))

    def test_a_branch_that_only_passes(self):
        def nothing(x):
            if x > 0:
                pass
            else:
                ...
            return x

        same(nothing, F64(1), F64(-1))

    def test_prints_of_the_taken_branch_alone_appear(self):
        def speak(x):
            if x > 0:
                print("positive", x)
            else:
                print("not positive")
            print("done")

        same(speak, F64(1), F64(-1), I64(3), traces=2)


class TestTernary:
    @pytest.mark.parametrize("dtype", DTYPES)
    def test_a_conditional_expression(self, dtype):
        def absolute(x):
            return x if x >= 0 else -x

        same(absolute, *numbers(dtype, -2, 0, 2))

    def test_only_the_chosen_side_has_effects(self):
        def choose(x, log):
            def note(value, place):
                log[place] += 1
                return value

            return note(x, 0) if x > 0 else note(-x, 1)

        same(choose, (F64(1), np.zeros(2)), (F64(-1), np.zeros(2)))

    def test_nested_conditional_expressions(self):
        def number(x):
            return (1 if x > 90 else 2 if x > 80 else 3) * x

        same(number, *numbers(I64, 95, 85, 5))

    def test_a_conditional_expression_guards_a_division(self):
        def inverse(x, i):
            return 1 / x[i] if i < len(x) else -1.0

        same(inverse, (np.array([2.0, 4.0]), I64(1)), (np.array([2.0, 4.0]), I64(2)), joined=True)


class TestLogic:
    @pytest.mark.parametrize(("a", "b"), [(0, 0), (0, 3), (2, 0), (2, 3)])
    def test_and_and_or_give_an_operand(self, a, b):
        same(lambda a, b: a and b, (I64(a), I64(b)))
        same(lambda a, b: a or b, (I64(a), I64(b)))
        same(lambda a, b: not a, (I64(a), I64(b)))
        same(lambda a, b: (a and b) or not (a or b), (I64(a), I64(b)), joined=True)

    def test_the_right_side_runs_only_when_the_left_does_not_decide(self):
        def count(a, b, log):
            def note(value):
                log[0] += 1
                return value

            both = a > 0 and note(b > 0)
            either = a > 0 or note(b > 0)
            return both, either

        same(count, *[(F64(a), F64(b), np.zeros(1)) for a in (-1, 1) for b in (-1, 1)])

    def test_the_left_side_guards_an_index(self):
        def guarded(x, i):
            if i < len(x) and x[i] > 1:
                return 1
            return 0

        same(guarded, *[(np.array([1.0, 2.0]), I64(i)) for i in (0, 1, 2, 100)])

    def test_an_unguarded_index_raises(self):
        def unguarded(x, i):
            if x[i] > 1 and i < len(x):
                return 1
            return 0

        same(unguarded, *[(np.array([1.0, 2.0]), I64(i)) for i in (0, 1, 2)])

    @pytest.mark.parametrize("dtype", DTYPES)
    def test_chained_comparisons(self, dtype):
        def inside(x, low, high):
            if low <= x < high:
                return 1
            return 0

        same(inside, *[(dtype(x), dtype(1), dtype(3)) for x in range(5)])

    def test_the_middle_of_a_chain_is_computed_once(self):
        def inside(x, log):
            def middle():
                log[0] += 1
                return x

            return 0 < middle() < 10 < 20

        same(inside, *[(I64(x), np.zeros(1)) for x in (-1, 5, 15)], joined=True)

    def test_three_operands(self):
        def f(a, b, c):
            if a > 0 and b > 0 and c > 0:
                return 3
            if a > 0 or b > 0 or c > 0:
                return 1
            return 0

        same(f, *[(F64(a), F64(b), F64(c)) for a in (0, 1) for b in (0, 1) for c in (0, 1)])

    def test_python_and_array_operands_mix(self):
        def f(x, options):
            if options and x > 0:
                x = x + 1
            if x > 5 or not options:
                x = x * 2
            return x

        same(f, *[(F64(x), o) for x in (-1, 1, 7) for o in (None, (1,))], traces=2)

    def test_not_in_conditions(self):
        def f(x):
            if not x > 0:
                return -1
            if not (x < 10 and not x == 5):
                return 10
            return 0

        same(f, *numbers(F64, -1, 1, 5, 11, "nan"))


class TestComparisons:
    def test_equality_is_element_by_element(self):
        def compare(x, y):
            return x == y, x != y, (x == y) & (x >= 0)

        same(compare, (np.array([1.0, np.nan, -0.0]), np.array([1.0, np.nan, 0.0])))

    def test_is_and_is_not_ask_for_identity(self):
        def ask(x, y=None):
            z = x
            return x is z, x is y, y is None, x is not None, x is not z

        same(ask, np.arange(3))

    def test_in_looks_through_an_array(self):
        def search(x, value):
            if value in x:
                return 1
            return 0 if value not in x else 2

        same(search, *[(np.arange(4), I64(v)) for v in (0, 3, 4)])
        same(search, *[(np.array([1.0, np.nan]), F64(v)) for v in (1, "nan")])

    def test_in_looks_through_a_python_tuple(self):
        def search(x):
            if x in (2, 3, 5):
                return 1
            return 0 if x not in (7, 11) else 2

        same(search, *numbers(I64, 2, 4, 5, 7))


class TestNamesAfterBranches:
    def test_a_name_bound_in_one_branch_is_read_when_that_branch_ran(self):
        def f(x):
            if x > 0:
                y = x * 2
            return y

        same(f, F64(1), F64(-1), F64(2))

    def test_a_name_bound_in_the_other_branch(self):
        def f(x):
            if x > 0:
                pass
            else:
                y = x * 2
            return y + 1

        same(f, F64(1), F64(-1))

    def test_a_name_read_under_the_same_condition(self):
        def f(x):
            if x > 0:
                y = x * 2
            z = x
            if x > 0:
                z = z + y
            return z

        same(f, F64(1), F64(-1))

    def test_a_name_of_the_branch_alone(self):
        def f(x):
            total = x
            if x > 0:
                local = x * 2
                total = total + local
            return total

        same(f, F64(1), F64(-1))

    def test_names_of_different_types_that_nobody_reads(self):
        def f(x):
            if x > 0:
                text = "positive"
                total = x
            else:
                text = None
                total = -x
            del text
            return total

        same(f, F64(1), F64(-1))

    def test_none_in_one_branch(self):
        def f(x):
            y = None
            if x > 0:
                y = x * 2
            if y is None:
                return -1.0
            return y

        same(f, F64(1), F64(-1), joined=True)

    def test_none_comes_back_from_one_branch(self):
        def f(x):
            y = None
            if x > 0:
                y = x * 2
            return y

        same(f, F64(1), F64(-1))

    def test_using_none_fails_as_in_python(self):
        def f(x):
            y = None
            if x > 0:
                y = x * 2
            return y + 1

        same(f, F64(1), F64(-1))

    def test_dtypes_of_the_branches_are_joined(self):
        def f(x, a, b):
            if x > 0:
                y = a
            else:
                y = b
            return y * 2

        same(f, *[(F64(s), np.int32(3), F64(0.5)) for s in (-1, 1)], joined=True)
        same(f, *[(F64(s), np.int32(3), I64(2**40)) for s in (-1, 1)], joined=True)
        same(f, *[(F64(s), np.bool_(True), I64(7)) for s in (-1, 1)], joined=True)

    def test_python_numbers_of_the_branches_are_joined(self):
        def f(x):
            if x > 0:
                y = 1
            else:
                y = 0.5
            return x * y

        same(f, *[d(s) for d in DTYPES for s in (-1, 1)], traces=4, joined=True)

    def test_shapes_of_the_branches_may_differ(self):
        def f(x, flag):
            if flag > 0:
                y = x[:2]
            else:
                y = x * 2
            return y, y.sum()

        same(f, (np.arange(3.0), I64(0)), (np.arange(3.0), I64(1)))

    def test_strings_of_the_branches_may_differ(self):
        def f(x):
            if x > 0:
                name = "positive"
            else:
                name = "negative"
            return name

        same(f, F64(1), F64(-1))

    def test_a_deleted_name_cannot_be_read(self):
        def f(x):
            y = x * 2
            if x > 0:
                del y
            return y

        same(f, F64(-1), F64(1))

    def test_a_walrus_in_the_condition(self):
        def f(x):
            if (y := x * 2) > 4:
                return y
            return y - 1

        same(f, F64(1), F64(3))


class TestReturns:
    def test_return_in_one_branch(self):
        def f(x):
            if x > 0:
                return x * 2
            x = x - 1
            return x

        same(f, F64(1), F64(-1))

    def test_return_in_every_branch(self):
        def f(x):
            if x > 0:
                return x
            elif x == 0:
                return x + 5
            else:
                return -x

        same(f, F64(1), F64(0), F64(-1))

    def test_return_in_one_branch_and_none_at_the_end(self):
        def f(x):
            if x > 0:
                return x * 2

        same(f, F64(1), F64(-1))

    def test_no_value_from_any_branch(self):
        def f(x):
            if x > 0:
                return None
            return

        same(f, F64(1), F64(-1))

    def test_early_returns_at_several_depths(self):
        def f(x, y):
            if x > 0:
                if y > 0:
                    return 1
                x = x - 10
                if x < -5:
                    return 2
            else:
                y = y + 1
            if y > 1:
                return 3
            return 4

        same(f, *[(F64(x), F64(y)) for x in (-1, 1, 7) for y in (-1, 0, 1)])

    def test_tuples_come_back_from_branches(self):
        def f(x):
            if x.sum() > 0:
                return x, {"a": x + 1}
            return -x, {"a": x - 1}

        same(f, np.ones(2), -np.ones(2))
