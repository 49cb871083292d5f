"""Workers of the check on a GPU that die, hang, or end when they have told what is wrong."""

from __future__ import annotations

import stat
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from weft_emulator.gpu_check.workers import RESTART, find_tool, run_batch, run_sanitizer, warm_up

WORKER = f"""
import json, os, signal, sys, time
for name in sys.argv[2:]:
    if name == "dies":
        os.kill(os.getpid(), signal.SIGSEGV)
    if name == "leaves":
        print("out of luck", file=sys.stderr)
        sys.exit(3)
    if name == "hangs":
        time.sleep(100)
    print("something that a library says", flush=True)
    print(json.dumps({{"program": name, "ok": name != "fails", "process": os.getpid()}}), flush=True)
    if name == "fails":
        sys.exit({RESTART})
"""


def _run(names: list[str], seconds_each: float = 30, seconds: float = 60) -> list[Mapping[str, Any]]:
    said: list[Mapping[str, Any]] = []
    run_batch([sys.executable, "-c", WORKER], names, seconds_each, seconds, said.append)
    assert [line["program"] for line in said] == names
    return said


def test_others_run_behind_one_that_dies() -> None:
    one, dies, two, leaves, three = _run(["one", "dies", "two", "leaves", "three"])
    assert one["ok"]
    assert two["ok"]
    assert three["ok"]
    assert dies["error"] == "the process ended with SIGSEGV"
    assert leaves["error"] == "the process ended with exit code 3: out of luck"


def test_one_that_hangs_is_ended() -> None:
    hangs, one = _run(["hangs", "one"], seconds_each=2)
    assert hangs["error"] == "it takes more than 2 s"
    assert one["ok"]


def test_another_process_goes_on_behind_one_that_tells_what_is_wrong() -> None:
    one, fails, two, three = _run(["one", "fails", "two", "three"])
    assert fails["ok"] is False
    assert one["process"] == fails["process"] != two["process"] == three["process"]


def test_what_there_is_no_time_for_is_told() -> None:
    lines = _run(["one", "two"], seconds=0)
    assert {line["not_run"] for line in lines} == {"there was no time left for it"}
    assert not any("ok" in line for line in lines)


def test_one_that_all_of_them_have_no_time_for_is_not_wrong() -> None:
    one, hangs, two = _run(["one", "hangs", "two"], seconds_each=30, seconds=3)
    assert one["ok"]
    assert hangs["not_run"].startswith("it was ended after ")
    assert two["not_run"] == "there was no time left for it"


def test_a_worker_has_the_environment_that_it_is_given() -> None:
    code = "import json, os, sys; print(json.dumps({'program': 'x', 'ok': 'MARK' in os.environ}))"
    said: list[Mapping[str, Any]] = []
    run_batch([sys.executable, "-c", code], ["x"], 30, 30, said.append, {"MARK": "1"})
    assert [line["ok"] for line in said] == [True]


def test_libraries_are_imported_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "slow_library.py").write_text(f"open({str(tmp_path / 'imported')!r}, 'w').close()")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with warm_up(["slow_library"]):
        for _ in range(500):
            if (tmp_path / "imported").exists():
                break
            time.sleep(0.02)
    assert (tmp_path / "imported").exists()


def test_tools_are_found_beside_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("weft_emulator.gpu_check.workers._FOLDERS", (str(tmp_path),))
    assert find_tool("no-such-tool") is None
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "no-such-tool").touch(0o755)
    assert find_tool("no-such-tool") == str(tmp_path / "deep" / "no-such-tool")


def _sanitizer(folder: Path, body: str) -> str:
    """A program that stands for compute-sanitizer."""
    path = folder / "compute-sanitizer"
    path.write_text(f"#!{sys.executable}\nimport sys, time\n{body}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def test_what_the_sanitizer_finds_is_told(tmp_path: Path) -> None:
    body = "open(sys.argv[sys.argv.index('--log-file') + 1], 'w').write('====== a race\\n====== in k\\n'); sys.exit(9)"
    line = run_sanitizer(_sanitizer(tmp_path, body), "racecheck", ["python"], "sum", 30)
    assert line["ok"] is False
    assert line["error"] == "exit code 9: a race | in k"


def test_a_sanitizer_that_finds_nothing_or_hangs(tmp_path: Path) -> None:
    assert run_sanitizer(_sanitizer(tmp_path, ""), "memcheck", ["python"], "sum", 30)["ok"]
    line = run_sanitizer(_sanitizer(tmp_path, "time.sleep(60)"), "memcheck", ["python"], "sum", 1)
    assert line == {"not_run": "memcheck takes more than 1 s"}
    line = run_sanitizer("compute-sanitizer", "memcheck", ["python"], "sum", 0)
    assert line["not_run"] == "there was no time left for it"
