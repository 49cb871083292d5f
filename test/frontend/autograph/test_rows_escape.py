"""Ways out of conversion: functions that opt out, Python called at run time, prints while tracing."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from support.behaviour_harness import printed, same

F64, I64 = np.float64, np.int64


@weft.do_not_convert
def unconverted(x):
    """Branch on an array value, without conversion."""
    if x > 0:
        return x
    return -x


@weft.do_not_convert
def doubled(x, n=2):
    """Do nothing that needs conversion."""
    for _ in range(n):
        x = x * 2
    return x


class TestOptOut:
    def test_a_function_without_conversion_refuses_run_time_conditions(self):
        def f(x):
            if x > 0:
                return x * 2
            return x

        compiled = weft.function(f, autograph=False)
        with pytest.raises(weft.WeftTypeError, match="the truth of an array"):
            compiled(F64(1))

    def test_a_function_without_conversion_unrolls(self):
        @weft.function(autograph=False)
        def f(x):
            for i in range(100):
                x = x + i
            return x

        assert f(F64(1)) == 4951
        assert "scf" not in f.get_concrete_function(F64(1)).as_text("weft")

    def test_a_marked_helper_is_not_converted(self):
        def f(x):
            return unconverted(x) + 1

        with pytest.raises(weft.WeftTypeError, match="the truth of an array"):
            weft.function(f)(F64(1))

    def test_a_marked_helper_is_traced(self):
        def f(x, n):
            for _ in range(n):
                if x < 100:
                    x = doubled(x)
            return x

        same(f, *[(F64(3), I64(n)) for n in (0, 1, 9)])


class TestPythonAtRunTime:
    def test_python_is_called_where_control_reaches_it(self):
        calls = []

        def note(x):
            calls.append(float(x))
            return x + 1

        def f(x, n):
            for i in range(n):
                if x > i:
                    x = weft.py_call(note, x, result=weft.TensorSpec((), "float64"))
                else:
                    x = x - 10
            return x

        compiled = weft.function(f)
        for n in (0, 1, 4):
            calls.clear()
            expected, eagerly = f(F64(0.5), I64(n)), list(calls)
            calls.clear()
            assert compiled(F64(0.5), I64(n)) == expected
            assert calls == eagerly
        assert compiled.trace_count == 1

    def test_an_exception_of_python_ends_the_loop(self):
        def refuse(x, i):
            if i == 2:
                raise OverflowError("too far")

        def f(x, n):
            for i in range(n):
                x[i] = 1
                weft.py_call(refuse, x, i)

        same(f, *[(np.zeros(5), I64(n)) for n in (2, 5)])

    def test_prints_while_tracing_appear_once_for_each_trace(self):
        def f(x):
            weft.trace_print("tracing", x.dtype)
            if x > 0:
                return x * 2
            return x

        compiled = weft.function(f)
        with printed() as output:
            for value in (F64(1), F64(-1), I64(2), F64(3)):
                compiled(value)
        assert output.getvalue() == "tracing float64\ntracing int64\n"
