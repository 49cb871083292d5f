"""The emulator is a package of its own: weft finds it and imports nothing of it, and it needs little of weft."""

from __future__ import annotations

import doctest
import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import weft
from support.package import source_files
from weft.backend.gpu.devices import libraries

OWN = Path(__file__).resolve().parents[1]
FILES = sorted((OWN / "weft_emulator").rglob("*.py"))
OF_THE_EMULATOR = sorted((OWN / "weft_emulator").glob("*.py"))
GROUND = {
    "weft.dialect.records",
    *(f"weft.backend.gpu.driver.{name}" for name in ("math_libraries", "nccl", "signatures")),
}
"""What the emulator itself needs of weft."""
WHERE = """
import weft
print(weft.devices())
import weft_emulator
print(weft_emulator.__file__)
"""


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(OWN).with_suffix("").parts).removesuffix(".__init__")


@pytest.mark.parametrize("path", [path for path in FILES if ">>> " in path.read_text()], ids=module_of)
def test_examples(path: Path) -> None:
    outcome = doctest.testmod(importlib.import_module(module_of(path)), extraglobs={"weft": weft})
    assert outcome.attempted > 0
    assert outcome.failed == 0


def test_files_fit_in_six_hundred_lines() -> None:
    assert [path.name for path in FILES if len(path.read_text().splitlines()) >= 600] == []


def test_the_emulator_stands_on_little_of_weft() -> None:
    found = {
        module
        for path in OF_THE_EMULATOR
        for module in re.findall(r"^\s*from (weft\.[\w.]+) import", path.read_text(), re.MULTILINE)
    }
    assert found == GROUND


def test_weft_imports_nothing_of_it() -> None:
    importing = re.compile(r"^\s*(from|import) weft_emulator", re.MULTILINE)
    assert [path for path in source_files() if importing.search(path.read_text(encoding="utf-8"))] == []


def test_its_version_is_that_of_weft() -> None:
    project = (OWN / "pyproject.toml").read_text()
    assert f'\nversion = "{weft.__version__}"' in project
    assert f'"weft=={weft.__version__}"' in project


@pytest.fixture
def nothing_loaded(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(libraries, "_loaded", {})
    with weft.settings.scope(cuda="emulator"):
        yield


@pytest.mark.usefixtures("nothing_loaded")
def test_it_is_found_among_the_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda **_: [])
    monkeypatch.setattr(sys, "path", [path for path in sys.path if Path(path) != OWN])
    assert libraries.chosen_library().name == "the emulator"
    assert sys.path[-1] == str(OWN)


@pytest.mark.usefixtures("nothing_loaded")
def test_one_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda **_: [])
    monkeypatch.setattr(libraries, "_SOURCES", tmp_path / "weft_emulator")
    with pytest.raises(
        weft.DeviceError,
        match=r"is a package of its own, which is not installed: pip install 'weft\[emulator\]'",
    ):
        weft.function(lambda x: x + 1, device="cuda")(1.0)


def test_it_is_found_where_it_is_installed(tmp_path: Path) -> None:
    shutil.copytree(
        OWN, tmp_path / "source", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info", "build", "test")
    )
    pip = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--no-deps",
        "--no-index",
        "--no-build-isolation",
        "--quiet",
    ]
    there = tmp_path / "installed"
    subprocess.run(
        [*pip, "--no-compile", "--target", there, tmp_path / "source"],
        check=True,
        capture_output=True,
        timeout=240,
    )
    done = subprocess.run(
        [sys.executable, "-c", WHERE],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(there), "WEFT_CUDA": "emulator"},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert done.stdout.splitlines() == [
        "['cpu', 'cuda:0']",
        str(there / "weft_emulator" / "__init__.py"),
    ]
