"""`make fires` counts in which programs a pass changes something, and names those that fire in benchmarks only."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.package import ROOT

SCRIPT = ROOT / "bench" / "fires.py"


@pytest.fixture
def fires(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("WEFT_CACHE", "0")  # which the script sets
    spec = importlib.util.spec_from_file_location("fires", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def rows(page: str) -> dict[str, list[str]]:
    """The cells of the table, by their passes."""
    found = re.findall(r"^\| `?\*?([\w-]+)\*?`? \| (.+) \|$", page, re.MULTILINE)
    return {name: [cell.strip() for cell in cells.split(" | ")] for name, cells in found}


def test_programs_are_counted(tmp_path: Path) -> None:
    folder = tmp_path / "scripts"
    folder.mkdir()
    (folder / "doubled.py").write_text("import numpy, weft\nweft.function(lambda x: x + x)(numpy.ones(3))\n")
    (folder / "broken.py").write_text("raise ValueError('no such thing')\n")
    (folder / "dying.py").write_text("import os\nos.abort()\n")
    command = [
        sys.executable,
        SCRIPT,
        "--corpora",
        "catalogue",
        "catalogue, GPU",
        "scripts",
        "--scripts",
        folder,
    ]
    done = subprocess.run(
        [*command, "--only", "prefix_sums", "doubled", "broken", "dying", "--print"],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    table = rows(done.stdout)
    assert table["programs"] == ["1", "1", "1"]
    assert table["convert-weft-to-linalg"] == ["1", "1", "1"]
    assert table["schedule-device-kernels"] == ["", "1", ""]
    assert table["weft-differentiate"] == ["", "", ""]
    assert "* scripts: broken (ValueError: no such thing)" in done.stdout
    assert "* scripts: dying (ended by SIGABRT)" in done.stdout
    assert "scripts: 3 programs" in done.stderr


def test_passes_that_know_benchmarks_only_are_named(fires: Any) -> None:
    tuned, unused = sorted(set(fires.all_passes()) - {"weft-fold", "weft-simplify"})[:2]
    fired = {
        "catalogue": {"one": ["weft-fold"], "two": ["weft-fold", "weft-simplify"]},
        "NPBench": {"gemm": ["weft-fold", tuned], "lost": ["ImportError: there is no such module"]},
    }
    page = fires.page(fired)
    assert f"In no program outside of benchmarks 1: `{tuned}`." in page
    never = re.search(r"In none at all (\d+): (.*)", page)
    assert never is not None
    assert f"`{unused}`" in never[2]
    table = rows(page)
    assert table["weft-fold"] == ["2", "1"]
    assert table[tuned] == ["", "1"]
    assert table["programs"] == ["2", "1"]
    assert "* NPBench: lost (ImportError: there is no such module)" in page
