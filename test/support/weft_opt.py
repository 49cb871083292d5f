"""weft-opt, run in this process or as a program, on a small function."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any
from unittest import mock

from weft.tools.guard import CrashNote
from weft.tools.weft_opt import run

FUNCTION = """func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = "weft.negative"(%x) : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
"""


def weft_opt(*arguments: str, text: str | bytes = FUNCTION, cwd: Path | None = None) -> Any:
    """Run weft-opt as a program."""
    command = [sys.executable, "-m", "weft.tools.weft_opt", *arguments]
    given = text.encode() if isinstance(text, str) else text
    done = subprocess.run(command, input=given, capture_output=True, cwd=cwd, timeout=120, check=False)
    return subprocess.CompletedProcess(command, done.returncode, done.stdout.decode(), done.stderr.decode())


def weft_opt_here(*arguments: str, text: str | bytes = FUNCTION, cwd: Path | None = None) -> Any:
    """Run weft-opt in this process, which is ten times quicker."""
    given = io.TextIOWrapper(io.BytesIO(text.encode() if isinstance(text, str) else text))
    out, err = io.StringIO(), io.StringIO()
    before = os.getcwd()
    os.chdir(cwd or before)
    try:
        with mock.patch.object(sys, "stdin", given), redirect_stdout(out), redirect_stderr(err):
            status = run(arguments, CrashNote())
    finally:
        os.chdir(before)
    return subprocess.CompletedProcess(arguments, status, out.getvalue(), err.getvalue())


def refused(*arguments: str, **given: Any) -> str:
    """What weft-opt complains about: it ends with status 1, without output or a traceback."""
    return complaint_of(weft_opt_here(*arguments, **given))


def complaint_of(done: Any) -> str:
    """What a run that failed as it should wrote to stderr."""
    assert done.returncode == 1, done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert "error: " in done.stderr
    text: str = done.stderr
    return text
