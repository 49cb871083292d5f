"""The native code of the dispatcher: kept on disk by the first process, used by the others."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from weft.backend.cpu.dispatch.library import assembly
from weft.backend.cpu.dispatch.objects import is_supported
from weft.backend.cpu.machine.native_code import compile_assembly

pytestmark = pytest.mark.skipif(not is_supported(), reason="calls go through Python here")

PROGRAM = """
import sys
import numpy as np
import weft

class Model:
    def __init__(self):
        self.weights = [np.ones((3, 3)), np.ones(300)]

    @weft.function
    def apply(self, x, *, scale=2):
        return {"a": [x @ self.weights[0] * scale], "b": np.sum(self.weights[1])}

model = Model()
for turn in range(6):
    result = model.apply(np.ones(3), scale=turn % 2 + 1)
    assert result["a"][0].tolist() == [3 * (turn % 2 + 1)] * 3 and result["b"] == 300
assert Model.apply._native.calls == 2
print("torch_mlir" in sys.modules)
"""


def run(directory: Path, **variables: str) -> str:
    environment = os.environ | {"WEFT_CACHE": "1", "WEFT_CACHE_DIR": str(directory), **variables}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=120, env=environment
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


def test_processes_that_follow_compile_nothing(tmp_path: Path):
    assert run(tmp_path) == "True"
    files = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert files
    run(tmp_path)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == files


def test_without_a_cache(tmp_path: Path):
    assert run(tmp_path, WEFT_CACHE="0") == "True"
    assert not any(tmp_path.iterdir())


def test_no_address_of_this_process_is_in_the_code():
    program = "from weft.backend.cpu.dispatch.library import assembly; print(hash(assembly()))"
    environment = os.environ | {"PYTHONHASHSEED": "1"}
    texts = [
        subprocess.run(
            [sys.executable, "-c", program], capture_output=True, env=environment, check=True
        ).stdout
        for _ in range(2)
    ]
    assert texts[0] == texts[1]
    assert "inttoptr (i64" not in assembly()


def test_both_ways_of_compiling():
    quick, good = (compile_assembly(assembly(), is_optimised=choice) for choice in (False, True))
    assert len(good) < len(quick)
