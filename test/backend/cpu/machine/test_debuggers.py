"""Debuggers and profilers know the lines of compiled code, where they are to."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import textwrap

import pytest

import weft
from weft.backend.cpu.machine.debuggers import lines_of
from weft.tools.python_functions import trace_function

PROGRAM = textwrap.dedent("""\
    import os

    import numpy as np

    import weft

    @weft.function
    def kernel(x):
        s = 0.0
        for i in range(x.shape[0]):
            s = s * 0.5 + x[i]
        return s

    for _ in range(3):
        kernel(np.ones(1000))
    path = f"/tmp/perf-{os.getpid()}.map"
    if os.path.exists(path):
        print(open(path).read())
        os.remove(path)
    """)
LINE = 11

pytestmark = [
    pytest.mark.processor,
    pytest.mark.skipif(sys.platform != "linux", reason="the files and lists of other systems differ"),
]


def ran(folder, *command: str, **settings: str) -> str:
    path = folder / "program.py"
    path.write_text(PROGRAM)
    environment = os.environ | {"WEFT_CACHE": "0"} | settings
    done = subprocess.run(
        [*command, sys.executable, str(path)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env=environment,
    )
    return done.stdout + done.stderr


def test_the_map_of_perf_names_functions_with_their_lines(tmp_path):
    printed = ran(tmp_path, WEFT_DEBUG_INFO="1")
    assert re.search(r"^[0-9a-f]+ [0-9a-f]+ kernel\S* at program\.py:\d+$", printed, re.MULTILINE), printed
    assert "_entry" in printed


def test_nothing_is_told_unless_it_is_asked_for(tmp_path):
    assert ran(tmp_path) == ""


@pytest.mark.soak  # gdb takes long to read MLIR's library
@pytest.mark.skipif(shutil.which("gdb") is None, reason="gdb is not installed")
def test_gdb_stops_at_a_line_of_the_program(tmp_path):
    steps = [
        "set breakpoint pending on", "set debuginfod enabled off", f"break program.py:{LINE}", "run", "bt 1", "kill",
    ]  # fmt: skip
    options = ["-iex", "set auto-load no", *(option for step in steps for option in ("-ex", step))]
    printed = ran(tmp_path, "gdb", "-q", "-nx", "-batch", *options, "--args", WEFT_DEBUG_INFO="1")
    assert re.search(rf"Breakpoint 1.*, kernel\S* \(\) at .*program\.py:{LINE}\n", printed), printed


def test_texts_have_the_lines_of_the_program(tmp_path, monkeypatch):
    (tmp_path / "debugged_program.py").write_text(PROGRAM.partition("for _ in")[0])
    monkeypatch.syspath_prepend(tmp_path)
    for stage in ("weft", "linalg", "llvm-dialect"):
        source = trace_function("debugged_program:kernel", ["f64[?]"], stage, has_locations=True)
        assert re.search(rf'debugged_program\.py":{LINE}:\d+', source.text), stage
    plain = trace_function("debugged_program:kernel", ["f64[?]"], "weft")
    assert "loc(" not in plain.text


def test_functions_that_both_parts_of_a_module_name(tmp_path):
    """Scopes stand in front of what is declared, not behind it: this program is optimised in two parts."""

    @weft.function
    def f(x):
        s = 0.0
        for i in range(x.shape[0]):
            s = s * 0.5 + x[i]
        return s, x @ x + s

    import numpy as np

    with weft.settings.scope(debug_info=True, cache=False):
        text = f.get_concrete_function(weft.TensorSpec((100000,))).as_text("llvm")
        s, product = f(np.ones(100000))
    assert any(place.startswith("test_debuggers.py:") for place in lines_of(text).values())
    assert (s, product) == (2.0, 100002.0)
    os.remove(f"/tmp/perf-{os.getpid()}.map")
