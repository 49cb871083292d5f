"""Seeing what happens: the eager switch, prints of run-time values, breakpoints, line events, short tracebacks."""

from __future__ import annotations

import bdb
import inspect
import sys
import traceback

import numpy as np
import pytest

import weft
from support.behaviour_harness import printed, same

F64, I64 = np.float64, np.int64


def walk(x, n):
    """A function with a loop and a branch, to step through."""
    total = x * 0  # line 1
    for i in range(n):
        if x > i:
            total = total + i  # line 4
        else:
            total = total - 1  # line 6
    return total  # line 7


def line_of(text):
    """The number of the line of `walk` that ends in a comment."""
    lines, first = inspect.getsourcelines(walk)
    return first + next(i for i, line in enumerate(lines) if line.rstrip().endswith(f"# {text}"))


class TestEagerSwitch:
    def test_everything_runs_eagerly_when_it_is_switched_off(self):
        calls = []

        @weft.function
        def f(x):
            calls.append(type(x))
            if x > 0:
                return x * 2
            return x

        before = weft.settings.disable_jit
        weft.run_functions_eagerly(True)
        try:
            assert [f(F64(1)), f(F64(-1))] == [2, -1]
        finally:
            weft.run_functions_eagerly(before)
        assert calls == [F64, F64]
        with weft.eager():
            assert f(F64(3)) == 6
        assert len(calls) == 3
        assert f(F64(3)) == 6


class TestPrint:
    def test_prints_show_run_time_values_on_every_call(self):
        def f(x):
            y = x * 2
            print("x is", x, "and y", y, sep="_", end=".\n")

        same(f, F64(1), F64(2), np.arange(3), np.arange(6.0).reshape(2, 3), traces=3)

    @pytest.mark.parametrize("dtype", [np.int8, np.uint64, np.float32, np.float64, np.bool_])
    def test_values_print_as_numpy_prints_them(self, dtype):
        def f(x):
            print(x, [x, (x,)], {"a": x}, f"{x}", f"{x!r:>20}", str(x))

        same(f, dtype(1), np.ones(2, dtype), traces=2)

    def test_formats_of_run_time_values(self):
        def f(x, n):
            for i in range(n):
                print(f"{i:03d}: {x / (i + 1):8.3f} {x:e}")
                print("{} and {:.2f}".format(i, x), "%d %s" % (i, "b"))  # noqa: UP031, UP032

        same(f, *[(F64(2), I64(n)) for n in (0, 1, 3)])

    def test_prints_of_python_values(self):
        def f(x):
            print("shape", x.shape, x.dtype, [1, 2], None)
            print()
            return x

        same(f, np.ones(2))

    def test_prints_go_to_the_file_that_is_named(self, capsys):
        def f(x):
            if x > 0:
                print("warning", x, file=sys.stderr)
            return x

        weft.function(f)(F64(2))
        assert capsys.readouterr().err == "warning 2.0\n"


class Recorder(bdb.Bdb):
    """A debugger that notes where it stops."""

    def __init__(self):
        super().__init__()
        self.stops = []

    def user_line(self, frame):
        """Note a breakpoint and go on."""
        if self.get_break(frame.f_code.co_filename, frame.f_lineno):
            self.stops.append(frame.f_lineno)
        self.set_continue()


class TestDebugger:
    def test_a_breakpoint_stops_at_the_users_line(self):
        recorder = Recorder()
        lines = [line_of(text) for text in ("line 1", "line 4", "line 6", "line 7")]
        for line in lines:
            recorder.set_break(walk.__code__.co_filename, line)
        before = sys.gettrace()
        try:
            assert recorder.runcall(weft.function(walk), F64(2), I64(3)) == 0
        finally:
            sys.settrace(before)
        assert set(recorder.stops) == set(lines)

    def test_line_events_are_those_of_the_source(self):
        seen = set()

        def note(frame, event, argument):
            if frame.f_code.co_filename == walk.__code__.co_filename and event == "line":
                seen.add(frame.f_lineno)
            return note

        before = sys.gettrace()
        sys.settrace(note)
        try:
            weft.function(walk)(F64(2), I64(3))
        finally:
            sys.settrace(before)
        assert {line_of(f"line {i}") for i in (1, 4, 6, 7)} <= seen


class TestTracebacks:
    @pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 adds the entry of a `raise`")
    def test_tracebacks_show_the_users_frames_alone(self):
        def helper(x):
            for i in range(5):
                if x < i:
                    raise ValueError("too small")
            return x

        def f(x):
            y = helper(x)
            return y

        with pytest.raises(ValueError, match="too small") as eager:
            f(F64(3))
        with pytest.raises(ValueError, match="too small") as compiled:
            weft.function(f)(F64(3))

        def frames(caught):
            extracted = traceback.extract_tb(caught.value.__traceback__)
            return [(frame.filename, frame.lineno) for frame in extracted]

        # The first frame is this test's, on another line.
        assert frames(compiled)[1:] == frames(eager)[1:]

    def test_all_frames_on_demand(self):
        def f(x):
            if x < 0:
                raise ValueError("negative")
            return x

        with weft.settings.scope(full_traceback=True), pytest.raises(ValueError, match="negative") as caught:
            weft.function(f)(F64(-1))
        assert len(traceback.extract_tb(caught.value.__traceback__)) > 2

    def test_errors_while_tracing_point_at_the_users_line(self):
        def f(x, y):
            if x.sum() > 0:
                return np.dot(x, y)  # shapes differ
            return x

        with pytest.raises(ValueError, match=r"shapes|mismatch|aligned") as caught:
            weft.function(f)(np.ones(3), np.ones(4))
        last = traceback.extract_tb(caught.value.__traceback__)[-1]
        assert last.line == "return np.dot(x, y)  # shapes differ"


def test_print_is_captured_by_the_harness():
    with printed() as output:
        weft.function(lambda x: x)(np.ones(1))
    assert output.getvalue() == ""
