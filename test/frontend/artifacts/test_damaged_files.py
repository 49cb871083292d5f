"""Damaged files are refused, or programs that run: some of those that `make fuzz` goes on with."""

from __future__ import annotations

import ctypes
import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from support import damaged_files
from support.damaged_files import bare, damaged, guarded, run_batch
from weft.tools.guard import CrashNote

pytestmark = pytest.mark.forks


@pytest.mark.skipif(not hasattr(os, "fork"), reason="each batch is a process of its own")
class TestDamage:
    def test_files_are_refused_or_run(self, tmp_path: Path) -> None:
        assert list(run_batch(range(150), tmp_path)) == []

    def test_what_goes_wrong_is_told(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def wrong(seed: int, folder: Path, step: CrashNote) -> str | None:
            step.write("loading")
            if seed == 1:
                ctypes.string_at(0)
            return "odd" if seed == 3 else None

        monkeypatch.setattr(damaged_files, "outcome", wrong)
        assert list(run_batch(range(5), tmp_path)) == [(1, "SIGSEGV while loading"), (3, "odd")]

    @pytest.mark.parametrize("at_end", [True, False])
    def test_nothing_is_read_beside_arrays(self, at_end: bool) -> None:
        array = guarded(np.arange(3.0), at_end)
        np.testing.assert_array_equal(array, [0, 1, 2])
        child = os.fork()
        if child == 0:
            ctypes.string_at(array.ctypes.data + (array.nbytes if at_end else -1), 1)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status)
        assert os.WTERMSIG(status) in (signal.SIGSEGV, signal.SIGBUS)


def test_a_seed_gives_one_file() -> None:
    assert damaged(5) == damaged(5) != damaged(6)


def test_exceptions_of_weft_itself_are_told_from_those_of_programs() -> None:
    def raised(call: Any) -> str | None:
        try:
            call()
        except Exception as error:
            return bare(error)
        return "nothing"

    concrete = weft.function(lambda x, i: x[i]).get_concrete_function(np.ones(2), np.int64(0))
    with damaged_files.whole_tracebacks():
        assert raised(lambda: concrete(np.ones(2), np.int64(5))) is None
        found = raised(lambda: weft.load(3))  # type: ignore[arg-type]
    assert found is not None
    assert found.startswith("TypeError: ")
    assert "/frontend/artifacts/loading.py:" in found
