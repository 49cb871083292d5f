"""Compiling from several threads, in a process of its own: a deadlock would not end."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from support import compile_from_threads


@pytest.mark.slow
@pytest.mark.processor  # it looks at assembly
@pytest.mark.parametrize("verify", ["0", pytest.param("1", marks=pytest.mark.soak)])
def test_threads_compile_run_and_look_at_the_same_time(verify: str) -> None:
    """Wrong results, a second compilation for a signature, and a hang all end it with an error."""
    run = subprocess.run(
        [sys.executable, compile_from_threads.__file__],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env=os.environ | {"WEFT_VERIFY": verify, "WEFT_CACHE": "0"},
    )
    assert (run.returncode, run.stdout) == (0, "done\n"), run.stderr[-3000:]
