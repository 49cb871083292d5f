"""What users say about conversion: opting out, strictness, the log, looking at the code, how loops are compiled."""

from __future__ import annotations

import ast
import functools
import re

import numpy as np
import pytest

import weft
from support.behaviour_harness import same
from weft.dialect.errors import ConversionError

F64, I64 = np.float64, np.int64
UNCONVERTIBLE = """
def helper(x):
    try:
        return x + 1
    except* ValueError:
        return x
"""


def unconvertible(tmp_path, body="return x + 1"):
    """A function with syntax that has no conversion, with a source."""
    path = tmp_path / "helpers.py"
    path.write_text(f"async def other(x):\n    pass\n\n\ndef helper(x):\n    weft_ = 3\n    {body}\n")
    names = {}
    exec(compile(path.read_text(), str(path), "exec"), names)
    return names["helper"], names["other"]


def executed(source):
    names = {"np": np}
    exec(source, names)
    return names["f"]


class TestDoNotConvert:
    def test_a_marked_helper_raises_the_error_of_bool(self):
        @weft.do_not_convert
        def helper(x):
            return x if x > 0 else -x

        with pytest.raises(
            TypeError, match=r"helper is traced as it is: it is marked by weft\.do_not_convert"
        ):
            weft.function(lambda x: helper(x))(F64(1))

    def test_a_marked_helper_without_control_flow_works(self):
        @weft.do_not_convert
        def helper(x, twice):
            return x * 2 if twice else x

        same(lambda x: helper(x, True) if x > 0 else helper(x, False), F64(1), F64(-1))

    def test_autograph_false_says_what_to_do(self):
        def f(x):
            return x if x > 0 else -x

        with pytest.raises(TypeError, match="f is traced as it is: it has autograph=False; leave that out"):
            weft.function(f, autograph=False)(F64(1)) if False else weft.function(autograph=False)(f)(F64(1))


class TestStrictness:
    def test_a_helper_that_cannot_be_converted_warns_once(self, tmp_path):
        helper, _ = unconvertible(tmp_path)
        f = weft.function(lambda x: helper(x) * 2)
        with pytest.warns(
            weft.ConversionWarning, match=r"helper .*helpers\.py:5.* is traced as it is: .*weft_"
        ) as caught:
            assert f(F64(1)) == 4
        assert len(caught) == 1
        assert caught[0].filename.endswith("helpers.py")
        assert f(np.float32(1)) == 4  # filterwarnings is "error": no second warning

    def test_such_a_helper_raises_where_an_array_decides(self, tmp_path):
        helper, _ = unconvertible(tmp_path, "return x if x > 0 else -x")
        with (
            pytest.warns(weft.ConversionWarning),
            pytest.raises(TypeError, match="helper is traced as it is: the name weft_ cannot be compiled"),
        ):
            weft.function(lambda x: helper(x))(F64(1))

    @pytest.mark.parametrize("way", ["setting", "argument"])
    def test_strict_conversion_raises(self, tmp_path, way):
        helper, _ = unconvertible(tmp_path)

        def f(x):
            return helper(x) * 2

        by_setting = way == "setting"
        with (
            weft.settings.scope(strict_conversion=by_setting),
            pytest.raises(ConversionError, match="the name weft_"),
        ):
            weft.function(strict=not by_setting)(f)(F64(1))

    def test_strict_conversion_wants_the_source_of_control_flow(self):
        plain = executed("def f(x):\n    return x + 1\n")
        choosing = executed("def f(x, n=1):\n    return x + 1 if n else x\n")
        assert weft.function(strict=True)(plain)(F64(1)) == 2
        assert weft.function(choosing)(F64(1)) == 2
        with pytest.raises(ConversionError, match=r"f \(<string>:1\) cannot be converted: its source"):
            weft.function(strict=True)(choosing)(F64(1))

    def test_the_compiled_function_itself_and_coroutines_are_errors(self, tmp_path):
        helper, other = unconvertible(tmp_path)
        with pytest.raises(ConversionError, match="the name weft_"):
            weft.function(helper)(F64(1))
        with pytest.raises(ConversionError, match="a coroutine function"):
            weft.function(lambda x: other(x))(F64(1))


class TestLog:
    def test_what_is_converted_and_what_is_not(self, caplog):
        @weft.do_not_convert
        def marked(x):
            return x + 1

        def helper(x):
            return marked(x) if x > 0 else x

        with weft.settings.scope(log="conversion"):
            weft.function(lambda x: helper(helper(x)))(F64(1))
        text = "\n".join(record.message for record in caplog.records if record.name == "weft.conversion")
        assert len(re.findall(r"converts \S*\.helper \(\S+test_public_api\.py:\d+\)", text)) == 1
        assert len(re.findall(r"runs \S*\.marked .* as it is: it is marked", text)) == 1

    def test_converted_code_is_logged(self, caplog):
        def f(x):
            return x if x > 0 else -x

        with weft.settings.scope(log="code"):
            weft.function(f)(F64(1))
        (record,) = caplog.records
        assert record.name == "weft.code"
        assert "weft_.if_exp(x > 0" in record.message


class TestToCode:
    def test_functions_methods_and_compiled_functions(self):
        class Model:
            def plain(self, x):
                return x if x > 0 else -x

            @weft.function
            def compiled(self, x):
                return x if x > 0 else -x

            def __call__(self, x):
                return x if x > 0 else -x

        @weft.function
        def f(x):
            while x > 0:
                x = x - 1
            return x

        model = Model()
        for shown in (f, f.python_function, model.plain, Model.plain, model.compiled, model):
            code = weft.autograph.to_code(shown)
            ast.parse(code)
            assert "weft_." in code

    def test_other_callables_are_refused(self):
        for other in (len, np.sin, 3, functools.partial(len)):
            with pytest.raises(TypeError, match="to_code shows functions that are written in Python"):
                weft.autograph.to_code(other)


def text_of(function, *arguments):
    return weft.function(function).get_concrete_function(*arguments).as_text("weft")


class TestLoopHints:
    def test_range_is_never_unrolled(self):
        def hinted(x):
            for i in weft.range(3):
                x = x * 2 + i
            return x

        def enumerated(x):
            for k, i in enumerate(weft.range(1, 4)):
                x = x * 2 + i * k
            return x

        def listed(x):
            return [x * i for i in weft.range(3)]

        for function in (hinted, enumerated, listed):
            same(function, F64(1), joined=True)
            assert "scf.for" in text_of(function, F64(1))

    def test_range_whose_items_must_be_known_is_refused(self):
        def f(x):
            for i in weft.range(3):
                x = x + np.ones((1,) * int(i)).sum()
            return x

        with pytest.raises(weft.WeftError):
            weft.function(f)(F64(1))

    def test_run_time_bounds(self):
        def f(n):
            total = 0
            for i in weft.range(1, n, 2):
                total += i
            return total

        same(f, I64(0), I64(9))

    def test_unrolled_loops(self):
        def f(x):
            for i in weft.unroll(range(30)):
                x = x + i
            for row in weft.unroll(np.arange(40.0)):
                x = x + row
            for k, i in enumerate(weft.unroll(range(20))):
                x = x * 2 if k % 2 else x + i
            return x

        same(f, F64(1), joined=True)
        assert "scf" not in text_of(f, F64(1))

    def test_unrolling_an_argument(self):
        def f(x):
            total = 0.0
            for value in weft.unroll(x):
                if value > 3:
                    total += value
            return total

        same(f, np.arange(20.0))
        assert "scf.for" not in text_of(f, np.arange(20.0))

    def test_run_time_lengths_cannot_be_unrolled(self):
        def f(n):
            total = 0
            for i in weft.unroll(range(n)):
                total += i
            return total

        with pytest.raises(NotImplementedError, match=r"weft\.unroll needs to know the number of iterations"):
            weft.function(f)(I64(3))


def test_types_of_numpy_convert():
    def f(x, n):
        y = np.float64(n)
        if np.bool_(n):
            y = y + np.int32(x)
        return y, np.float32(x) * 2, np.int8(n)

    same(f, *[(F64(x), I64(n)) for x, n in ((2.7, 0), (-2.7, 5))])
