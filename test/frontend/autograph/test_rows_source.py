"""Where functions come from: exec, registered sources, edited files, decorators; and interrupting a long loop."""

from __future__ import annotations

import linecache
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

import weft
from support.behaviour_harness import same

F64, I64 = np.float64, np.int64
BRANCH = "def f(x):\n    if x > 0:\n        return x * 2\n    return x - 1\n"


def executed(source, name="f", filename="<generated>"):
    """A function made by exec."""
    names = {"np": np}
    exec(compile(textwrap.dedent(source), filename, "exec"), names)
    return names[name]


class TestSources:
    def test_functions_without_source_are_traced(self):
        same(
            executed("def f(x, n):\n    return np.tanh(x) * 2 if n else x\n"),
            (np.ones(2), 1),
            (np.ones(2), 0),
            traces=2,
        )

    def test_control_flow_without_source_is_refused(self):
        with pytest.raises(TypeError, match=r"source") as caught:
            weft.function(executed(BRANCH))(F64(1))
        assert isinstance(caught.value, weft.WeftError)

    def test_a_registered_source_is_converted(self):
        filename = "<cell 1>"
        linecache.cache[filename] = (len(BRANCH), None, BRANCH.splitlines(keepends=True), filename)
        try:
            same(executed(BRANCH, filename=filename), F64(1), F64(-1))
        finally:
            del linecache.cache[filename]

    def test_functions_of_a_script(self, tmp_path):
        script = tmp_path / "script.py"
        script.write_text(
            f"import numpy as np, weft\n@weft.function\n{BRANCH}print(f(np.float64(3)), f(np.float64(-3)))\n"
        )
        command = [sys.executable, str(script)]
        result = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
        assert result.stdout == "6.0 -4.0\n"

    def test_two_functions_of_one_source_with_different_closures(self):
        def make(k):
            def f(x):
                if x > k:
                    return x - k
                return k

            return f

        same(make(1), F64(3), F64(0), joined=True)
        same(make(5), F64(3), F64(9), joined=True)

    def test_names_of_classes_are_mangled(self):
        class Private:
            __scale = 3

            def __init__(self):
                self.__offset = 2

            def f(self, x):
                __local = x
                if x > 0:
                    __local = x * self.__scale + self.__offset
                return __local

        same(Private().f, F64(1), F64(-1))

    def test_unicode_and_long_lines(self):
        def f(größe, é=2):
            ß = größe
            while ß > é:
                ß = ß / 2
            return ß, größe * 3 if größe > é else ß - 1

        same(f, F64(1), F64(99))

    def test_comments_strings_and_indentation_do_not_matter(self):
        def f(x):
            # Indented oddly.
            """Docstring with 'if x > 0:'."""
            if x > 0:  # a comment
                text = """
                    if x > 0: pass
"""
                return x + len(text)

            return (x
                        - 1)  # fmt: skip

        same(f, F64(1), F64(-1))


LONG_LOOP = """
import numpy as np, weft, sys

@weft.function
def f(x):
    while x < 1e300:
        x = x + 1e-9
    return x

f.get_concrete_function(np.float64(0))
print("start", flush=True)
try:
    f(np.float64(0))
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent differently there")
@pytest.mark.processor
def test_a_long_loop_can_be_interrupted(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(LONG_LOOP)
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline() == "start\n"
            time.sleep(2)
            assert process.poll() is None
            process.send_signal(signal.SIGINT)
            assert process.communicate(timeout=10)[0] == "interrupted\n"
        finally:
            process.kill()
