"""The page and the picture of the check on a GPU, from lines of JSON that were made up."""

from __future__ import annotations

import json
import subprocess
import sys
import xml.etree.ElementTree
from pathlib import Path
from typing import Any

from weft.tools.gpu_check.report import page, speeds, write_report

ROOT = Path(__file__).resolve().parents[2]

MACHINE = {
    "part": "machine",
    "program": "machine",
    "ok": True,
    "device": "NVIDIA H100 80GB HBM3",
    "target": "sm_90a",
    "multiprocessors": 132,
    "memory_bytes": 80 << 30,
    "l2_bytes": 50 << 20,
    "cuda": 13000,
    "python": "3.12.3",
    "versions": {"torch": "2.11.0"},
    "nvidia_smi": {"driver_version": "580.159", "clocks.max.sm": "1980 MHz", "clocks.max.mem": "2619 MHz"},
}
LINES: list[dict[str, Any]] = [
    MACHINE,
    {"part": "correct", "program": "sum", "ok": True, "difference": 0.0, "repeats": True},
    {"part": "correct", "program": "newton", "ok": False, "difference": 0.5, "repeats": False},
    {"part": "correct", "program": "sort", "ok": False, "error": "it takes\nmore | than 40 s"},
    {"part": "sanitizer", "tool": "memcheck", "program": "sum", "ok": True},
    {"part": "sanitizer", "tool": "racecheck", "program": "sum", "ok": False, "error": "exit code 9: a race"},
    {
        "part": "driver",
        "program": "driver",
        "ok": True,
        "launch_microseconds": 2.0,
        "block_microseconds": 0.5,
        "launch_and_wait_microseconds": 9.0,
        "wait_microseconds": 1.0,
        "read_microseconds": 10.0,
    },
    {
        "part": "speed",
        "program": "product_f16 sm_90a",
        "ok": True,
        "microseconds": 2000.0,
        "copy_microseconds": 200.0,
        "gigabytes_per_second": 200.0,
        "teraflops": 550.0,
        "host_microseconds": 80.0,
    },
    {
        "part": "speed",
        "program": "sum",
        "ok": True,
        "microseconds": 100.0,
        "copy_microseconds": 90.0,
        "gigabytes_per_second": 2700.0,
        "host_microseconds": 80.0,
    },
    {"part": "speed", "program": "newton", "ok": False, "error": "wrong"},
    {"part": "peers", "program": "product_f16", "ok": True, "microseconds_of": {"torch": 1500.0}},
    {"part": "peers", "program": "product_f16", "ok": True, "microseconds_of": {"jax.jit": 1600.0}},
    {"part": "peers", "program": "sum", "ok": False, "error": "no memory"},
]


def test_what_was_measured_stands_beside_peers() -> None:
    rows = {name: times for name, times, _ in speeds(LINES)}
    assert rows == {
        "product_f16 sm_90a": {"weft": 2000.0, "copy": 200.0, "torch": 1500.0, "jax.jit": 1600.0},
        "sum": {"weft": 100.0, "copy": 90.0},
    }


def test_the_page_tells_the_machine_what_is_wrong_and_the_times() -> None:
    text = page(LINES, MACHINE, speeds(LINES))
    for line in (
        "| correct | 1 | 3 |",
        "| sanitizer, memcheck | 1 | 1 |",
        "| sanitizer, racecheck | 0 | 1 |",
        "| correct | newton | it is off by 0.5; two runs differ |",
        "| correct | sort | it takes more \\| than 40 s |",
        "| sanitizer, racecheck | sum | exit code 9: a race |",
        "| a launch | 2.00 |",
        "| product_f16 sm_90a | 2000.0 | 200 | 550 | 0.10 | 0.75 | 0.80 |",
        "| sum | 100.0 | 2700 |  | 0.90 |  |  |",
    ):
        assert line in text.splitlines(), line
    assert "NVIDIA H100 80GB HBM3 (sm_90a, 132 multiprocessors, 80.0 GiB, 50 MiB of second level)" in text
    assert "driver 580.159 for CUDA 13.0" in text
    assert "A call of one kernel with one result takes 2.50 µs" in text


def test_a_page_of_nothing() -> None:
    assert "It is not known on which GPU" in page([], {}, [])
    skipped: dict[str, Any] = {"part": "sanitizer", "skipped": "there is no compute-sanitizer"}
    assert "| sanitizer | not run: there is no compute-sanitizer |  |" in page([skipped], {}, [])


def test_the_picture_is_drawn_without_any_library(tmp_path: Path) -> None:
    write_report(LINES, tmp_path)
    picture = xml.etree.ElementTree.fromstring((tmp_path / "gpu.svg").read_text())
    assert picture.tag.endswith("svg")
    texts = [element.text or "" for element in picture.iter() if element.tag.endswith("text")]
    assert "product_f16 sm_90a" in texts
    assert "time on NVIDIA H100 80GB HBM3 divided by weft's: right of the line is slower" in texts


def test_one_command_makes_the_page_again(tmp_path: Path) -> None:
    (tmp_path / "results.jsonl").write_text("".join(json.dumps(line) + "\n" for line in LINES))
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "tools.gpu_check",
            str(tmp_path),
            "--only-report",
            "--report",
            str(tmp_path / "pages"),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (1, "")  # as something was wrong
    assert "| product_f16 sm_90a | 2000.0 |" in (tmp_path / "pages" / "gpu.md").read_text()
