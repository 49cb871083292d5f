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
import runpy
runpy.run_module("tools.gpu_check", run_name="__main__")
"""


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Packed programs: one with checks and numbers that the host reads, one with a wrong expectation."""
    if shutil.which("cc") is None:
        pytest.skip("there is no C compiler")
    folder = tmp_path_factory.mktemp("packed")
    names = ["gather", "layernorm", "add_f16"]
    made = subprocess.run(
        [sys.executable, ROOT / "bench/gpu/pack.py", folder, "--forms", "small", "--only", *names],
        capture_output=True,
        text=True,
        timeout=240,
        check=True,
    )
    lines = [json.loads(line) for line in made.stdout.splitlines()]
    assert [(line["program"], line["form"], line["target"]) for line in lines] == [
        (name, "small", target)
        for name in ("add_f16", "layernorm", "gather")
        for target in ("sm_90a", "sm_80", "sm_70")
    ]
    return folder


def _check(folder: Path, *options: str) -> tuple[int, list[dict[str, object]]]:
    """The exit code of a worker of part `correct`, and its lines."""
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_COMPILERS, str(folder), "--emulator", "--worker", "correct", *options],
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
    code, results = _check(packed, "--only", "gather sm_80", "layernorm sm_70", "gather")
    assert code == 0
    assert [(line["program"], line["ok"], line["repeats"]) for line in results] == [
        ("gather sm_80", True, True),
        ("layernorm sm_70", True, True),
        ("gather", True, True),
    ]


def test_wrong_results_are_told(packed: Path) -> None:
    path = packed / "gather.small.sm_90a.pickle"
    right = path.read_bytes()
    wrong = pickle.loads(right)
    wrong["expected"][0] = wrong["expected"][0] + np.float32(1)
    path.write_bytes(pickle.dumps(wrong))
    try:
        code, (line,) = _check(packed, "--only", "gather sm_90a")
    finally:
        path.write_bytes(right)
    assert code == 0
    assert line["ok"] is False


def test_one_command_runs_parts_and_writes_results(packed: Path, tmp_path: Path) -> None:
    results = tmp_path / "of" / "a card" / "results.jsonl"
    done = subprocess.run(
        [
            *(sys.executable, "-m", "tools.gpu_check", packed, "--emulator", "--results", results),
            *("--parts", "machine", "correct", "sanitizer", "conformance", "peers"),
            *("--only", "gather", "vote ballot", "TMA swizzled"),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in results.read_text().splitlines()]
    said, _, page = done.stdout.partition("\n# On a GPU")
    shown = [{name: value for name, value in line.items() if name != "results"} for line in lines]
    assert [json.loads(line) for line in said.splitlines()] == shown
    assert "| conformance | 2 | 2 |" in page
    assert lines[0]["device"] == "weft's emulator of a GPU"
    assert [(line["part"], line.get("program"), line.get("ok")) for line in lines[1:]] == [
        ("correct", "gather sm_90a", True),
        ("correct", "gather sm_80", True),
        ("correct", "gather sm_70", True),
        ("conformance", "vote ballot", True),
        ("conformance", "TMA swizzled", True),
        ("sanitizer", None, None),
    ]
    assert "| correct | 3 | 3 |" in (results.parent / "gpu.md").read_text()


def test_programs_and_calls_of_the_driver_are_timed(packed: Path, tmp_path: Path) -> None:
    for form in ("small", "large"):
        shutil.copy(packed / "add_f16.small.sm_90a.pickle", tmp_path / f"add_f16.{form}.sm_90a.pickle")
    done = subprocess.run(
        [sys.executable, "-m", "tools.gpu_check", tmp_path, "--emulator", "--parts", "driver", "speed"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    driver, speed = (json.loads(line) for line in done.stdout.splitlines() if line.startswith("{"))
    assert driver["launch_microseconds"] > 0
    assert (speed["program"], speed["launches"], speed["ok"]) == ("add_f16 sm_90a", 1, True)
    assert min(speed[name] for name in ("microseconds", "host_microseconds", "copy_microseconds")) > 0
    assert "| add_f16 sm_90a |" in (tmp_path / "gpu.md").read_text()
    assert (tmp_path / "gpu.svg").exists()
