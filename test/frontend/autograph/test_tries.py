"""`try` statements whose exceptions come when the compiled function runs."""

import contextlib

import numpy as np
import pytest

import weft
from support.behaviour_harness import same
from weft.dialect.errors import ConcreteValueError

F64, I64 = np.float64, np.int64


def stage(function, *arguments):
    """The text of the program as it was recorded."""
    return weft.function(function).get_concrete_function(*arguments).as_text("weft")


class TestPrograms:
    """What is recorded."""

    def test_an_exception_is_a_branch(self):
        def f(x, i):
            try:
                return x[i]
            except IndexError:
                return 0.0

        text = stage(f, np.arange(3.0), I64(1))
        assert "scf.if" in text
        assert "weft.raise_if" not in text
        assert "func.call" not in text

    def test_nothing_is_recorded_where_nothing_may_raise(self):
        def f(x):
            try:
                y = x * 2
            except IndexError:
                y = x * 3
            else:
                y = y + 1
            finally:
                y = y + x
            return y

        assert "scf.if" not in stage(f, np.arange(3.0))
        same(f, np.arange(3.0))

    def test_an_error_outside_of_the_body_ends_the_call(self):
        def f(x, i):
            try:
                y = x[0]
            except IndexError:
                y = 0.0
            return y + x[i]

        assert "weft.raise_if" in stage(f, np.arange(3.0), I64(1))
        same(f, *[(np.arange(3.0), I64(i)) for i in (1, 3)])

    def test_a_check_in_a_body_does_not_stand_for_one_behind(self):
        def f(x, i):
            try:
                y = x[i]
            except IndexError:
                y = 0.0
            return y + x[i]

        same(f, *[(np.arange(3.0), I64(i)) for i in (1, 3)], joined=True)

    def test_python_runs_the_handler_of_what_tracing_finds(self):
        def f(x):
            try:
                y = x[7]
            except IndexError as error:
                y = x.sum()
                print(error.args[0])
            return y

        assert "scf.if" not in stage(f, np.arange(3.0))
        same(f, np.arange(3.0))


class TestState:
    """Everything is as it was when the exception came."""

    def test_writes_before_the_exception_stay(self):
        def f(x, i):
            try:
                x[0] = 7
                x[1] = x[i]
                x[2] = 9
            except IndexError:
                x[3] = -1
            finally:
                x[4] += 1
            return x.sum()

        same(f, (np.arange(6.0), I64(2)), (np.arange(6.0), I64(12)))

    def test_lists_and_dicts(self):
        def f(x, i):
            d = {"a": 0.0}
            b = [1.0]
            try:
                d["a"] = x[1]
                b.append(x[0])
                last = x[i]
                b.append(last)
            except IndexError:
                d["a"] += 10
                return d, len(b)
            return d, len(b)

        same(f, (np.arange(3.0), I64(0)), (np.arange(3.0), I64(7)))

    def test_attributes_of_objects(self):
        class Counter:
            def __init__(self):
                self.value = 0.0

        def f(x, i):
            counter = Counter()
            try:
                counter.value = x[0]
                counter.value = x[i]
            except IndexError:
                counter.value += 100
            return counter.value

        same(f, (np.arange(3.0), I64(2)), (np.arange(3.0), I64(7)))

    def test_a_name_that_was_not_bound_yet(self):
        def f(x, i):
            try:
                y = x[i]
                z = y + 1
            except IndexError:
                print(z)
            return z

        same(f, (np.arange(3.0), I64(0)), (np.arange(3.0), I64(7)))

    def test_names_of_an_outer_handler_are_kept(self):
        def f(x, i):
            y = 0.0
            try:
                try:
                    y = x[0] + 5
                    y = x[i] * 2
                except KeyError:
                    y = 1.0
            except IndexError:
                return y
            return -1.0

        same(f, (np.arange(3.0), I64(2)), (np.arange(3.0), I64(7)), joined=True)

    def test_names_that_only_the_body_reads_may_be_anything(self):
        def f(x, i):
            try:
                y = x.reshape(3, 1)
                z = x[i]
                y = y.sum()
                r = y + z + x[i + 1]
            except IndexError:
                r = 0.0
            return r

        same(f, *[(np.arange(3.0), I64(i)) for i in (1, 2, 7)], joined=True)

    def test_arrays_of_two_ranks(self):
        def f(x, i):
            try:
                y = x.reshape(3, 1)
                z = x[i]
                y = y.sum() + z
            except IndexError:
                print("missed")
            return y

        same(f, (np.arange(3.0), I64(1)), (np.arange(3.0), I64(7)))


class TestLoops:
    def test_a_loop_is_left_by_an_exception(self):
        def f(x, places):
            total, count = 0.0, 0
            try:
                for p in places:
                    total += x[p]
                    count += 1
            except IndexError:
                total = -total
            return total, count

        x = np.arange(5.0)
        same(f, *[(x, np.array(p * 10)) for p in ([1, 2, 9, 3], [1, 2, 3, 4], [8, 2, 9, 3])], joined=True)

    def test_the_test_of_a_loop_raises(self):
        def f(x):
            i = 0
            try:
                while x[i] > 0:
                    i += 1
            except IndexError:
                i = i * 100
            else:
                i = i + 7
            return i

        same(f, np.array([1.0, 2, 0]), np.array([1.0, 2, 3]))

    def test_exits_from_body_handler_else_and_finally(self):
        def f(x, n):
            for k in range(n):
                try:
                    if x[k] < 0:
                        return k
                    if x[k] == 0:
                        break
                except IndexError:
                    return -1
                else:
                    if x[k] > 100:
                        continue
                    x[k] += 1
                finally:
                    x[0] += 10
            else:
                return -3
            return -2

        rows = [1.0, 2, -1], [1.0, 0, 3], [1.0, 200, 3]
        same(f, *[(np.array(row), I64(n)) for row in rows for n in (2, 3, 5)])

    def test_again_until_it_works(self):
        def f(x, i):
            tries = 0
            while True:
                tries += 1
                try:
                    v = x[i]
                    break
                except IndexError:
                    i = i - 1
            return v, tries

        same(f, *[(np.arange(3.0) + 1, I64(i)) for i in (0, 2, 6)])

    def test_deep_in_loops(self):
        def f(x):
            try:
                for i in range(len(x)):
                    for j in range(x.shape[1]):
                        if x[i, j] < 0:
                            raise ValueError(f"negative at {i},{j}")
            except ValueError as error:
                print(error)
                return False
            return True

        same(f, np.eye(30), -np.eye(30), np.diag([1.0] * 29 + [-1]))


class TestExceptions:
    """The exception as its handler sees it."""

    def test_its_text(self):
        def f(x, i):
            try:
                y = x[i] * 2
            except IndexError as error:
                print("caught", error, str(error), repr(error), f"{error!s:>60}", type(error).__name__)
                y = 0.0
            return y

        same(f, *[(np.arange(3.0), I64(i)) for i in (0, 5, -9)], joined=True)

    def test_its_arguments(self):
        def f(x):
            try:
                if x > 1:
                    raise ValueError("big", x, 7)
                y = 1.0
            except ValueError as error:
                print(error.args, error.args[1])
                y = 2.0
            return y

        same(f, F64(1), F64(2))

    def test_arithmetic_with_what_it_holds_is_refused(self):
        def f(x):
            try:
                if x > 1:
                    raise ValueError("big", [x])
            except ValueError as error:
                x = x * error.args[1]
            return x

        with pytest.raises(ConcreteValueError, match="part of an exception that was caught"):
            weft.function(f)(F64(1))

    def test_a_method_of_what_it_holds_is_refused(self):
        class Noted(Exception):
            def __init__(self, value):
                super().__init__(value)
                self.log = []

        def f(x):
            try:
                if x > 1:
                    raise Noted(x)
            except Noted as error:
                error.log.append(1)
            return x

        with pytest.raises(ConcreteValueError, match="part of an exception that was caught"):
            weft.function(f)(F64(2))

    def test_raised_again_and_from_it(self):
        def f(x, i):
            try:
                return x[i]
            except IndexError as error:
                if i > 10:
                    raise error
                if i > 8:
                    raise
                raise ValueError(f"bad {i}: {error}") from error

        same(f, *[(np.arange(3.0), I64(i)) for i in (0, 5, 9, 20)])

    def test_those_of_python_functions(self):
        def risky(v):
            if v > 2:
                raise KeyError(f"v {v}")
            if v < 0:
                raise OSError(3, "no")
            return v + 1

        def f(x, log):
            try:
                try:
                    y = weft.py_call(risky, x, result=weft.TensorSpec((), "float64"))
                except KeyError:
                    log[0] = 1
                    raise
                finally:
                    log[1] += 1
            except Exception as error:
                print(type(error).__name__, error.args)
                if isinstance(error, OSError):
                    y = x * 3
                else:
                    raise
            return y

        same(f, *[(F64(x), np.zeros(2)) for x in (1, 3, -1)])

    def test_system_exit_is_not_an_exception(self):
        def f(x):
            try:
                if x > 0:
                    raise SystemExit(3)
            except Exception:
                return 0
            finally:
                print("finally")
            return 1

        same(f, F64(-1))
        with pytest.raises(SystemExit) as left:
            weft.function(f)(F64(1))
        assert left.value.code == 3

    def test_what_the_program_raises_need_be_no_exception(self):
        class Halt(BaseException):
            pass

        def f(x):
            total = 0.0
            try:
                for v in x:
                    if v > 2:
                        raise Halt(v)
                    if v < 0:
                        raise GeneratorExit
                    total += v
            except Exception:
                return -1.0
            except GeneratorExit:
                return total
            except Halt as halt:
                print(halt)
                return total + 0.5
            return total

        same(f, *(np.array(x) for x in ([1.0, 2.0], [1.0, 3.0], [1.0, -1.0])))

    @pytest.mark.parametrize("kind", [GeneratorExit, KeyboardInterrupt])
    def test_what_is_no_exception_leaves_where_a_condition_says_so(self, kind):
        @weft.function
        def f(x):
            if x > 0:
                raise kind("positive")
            return x - 1

        assert f(F64(-1)) == -2
        with pytest.raises(kind, match="positive"):
            f(F64(1))

    def test_finally_may_swallow_it(self):
        def f(x):
            try:
                if x > 0:
                    raise ValueError("positive")
                x = x - 1
            finally:
                if x < -10 or x > 10:
                    return x * 2
            return x

        same(f, F64(1), F64(-1), F64(-12), F64(11))

    def test_one_handler_replaces_it(self):
        def f(x, log):
            try:
                try:
                    if x > 5:
                        raise KeyError("k")
                except KeyError:
                    if x > 7:
                        raise IndexError("i") from None
                    log[0] = 1
                finally:
                    log[1] = 1
            except IndexError:
                log[2] = 1
            return x

        same(f, *[(F64(v), np.zeros(3)) for v in (1, 6, 8)])

    def test_the_traceback_shows_where_it_came_from(self):
        def f(x, i):
            try:
                return x[i]
            except KeyError:
                return 0.0

        with pytest.raises(IndexError) as caught:
            weft.function(f)(np.arange(3.0), I64(9))
        lines = [str(entry.statement).strip() for entry in caught.traceback]
        assert lines[-1] == "return x[i]"

    def test_suppress(self):
        def f(x, n):
            done = 0
            for k in range(n):
                with contextlib.suppress(IndexError, KeyError):
                    x[0] += x[k]
                    done += 1
                    if done > 5:
                        break
                    if done == 2:
                        continue
            return done

        same(f, *[(np.arange(3.0) + 1, I64(n)) for n in (1, 2, 7)])


class TestRecursion:
    def test_the_exception_of_a_deep_call(self):
        def last(n, x):
            if n <= 0:
                return x[n - 2]
            return last(n - 1, x) * 2

        def f(n, x):
            try:
                return last(n, x)
            except IndexError as error:
                print(error)
                return -1.0

        same(f, *[(I64(n), np.arange(3.0)) for n in (0, 3, -1, -7)], joined=True)

    def test_each_call_handles_its_own(self):
        def total(n, x):
            try:
                if n > 3:
                    raise KeyError("deep")
                return x[n] + total(n + 1, x)
            except KeyError:
                return 0.5
            finally:
                x[0] += 1

        same(total, *[(I64(n), np.arange(5.0)) for n in (0, 2, 6)], joined=True)
        with pytest.raises(IndexError):
            weft.function(total)(I64(0), np.arange(2.0))


def test_handlers_see_the_classes_of_numpy_and_python():
    def f(a, i):
        seen = []
        for do in (
            lambda: a[2],
            lambda: a.reshape(7),
            lambda: a + np.ones(3),
            lambda: np.concatenate([a, np.ones(3)]),
            lambda: a.sum(axis=5),
        ):
            try:
                do()
            except Exception as error:
                seen += [type(error).__name__, type(error) is IndexError, isinstance(error, ValueError)]
                print(repr(error).partition("(")[0])
        try:
            if i > 0:
                a[5]
        except IndexError as error:
            print(type(error).__name__, error)
        return seen

    same(f, (np.ones((2, 2)), I64(1)), (np.ones((2, 2)), I64(0)))


def test_what_is_no_function_is_not_callable():
    weft.function(
        lambda: np.random.default_rng(1).random()
    )()  # what is asked of functions then is asked of None, too

    def f(step, x):
        try:
            return step(x)
        except TypeError as error:
            print(error)
            return x

    same(f, (3, F64(1)), (None, F64(1)), traces=2)
