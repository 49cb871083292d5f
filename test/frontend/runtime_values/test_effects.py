"""What compiled functions ask Python to do when they run: print, call functions, raise; and strings made then."""

from __future__ import annotations

import collections
import dataclasses
import io
import json
import operator
import queue
import subprocess
import sys
import traceback
from typing import Any

import numpy as np
import pytest

import weft
from support.behaviour_harness import same
from weft.frontend.runtime_values.effects import raise_at_run_time
from weft.frontend.runtime_values.strings import format_string, string_of, to_string
from weft.frontend.runtime_values.values import make_exception
from weft.frontend.tracing.current import current_trace

F64, I64 = np.float64, np.int64
Point = collections.namedtuple("Point", "x y")


@dataclasses.dataclass
class Pair:
    left: Any
    right: Any


def plain(function):
    """Compiled without conversion of its statements: what is tested here are the functions that it calls."""
    return weft.function(autograph=False)(function)


def output_of(capsys, function, *calls):
    """What the calls of a function print, and what they return."""
    results = [function(*arguments) for arguments in calls]
    return capsys.readouterr().out, results


class TestPrint:
    @pytest.mark.parametrize(
        "show",
        [
            lambda x, y: weft.print(x, y, x.sum()),
            lambda x, y: weft.print([x, (x.sum(), None)], {"y": y, 2: "text"}, "text"),
            lambda x, y: weft.print(Point(x, 1.5), Pair(y, [True]), {3}, x.shape, x.dtype),
            lambda x, y: weft.print("no arrays"),
            lambda x, y: weft.print(),
            lambda x, y: weft.print(x[0], y[:0], sep="|", end="."),
            lambda x, y: weft.print(np.arange(3), np.array(2.5), np.array(["a"]), F64(1) / 3, 1 / 3),
            lambda x, y: weft.print(x > 1, x.astype(np.float32) / 3, x.astype(np.complex64)[:1]),
            lambda x, y: weft.print(weft.zeros(2000) + x[0]),
        ],
    )
    def test_it_prints_what_print_prints_of_numpy_values(self, capsys, show):
        calls = [(np.arange(3.0), np.array([1, 2], np.int32)), (np.full(3, 7.0), np.array([3, 4], np.int32))]
        eager = output_of(capsys, show, *calls)
        assert output_of(capsys, plain(show), *calls) == eager
        assert eager[0]

    @pytest.mark.parametrize("length", [0, 1, 5])
    def test_extents_are_python_numbers(self, capsys, length):
        def f(x):
            weft.print(x, x.shape, x.shape[0] * 2, [x.size])

        arguments = (np.ones((length, 2)),)
        compiled = weft.function(f, input_signature=[weft.TensorSpec([None, 2], "float64")])
        assert output_of(capsys, compiled, arguments) == output_of(capsys, f, arguments)

    def test_it_keeps_its_place_among_writes(self, capsys):
        def f(x):
            weft.print("before", x)
            y = x[1:]
            x += 1
            weft.print("after", x, y)
            y *= 10
            weft.print("then", x)

        assert output_of(capsys, plain(f), (np.arange(3.0),)) == output_of(capsys, f, (np.arange(3.0),))

    def test_containers_are_printed_as_they_were(self, capsys):
        def f(x):
            items = [x.sum()]
            weft.print(items)
            items.append(1)
            weft.print(items)

        assert output_of(capsys, plain(f), (np.ones(2),)) == output_of(capsys, f, (np.ones(2),))

    def test_arrays_from_outside_are_printed_as_they_are_now(self, capsys):
        small, large = np.zeros(2), np.zeros(500)

        def f(x):
            weft.print(small, large[:2] if False else large.sum(), large)

        compiled = plain(f)
        for value in (1, 2):
            small[:], large[:] = value, value
            assert output_of(capsys, compiled, (np.ones(1),)) == output_of(capsys, f, (np.ones(1),))

    def test_files(self, capsys):
        stream = io.StringIO()

        def f(x):
            weft.print("to a stream", x, file=stream)
            weft.print("an error", file=sys.stderr)
            weft.print("out", file=sys.stdout, flush=True)

        compiled = plain(f)
        compiled(F64(1))
        capsys.readouterr()
        compiled(F64(2))  # streams are those of the time of the printing
        captured = capsys.readouterr()
        assert (captured.out, captured.err) == ("out\n", "an error\n")
        assert stream.getvalue() == "to a stream 1.0\nto a stream 2.0\n"

    def test_arguments_that_print_refuses(self):
        with pytest.raises(TypeError) as eager:
            print(sep=1)
        with pytest.raises(TypeError) as compiled:
            plain(lambda x: weft.print(x, sep=1))(np.ones(1))
        assert str(compiled.value) == str(eager.value)

    def test_an_object_that_holds_traced_arrays_is_refused(self):
        class Model:
            def __init__(self, weight):
                self.weight = weight

        with pytest.raises(weft.UnsupportedError, match=r"inside of a .*Model object cannot be printed"):
            plain(lambda x: weft.print(Model(x)))(np.ones(1))

    def test_while_tracing(self, capsys):
        compiled = plain(lambda x: weft.trace_print("tracing", x) or x)
        compiled(np.ones(2))
        compiled(np.ones(2))
        assert capsys.readouterr().out.startswith("tracing ")
        assert capsys.readouterr().out == ""
        weft.trace_print("eager", sep="")
        assert capsys.readouterr().out == "eager\n"

    def test_a_result_that_is_only_printed_is_computed(self, capsys):
        plain(lambda x: weft.print(np.exp(x) @ x))(np.zeros(3))
        assert capsys.readouterr().out == "0.0\n"


class TestPyCall:
    def test_it_is_called_each_time_with_numpy_values(self):
        seen = []

        def note(*values):
            seen.append([type(value) for value in values])

        def f(x):
            weft.py_call(note, x, x.sum(), x.shape[0], [x], None)
            return x

        compiled = weft.function(f, input_signature=[weft.TensorSpec([None], "float64")])
        for _ in range(2):
            compiled(np.ones(3))
        assert seen == [[np.ndarray, np.float64, int, list, type(None)]] * 2

    @pytest.mark.parametrize(
        ("function", "result"),
        [
            (lambda x: x * 2, weft.TensorSpec((2, 3), "float64")),
            (lambda x: x.sum(), weft.TensorSpec((), "float64")),
            (lambda x: 3, weft.TensorSpec((), "float32")),
            (lambda x: [x > 0, {"n": x.astype(np.uint8)}],
             [weft.TensorSpec((2, 3), "bool"), {"n": weft.TensorSpec((2, 3), "uint8")}]),
            (lambda x: Point(x[0], x[:, 0]), Point(weft.TensorSpec((3,)), weft.TensorSpec((2,)))),
            (lambda x: "ignored", None),
        ],
    )  # fmt: skip
    def test_results_are_those_of_the_eager_call(self, function, result):
        same(
            lambda x: weft.py_call(function, x, result=result), np.arange(6.0).reshape(2, 3), -np.ones((2, 3))
        )

    @pytest.mark.parametrize(
        ("function", "result", "message"),
        [
            (
                lambda x: x,
                weft.TensorSpec((3,)),
                r"what <lambda> returned is f64\[2\], but f64\[3\] is declared",
            ),
            (lambda x: 1.5, weft.TensorSpec((), "int64"), r"is f64\[\], but i64\[\] is declared"),
            (lambda x: None, weft.TensorSpec(()), "dtype"),
            (lambda x: (x,), [weft.TensorSpec((2,))], "returned a tuple, but a list is declared"),
            (lambda x: [x], [weft.TensorSpec((2,))] * 2, "returned a list of 1, but one of 2 is declared"),
            (lambda x: {"a": x}, {"b": weft.TensorSpec((2,))}, r"returned the keys \['a'\], but \['b'\]"),
            (lambda x: x, weft.TensorSpec((None, None)), r"is f64\[2\], but f64\[\?,\?\] is declared"),
            (lambda x: x, "f64[2]", "result is made of weft.TensorSpec"),
        ],
    )
    def test_results_that_are_not_as_declared(self, function, result, message):
        def f(x):
            return weft.py_call(function, x, result=result)

        for run in (f, plain(f)):
            with pytest.raises(TypeError, match=message):
                run(np.ones(2))

    def test_results_of_any_size(self):
        def f(x):
            total, found = 0.0, weft.py_call(lambda a: a[a > 1], x, result=weft.TensorSpec((None,)))
            for n in range(x.shape[0]):
                parts = weft.py_call(
                    lambda a, k: (np.ones((k, 2)), a[:k]),
                    x,
                    n,
                    result=(weft.TensorSpec((None, 2)), weft.TensorSpec((None,))),
                )
                total += parts[0].sum() + parts[1].sum()
            try:
                weft.py_call(lambda a: a[5:].max(keepdims=True), x, result=weft.TensorSpec((None,)))
            except ValueError:
                total += 0.5
            return found * 2, found.shape[0], total

        compiled = weft.function(f, input_signature=[weft.TensorSpec((None,))])
        for values in ([0.0, 2.0, 3.0], [0.0, 1.0], []):
            got, expected = compiled(np.array(values)), f(np.array(values))
            np.testing.assert_array_equal(got[0], expected[0])
            assert got[1:] == expected[1:]

    def test_arrays_cannot_be_written_in_vain(self):
        def change(x):
            x[0] = 1

        with pytest.raises(ValueError, match="read-only"):
            plain(lambda x: weft.py_call(change, x))(np.ones(2))

    def test_what_was_written_before_is_seen_in_strided_arguments_too(self):
        arrays = [np.arange(3.0), np.arange(6.0)[::2]]
        seen = []

        def f(x, position):
            x *= 2
            weft.py_call(lambda: seen.append(arrays[position].tolist()))
            x *= 2

        for position, array in enumerate(arrays):
            plain(f)(array, position)
        assert seen == [[0, 2, 4], [0, 4, 8]]
        assert arrays[1].tolist() == [0, 8, 16]

    def test_compiled_functions_call_each_other_through_python(self):
        @plain
        def countdown(n):
            below = weft.py_call(lower, n, result=weft.TensorSpec((), "int64"))
            return below + n

        def lower(n):
            return 0 if n <= 0 else countdown(n - 1)

        assert countdown(I64(5)) == 15

    def test_functions_run_outside_of_traces(self):
        inner = plain(lambda x: x + 1)
        compiled = plain(lambda x: weft.py_call(inner, x, result=weft.TensorSpec((2,))))
        seen = []
        weft.function(lambda x: seen.append(compiled.get_concrete_function(np.ones(2))) or x)(np.ones(1))
        assert compiled(np.ones(2)).tolist() == [2, 2]

    @pytest.mark.compiled("lines of errors are machine code's")
    def test_the_exception_of_a_function_is_the_one_that_comes_out(self):
        error = OSError("disk")

        def fail(x):
            raise error

        def f(x):
            x += 1
            weft.py_call(fail, x)
            x += 1

        array = np.zeros(2)
        with pytest.raises(OSError, match="disk") as caught:
            plain(f)(array)
        assert caught.value is error
        assert error.__context__ is None
        assert array.tolist() == [1, 1]
        names = [entry.name for entry in traceback.extract_tb(error.__traceback__)]
        assert names[-2:] == ["f", "fail"]


class OddError(Exception):
    """Its constructor takes other arguments than its `args`."""

    def __init__(self, code, *, hint):
        super().__init__(f"code {code:.1f}")
        self.code = code
        self.hint = hint


def raised_by(function, *arguments):
    """The exception of a call."""
    with pytest.raises(BaseException) as caught:  # noqa: PT011
        function(*arguments)
    return caught.value


class TestRaise:
    @pytest.mark.parametrize(
        "make",
        [
            lambda x: ValueError("text"),
            lambda x: KeyError(x.sum()),
            lambda x: KeyError(x[0], [x, {"a": 1}], 2),
            lambda x: ValueError(format_string("bad: ", (x, "", ""), "!")),
            lambda x: make_exception(OddError, x.sum(), hint=[x]),
            lambda x: OddError(1.5, hint="known"),
            lambda x: OSError(2, "none", "file"),
            lambda x: SystemExit(x.sum()),
            lambda x: StopIteration(x),
            lambda x: np.exceptions.AxisError(3, 2),
            lambda x: json.JSONDecodeError("text", "{", 1),
            lambda x: subprocess.CalledProcessError(3, "command"),
            lambda x: UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid"),
        ],
    )
    def test_exceptions_are_like_those_of_the_eager_function(self, make):
        def f(x):
            x += 1
            error = make(x)
            if current_trace() is None:
                raise error
            raise_at_run_time(current_trace(), error)

        compiled = plain(f)
        for value in (1.0, 2.0):
            array, other = np.full(3, value), np.full(3, value)
            expected, got = raised_by(f, array), raised_by(compiled, other)
            assert type(got) is type(expected)
            assert (repr(got), str(got)) == (repr(expected), str(expected))
            for name in ("code", "hint", "value", "filename", "errno", "axis", "pos", "returncode", "start"):
                np.testing.assert_equal(getattr(got, name, None), getattr(expected, name, None))
            assert other.tolist() == array.tolist()

    def test_causes_and_fresh_exceptions(self):
        def f(x):
            error = ValueError("outer")
            error.__cause__ = KeyError(x.sum())
            raise_at_run_time(current_trace(), error)

        compiled = plain(f)
        first, second = raised_by(compiled, np.ones(2)), raised_by(compiled, np.ones(2))
        assert first is not second
        assert repr(second.__cause__) == "KeyError(np.float64(2.0))"
        assert second.__context__ is None

    def test_exceptions_made_by_a_function(self):
        compiled = plain(lambda x: raise_at_run_time(current_trace(), lambda v: IndexError(v, len(v)), x))
        error = raised_by(compiled, np.ones(3))
        assert isinstance(error, IndexError)
        assert error.args[0].tolist() == [1, 1, 1]
        assert error.args[1] == 3

    @pytest.mark.compiled("lines of errors are machine code's")
    def test_the_traceback_goes_through_the_users_lines(self):
        def check(x):
            raise_at_run_time(current_trace(), ValueError("here"))

        def f(x):
            return check(x * 2)

        entries = traceback.extract_tb(raised_by(plain(f), np.ones(2)).__traceback__)
        assert [entry.name for entry in entries][-2:] == ["f", "check"]
        assert entries[-1].line == 'raise_at_run_time(current_trace(), ValueError("here"))'
        assert all("weft" not in entry.filename or "test" in entry.filename for entry in entries[1:])


class TestStrings:
    @pytest.mark.parametrize(
        "make",
        [
            lambda x: format_string("x=", (x, "", ""), "; sum ", (x.sum(), "", ">8.3f"), (x, "r", ""), (1, "", "03d")),
            lambda x: to_string(x),
            lambda x: to_string(x.sum(), "r") + "!" + to_string([x, 1]),
            lambda x: string_of("{:.1f} and {name}".format, x.sum(), name=x),
            lambda x: string_of(operator.mod, "%d items of %s", (x.sum(), x)),
            lambda x: ("<" + to_string(x)).upper().center(30, "*").replace("*", to_string(x[0])) * 2,
            lambda x: format_string((np.arange(2), "", ""), (2.5, "a", "")),
            lambda x: [to_string(x), {"key": to_string(x[0])}],
        ],
    )  # fmt: skip
    def test_texts_are_those_of_the_eager_function(self, capsys, make):
        calls = [(np.arange(3.0),), (np.full(3, 1 / 3),)]
        show = lambda x: weft.print(make(x))  # noqa: E731
        assert output_of(capsys, plain(show), *calls) == output_of(capsys, show, *calls)

    def test_values_are_those_of_the_place_where_the_string_was_made(self, capsys):
        def f(x):
            text = to_string(x)
            x += 1
            weft.print(text, x)

        assert output_of(capsys, plain(f), (np.zeros(2),))[0] == "[0. 0.] [1. 1.]\n"

    @pytest.mark.parametrize(
        "use",
        [str, len, bool, list, hash, lambda s: s.split(), lambda s: "a" in s, lambda s: f"{s}", int],
    )  # fmt: skip
    def test_a_text_that_is_needed_while_tracing_is_refused(self, use):
        def f(x):
            use(to_string(x))

        with pytest.raises(TypeError, match=r"known at run time|unhashable"):
            plain(f)(np.ones(2))

    def test_what_strings_do_not_have(self):
        with pytest.raises(AttributeError, match="'str' object has no attribute 'sum'"):
            plain(lambda x: to_string(x).sum())(np.ones(2))
        with pytest.raises(TypeError, match="unsupported operand"):
            plain(lambda x: to_string(x) + 1)(np.ones(2))

    def test_strings_can_be_returned(self):
        def f(x):
            text = to_string(x)
            x += 1
            return text, [format_string("sum ", (x.sum(), "", ".1f")), x]

        same(f, np.zeros(2), np.ones(2))
        assert plain(f).get_concrete_function(np.ones(2)).result_types == "(a string, [a string, f64[2]])"

    def test_a_string_that_is_kept_is_refused(self):
        kept: queue.SimpleQueue[Any] = queue.SimpleQueue()
        plain(lambda x: kept.put(to_string(x)))(np.ones(2))
        with pytest.raises(TypeError, match="after the tracing has ended"):
            kept.get() + "text"

    def test_without_a_trace_they_are_strings(self):
        assert format_string("x = ", (F64(1.5), "", ".3f"), ("a", "r", "")) == "x = 1.500'a'"
        assert to_string(F64(1.5)) == "1.5"
        assert string_of("{}".format, 1) == "1"


class TestInControlFlow:
    """Effects where arrays decide what runs."""

    def test_prints_in_loops_and_branches(self):
        def f(x, n):
            print("start", n)
            for i in range(n):
                x = x * 2
                if x.sum() > 10:
                    print(f"{i}: large {x.sum():.1f}", x, sep=" -> ")
                    break
                print(i, end=";")
            else:
                print("not broken")
            print("%s after %d" % (x, n), "{!r}".format(n))  # noqa: UP031, UP032
            return x

        same(f, *[(np.arange(3.0), I64(n)) for n in (0, 1, 2, 5)])

    def test_objects_in_texts_are_shown_as_python_shows_them(self):
        class Shown:
            def __str__(self):
                return "str"

            def __repr__(self):
                return "repr"

        shown = Shown()

        def f(x):
            print("%s %s %d" % (shown, x[0], np.float32(5)), f"{shown} {x[0]} {shown!r}", shown, [shown])  # noqa: UP031
            return x

        same(f, (np.arange(3.0),))

    def test_python_is_called_in_loops(self):
        def f(x, n):
            total = F64(0)
            for i in range(n):
                total = total + weft.py_call(lambda a, k: a.sum() + k, x, i, result=weft.TensorSpec())
                x = x * 2
            return total

        same(f, *[(np.arange(3.0), I64(n)) for n in (0, 1, 4)])

    def test_exceptions_with_values_of_the_iteration(self):
        def f(x, n, log):
            for i in range(n):
                log[i] = i + 1
                if x > i * i:
                    continue
                if i > 3:
                    raise OddError(x, hint=(i, f"at {i}"))
                raise KeyError(i, x)
            return x

        same(f, *[(F64(x), I64(n), np.zeros(8)) for x, n in ((100, 8), (3, 8), (20, 8), (0.5, 1), (0, 0))])

    def test_strings_of_branches_can_be_printed_and_returned(self):
        def f(x):
            name = "positive" if x > 0 else "negative"
            print(name, [name], f"<{name}>")
            return f"{x} is {name}"

        same(f, F64(1), F64(-1))

    def test_leaving_the_program(self):
        @weft.function
        def f(x):
            if x > 1:
                sys.exit(3)
            if x < 0:
                raise SystemExit(x)
            return x

        assert f(F64(1)) == 1
        assert raised_by(f, F64(2)).code == 3
        assert raised_by(f, F64(-1)).code == -1

    def test_errors_of_python_itself(self):
        def f(x, d):
            if x > 2:
                return d["missing"]
            if x > 1:
                return d.pop("gone")
            if x > 0:
                return x + next(iter([]))
            return x

        same(f, *[(F64(x), {"a": 1}) for x in (3, 2, 1, 0)])

    @pytest.mark.compiled("lines of errors are machine code's")
    def test_tracebacks_have_one_entry_for_a_function(self):
        def check(x, i):
            if x < i:  # noqa: SIM102
                if i > 2:
                    raise ValueError("small")
            return x

        def f(x):
            for i in range(5):
                x = check(x, i) * 1
            return x

        expected = traceback.extract_tb(raised_by(f, F64(2)).__traceback__)
        compiled = weft.function(f)
        for _ in range(2):
            got = traceback.extract_tb(raised_by(compiled, F64(2)).__traceback__)
            assert [(e.name, e.lineno, e.line) for e in got if e.name != "__call__"] == [
                (e.name, e.lineno, e.line) for e in expected
            ]


@dataclasses.dataclass
class Held:
    array: object
    count: object = 0


def test_dataclasses_are_shown_with_their_values(capsys):
    @weft.function
    def f(held):
        print(held, f"{held!r}", str(held), [held])

    held = Held(np.array([-2.0, 2.0]), np.int64(3))
    f(held)
    printed = capsys.readouterr().out
    print(held, f"{held!r}", str(held), [held])
    assert printed == capsys.readouterr().out
