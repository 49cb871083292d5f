"""The page and the picture of the check on a GPU, from lines of JSON that were made up."""

from __future__ import annotations

import importlib.util
import json
import runpy
import subprocess
import sys
import xml.etree.ElementTree
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from weft.backend.processors import gpu_figures
from weft_emulator.gpu_check.report import page, speeds, write_report

ROOT = Path(__file__).resolve().parents[3]

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
    {
        "part": "peers",
        "peer": "torch",
        "program": "product_f16",
        "ok": True,
        "microseconds_of": {"torch": 1500.0},
        "backend_of": {"torch": "cuBLAS"},
        "others": {"cuBLAS": 1500.0, "cuBLASLt": 1600.0, "MATH": "no memory"},
    },
    {"part": "peers", "peer": "cupy", "not_run": "cupy is not installed"},
    {"part": "correct", "program": "collatz", "not_run": "there was no time left for it"},
    {"part": "correct", "program": "chain", "not_run": "there was no time left for it"},
    {"part": "counters", "program": "sum", "ok": True, "kernels": {"kernel_0": {"registers": "32"}}},
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
        "| correct | 1 | 2 | 2 |",
        "| sanitizer, memcheck | 1 | 0 |  |",
        "| sanitizer, racecheck | 0 | 1 |  |",
        "| product_f16 | torch | cuBLAS | 1500.0 | cuBLASLt: 1600.0; MATH: no memory |",
        "| sum | kernel_0 | registers: 32 |",
        "| peers | cupy | cupy is not installed |",
        "| correct | collatz, chain | there was no time left for it |",
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
    skipped: dict[str, Any] = {"part": "sanitizer", "not_run": "there is no compute-sanitizer"}
    text = page([skipped], {}, [])
    assert "| sanitizer | 0 | 0 | 1 |" in text
    assert "| sanitizer |  | there is no compute-sanitizer |" in text


def test_the_picture_is_drawn_without_any_library(tmp_path: Path) -> None:
    write_report(LINES, tmp_path)
    picture = xml.etree.ElementTree.fromstring((tmp_path / "gpu.svg").read_text())
    assert picture.tag.endswith("svg")
    texts = [element.text or "" for element in picture.iter() if element.tag.endswith("text")]
    assert "product_f16 sm_90a" in texts
    assert "time on NVIDIA H100 80GB HBM3 divided by weft's: right of the line is slower" in texts


def _results(folder: Path, *lines: Mapping[str, Any]) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "results.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


def _script(name: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(ROOT / "bench" / "gpu" / name), *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_script_makes_the_page_of_two_runs(tmp_path: Path) -> None:
    first = _results(tmp_path / "first", *LINES)
    again = {"part": "correct", "program": "newton", "ok": True, "difference": 0.0, "repeats": True}
    unknown = {"part": "correct", "program": "sum", "not_run": "there was no time left for it"}
    second = _results(tmp_path / "second", again, unknown)
    cut_off = (second / "results.jsonl").read_text() + '{"part": "cut off'
    (second / "results.jsonl").write_text(cut_off)
    done = _script("report.py", first, second, "--to", tmp_path / "pages")
    assert (done.returncode, done.stderr) == (1, "")  # as something is wrong
    text = (tmp_path / "pages" / "gpu.md").read_text()
    assert "| product_f16 sm_90a | 2000.0 |" in text
    assert "| correct | 2 | 1 | 2 |" in text
    assert (tmp_path / "pages" / "gpu.svg").exists()


FIGURES = ROOT / "backend" / "processors" / "gpu_figures.py"


def test_what_was_measured_becomes_the_description_of_the_card(tmp_path: Path) -> None:
    file = tmp_path / "gpu_figures.py"
    file.write_text(FIGURES.read_text())
    link = {"step_nanoseconds": 12.0, "gigabytes_per_second_in": 5.0, "gigabytes_per_second_out": 10.0}
    lines = [line | link if line["part"] == "driver" else line for line in LINES]
    done = _script("figures.py", _results(tmp_path / "run", *lines), "--file", file)
    assert (done.returncode, done.stderr) == (0, "")
    spec = importlib.util.spec_from_file_location("weft.backend.processors.measured_figures", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = module.FIGURES["sm_90a"]
    assert found.source == "NVIDIA H100 80GB HBM3, driver 580.159"
    assert (found.launch, found.read, found.trip, found.step) == (2e-6, 1e-5, 1.8e-5, 1.2e-8)
    assert found.byte == pytest.approx(2e-10)
    assert found.bytes_per_second == 3e12  # of the copy beside the sum: 270 MB in 90 us
    assert found.f16_per_second == 7.3e14  # of torch's product: 550 TFLOP/s times 2000 us in 1500
    assert found.f32_per_second == 5e13  # which was not measured
    assert module.FIGURES["sm_90"] == found
    assert asdict(module.FIGURES["sm_80"]) == asdict(gpu_figures.FIGURES["sm_80"])
    formatted = subprocess.run(
        [sys.executable, "-m", "ruff", "format", "--check", file], capture_output=True, check=False
    )
    assert formatted.returncode == 0
    again = _script("figures.py", tmp_path / "run", "--file", file)
    assert again.stdout == done.stdout


def test_results_of_no_card_are_no_description(tmp_path: Path) -> None:
    emulated = MACHINE | {"device": "weft's emulator of a GPU"}
    for lines in ([], [emulated]):
        done = _script("figures.py", _results(tmp_path / "run", *lines), "--file", tmp_path / "none.py")
        assert done.returncode == 1
        assert "the results are not of a card" in done.stderr


def test_the_table_is_as_the_script_writes_it(tmp_path: Path) -> None:
    module = runpy.run_path(str(ROOT / "bench" / "gpu" / "figures.py"))
    assert module["written"](gpu_figures.FIGURES) in FIGURES.read_text()
