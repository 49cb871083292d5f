"""Programs that are packed here run where neither MLIR nor LLVM is: on the emulator, in the place of a GPU."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.scripts_of_bench import script_of_bench
from weft_emulator.gpu_check import peers
from weft_emulator.gpu_check.counters import count
from weft_emulator.gpu_check.packed import make_arguments
from weft_emulator.gpu_check.plan import COUNTED as COUNTED_PROGRAMS
from weft_emulator.gpu_check.plan import FIRST, PARTS, RUNS, SANITIZED, SECONDS
from weft_emulator.gpu_check.worker import lacks

ROOT = Path(__file__).resolve().parents[3]

WITHOUT_COMPILERS = """
import sys

class Nothing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("torch_mlir", "llvmlite", "ml_dtypes"):
            raise ImportError(name)

sys.meta_path.insert(0, Nothing())
import runpy
runpy.run_path("integrations/weft_emulator", run_name="__main__")
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


def _run(folder: Path, *options: str | Path, code: int = 0) -> tuple[list[dict[str, Any]], str]:
    """The lines of a run on the emulator, and its page."""
    done = subprocess.run(
        [sys.executable, "integrations/weft_emulator", str(folder), "--emulator", *map(str, options)],
        cwd=ROOT,
        env={key: value for key, value in os.environ.items() if key != "OUT"},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == code, done.stdout + done.stderr
    said, _, page = done.stdout.partition("\n# On a GPU")
    return [json.loads(line) for line in said.splitlines()], page


def test_one_command_runs_parts_and_writes_results(packed: Path, tmp_path: Path) -> None:
    results = tmp_path / "of" / "a card"
    parts = ("--parts", "machine", "correct", "sanitizer", "conformance", "peers")
    only = ("--only", "gather", "vote ballot", "TMA swizzled")
    said, page = _run(packed, "--results", results, *parts, *only)
    lines = [json.loads(line) for line in (results / "results.jsonl").read_text().splitlines()]
    assert said == [{name: value for name, value in line.items() if name != "results"} for line in lines]
    assert (packed / "results.jsonl").read_text() == (results / "results.jsonl").read_text()
    assert "| conformance | 2 | 0 |  |" in page
    assert lines[0]["device"] == "weft's emulator of a GPU"
    found = {(line["part"], line.get("program"), line.get("ok")) for line in lines[1:]}
    assert found == {
        ("correct", "gather sm_90a", True),
        ("correct", "gather sm_80", True),
        ("correct", "gather sm_70", True),
        ("conformance", "vote ballot", True),
        ("conformance", "TMA swizzled", True),
        ("peers", None, None),
        ("sanitizer", None, None),
    }
    assert "| peers |  | this is the emulator |" in page
    assert "| correct | 3 | 0 |  |" in (results / "gpu.md").read_text()


def _copied(packed: Path, folder: Path, **names: str) -> Path:
    """Small programs under other names."""
    folder.mkdir(exist_ok=True)
    for name, source in names.items():
        for form in ("small", "large"):
            shutil.copy(packed / f"{source}.small.sm_90a.pickle", folder / f"{name}.{form}.sm_90a.pickle")
    return folder


@pytest.mark.soak
def test_programs_and_calls_of_the_driver_are_timed(packed: Path, tmp_path: Path) -> None:
    lines, page = _run(_copied(packed, tmp_path, add_f16="add_f16"), "--parts", "driver", "speed")
    driver, speed = lines
    assert driver["launch_microseconds"] > 0
    assert driver["step_nanoseconds"] > 0
    assert min(driver["gigabytes_per_second_in"], driver["gigabytes_per_second_out"]) > 0
    assert (speed["program"], speed["launches"], speed["ok"]) == ("add_f16 sm_90a", 1, True)
    assert min(speed[name] for name in ("microseconds", "host_microseconds", "copy_microseconds")) > 0
    assert "| add_f16 sm_90a |" in page
    assert (tmp_path / "gpu.svg").exists()


def test_nothing_else_is_tried_where_the_first_programs_fail(packed: Path, tmp_path: Path) -> None:
    folder = _copied(packed, tmp_path / "packed", chain="gather", softmax="add_f16")
    for path in folder.glob("*.pickle"):
        path.write_bytes(path.read_bytes()[:-10])
    lines, page = _run(folder, "--run", "first", code=1)
    parts = [(line["part"], line.get("program"), line.get("how"), line.get("not_run")) for line in lines]
    hopeless = "none of the first programs works"
    assert parts[0][0] == "machine"
    assert parts[1:] == [
        ("first", "chain sm_90a", None, None),
        ("first", "softmax sm_90a", None, None),
        ("causes", "chain sm_90a", "CUDA_LAUNCH_BLOCKING=1", None),
        ("causes", "softmax sm_90a", "CUDA_LAUNCH_BLOCKING=1", None),
        ("correct", None, None, hopeless),
        ("conformance", None, None, hopeless),
        ("driver", None, None, hopeless),
        ("speed", None, None, hopeless),
    ]
    assert f"| speed |  | {hopeless} |" in page


def test_a_second_run_looks_again_at_what_the_first_found_wrong(packed: Path, tmp_path: Path) -> None:
    folder = _copied(packed, tmp_path / "packed", gather="gather", add_f16="add_f16")
    wrong = pickle.loads((folder / "gather.small.sm_90a.pickle").read_bytes())
    wrong["expected"][0] = wrong["expected"][0] + np.float32(1)
    (folder / "gather.small.sm_90a.pickle").write_bytes(pickle.dumps(wrong))
    _run(folder, "--results", tmp_path / "one", "--parts", "correct", code=1)
    lines, page = _run(folder, "--results", tmp_path / "two", "--run", "second", code=1)
    again = [line for line in lines if line["part"] == "again"]
    assert [(line["program"], line["how"], line["ok"]) for line in again] == [
        ("gather sm_90a", "CUDA_LAUNCH_BLOCKING=1", False)
    ]
    assert "| correct | 1 | 1 |  |" in page  # of the first run


def test_there_is_one_budget_for_all_parts(packed: Path, tmp_path: Path) -> None:
    lines, _ = _run(packed, "--results", tmp_path, "--run", "second", "--seconds", "0")
    assert {line["not_run"] for line in lines} == {"there was no time left for it"}
    for parts in RUNS.values():
        assert sum(PARTS[part].seconds for part in parts) <= SECONDS < 600


def test_a_library_that_is_not_there_is_no_failure(packed: Path, tmp_path: Path) -> None:
    folder = _copied(packed, tmp_path, gather="gather")
    path = folder / "gather.small.sm_90a.pickle"
    path.write_bytes(b"cml_dtypes_of_nobody\nx\n.")
    lines, _ = _run(folder, "--parts", "correct", code=1)
    assert "ml_dtypes_of_nobody" in lines[0]["error"]  # weft's own modules are not optional
    path.write_bytes(b"cml_dtypes.of_nobody\nx\n.")
    lines, _ = _run(folder, "--parts", "correct")
    assert lines[0]["not_run"] == "No module named 'ml_dtypes.of_nobody'"
    assert (
        lacks(RuntimeError("the emulator failed: No module named 'ml_dtypes'"))
        == "No module named 'ml_dtypes'"
    )
    assert not lacks(RuntimeError("the emulator failed: No module named 'weft.passes'"))


def test_arguments_are_the_same_everywhere() -> None:
    specs = (
        ((3 << 19,), "f4"),
        ((5,), "i8", 3),
        ((4,), "c16"),
        ((7,), "?"),
        ((2, 3), "bfloat16"),
        ((9,), "f8"),
    )
    one, other = make_arguments(specs), make_arguments(specs)
    assert [array.shape for array in one] == [spec[0] for spec in specs]
    assert [array.tobytes() for array in one] == [array.tobytes() for array in other]
    assert one[1].max() < 3
    large = one[0]
    assert abs(float(large.mean())) < 0.01
    assert not np.array_equal(large[: 1 << 19], large[1 << 20 :])
    assert make_arguments(specs, 1)[5].tobytes() != one[5].tobytes()


COUNTED = """
import sys
log = sys.argv[sys.argv.index("--log-file") + 1]
open(log, "w").write('==PROF== hello\\n"ID","Kernel Name","launch__registers_per_thread","dram__bytes.sum"\\n'
    '"","","register/thread","Mbyte"\\n"0","kernel_0","186","12.5"\\n')
"""


def test_counters_are_read_from_what_the_profiler_prints(tmp_path: Path) -> None:
    profiler = tmp_path / "ncu"
    profiler.write_text(f"#!{sys.executable}\n{COUNTED}")
    profiler.chmod(0o755)
    line = count(str(profiler), ["python"], "sum", 30)
    assert line["kernels"] == {
        "kernel_0": {"bytes of memory": "12.5 Mbyte", "registers": "186 register/thread"}
    }
    profiler.write_text(f"#!{sys.executable}\nprint('==ERROR== no right to read counters')")
    assert count(str(profiler), ["python"], "sum", 30) == {
        "program": "sum",
        "not_run": "ncu: ==ERROR== no right to read counters",
    }
    profiler.write_text(f"#!{sys.executable}\nimport time; time.sleep(60)")
    assert count(str(profiler), ["python"], "sum", 1)["not_run"] == "ncu takes more than 1 s"
    assert count(str(profiler), ["python"], "sum", 0)["not_run"] == "there was no time left for it"


def test_peers_that_are_not_there_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "installed", lambda: ["torch"])
    reasons = peers.why_absent(peers.PEERS)
    assert set(reasons) == set(peers.PEERS) - {"torch"}
    assert reasons["triton"] == "triton is not installed"
    assert reasons["cupy"] == "cupy is not installed"


def test_peers_run_programs_that_are_packed() -> None:
    with script_of_bench("programs") as module:
        measured = {program.name for program in module.PROGRAMS if program.large}
    for peer in peers.PEERS:
        assert set(peers.programs_of(peer)) <= measured, peer
    assert {*SANITIZED, *COUNTED_PROGRAMS, *FIRST} <= measured
