"""Programs that are packed here run where neither MLIR nor LLVM is: on the emulator, in the place of a GPU."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]

WITHOUT_COMPILERS = """
import sys

class Nothing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("torch_mlir",):
            raise ImportError(name)

sys.meta_path.insert(0, Nothing())
from tools.gpu_check import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two packed programs: one with checks and numbers that the host reads, one with a wrong expectation."""
    if shutil.which("cc") is None:
        pytest.skip("there is no C compiler")
    folder = tmp_path_factory.mktemp("packed")
    names = ["gather", "layernorm"]
    made = subprocess.run(
        [sys.executable, ROOT / "bench/gpu/pack.py", folder, "--forms", "small", "--only", *names],
        capture_output=True,
        text=True,
        timeout=240,
        check=True,
    )
    lines = [json.loads(line) for line in made.stdout.splitlines()]
    assert [(line["program"], line["form"], line["target"]) for line in lines] == [
        ("layernorm", "small", "sm_90a"),
        ("gather", "small", "sm_90a"),
    ]
    return folder


def _check(folder: Path, *options: str) -> tuple[int, list[dict[str, object]]]:
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            WITHOUT_COMPILERS,
            str(folder),
            "--emulator",
            "--here",
            "--part",
            "correct",
            *options,
        ],
        cwd=ROOT,
        env={key: value for key, value in os.environ.items() if key != "PYTHONPATH"},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert not done.stderr
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]


def test_programs_give_what_the_processor_gives(packed: Path) -> None:
    code, (device, *results) = _check(packed)
    assert code == 0
    assert device["device"] == "weft's emulator of a GPU"
    assert [(line["program"], line["ok"], line["repeats"]) for line in results] == [
        ("gather", True, True),
        ("layernorm", True, True),
    ]


def test_wrong_results_are_told(packed: Path) -> None:
    path = packed / "gather_small.pickle"
    right = path.read_bytes()
    wrong = pickle.loads(right)
    wrong["expected"][0] = wrong["expected"][0] + np.float32(1)
    path.write_bytes(pickle.dumps(wrong))
    try:
        code, (_, line) = _check(packed, "--only", "gather")
    finally:
        path.write_bytes(right)
    assert code == 1
    assert line["ok"] is False
