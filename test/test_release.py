"""What a release says of itself: one version, a changelog, dependencies with bounds and reasons, and pages of it."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import weft
from support.package import ROOT, extras

PROJECT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
VERSION = r"\d+\.\d+\.\d+(?:(?:a|b|rc)\d+)?"
SECTIONS = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def git(*arguments: str) -> list[str]:
    """The lines that git prints; the test is skipped where there is no repository."""
    try:
        command = ["git", "-c", "safe.directory=*", *arguments]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("there is no git repository here")
    return done.stdout.splitlines()


def test_the_version_is_in_one_place() -> None:
    assert re.fullmatch(VERSION, weft.__version__)
    assert 'dynamic = ["version"]' in PROJECT
    assert weft.__version__ not in PROJECT


def test_a_release_is_tagged_by_its_version() -> None:
    tags = [tag for tag in git("tag", "--points-at", "HEAD") if re.fullmatch(rf"v{VERSION}", tag)]
    assert tags in ([], [f"v{weft.__version__}"])


def test_the_changelog_has_the_released_versions_newest_first() -> None:
    headings = re.findall(r"^## \[(.+?)\](?: - (\d{4}-\d\d-\d\d))?$", CHANGELOG, re.MULTILINE)
    assert headings[0] == ("Unreleased", "")
    released = [version for version, _ in headings[1:]]
    assert all(date for _, date in headings[1:])
    assert released == sorted(
        released, key=lambda text: [int(part) for part in text.split(".")], reverse=True
    )
    tagged = {tag.removeprefix("v") for tag in git("tag", "--list", "v*")}
    assert tagged <= set(released)
    assert set(re.findall(r"^### (.+)$", CHANGELOG, re.MULTILINE)) <= SECTIONS


def test_dependencies_have_bounds_and_reasons() -> None:
    needed = PROJECT.partition("\ndependencies = [\n")[2].partition("\n]")[0].splitlines()
    assert len(needed) >= 4
    for line in needed:
        assert re.fullmatch(r' *"[\w-]+(?:==\d+|>=[\d.]+,<[\d.]+)",  # .{20,}', line), line


def test_the_page_has_all_dependencies_and_extras_with_their_reasons() -> None:
    page = (ROOT / "docs" / "versions.md").read_text(encoding="utf-8")
    rows = {
        row[0]: row[1:] for row in re.findall(r"^\| `?([\w-]+)`? \| (.+) \| (.*) \|$", page, re.MULTILINE)
    }
    for name in [*extras(), "llvmlite", "ml_dtypes", "numpy", "torch-mlir"]:
        assert name in rows, f"{name} is not in docs/versions.md"
        assert len(rows[name][1]) > 10, f"{name} has no reason: a comment behind it in pyproject.toml"


def test_links_have_real_addresses() -> None:
    """A placeholder, as example.com, is worse than none."""
    section = PROJECT.partition("[project.urls]")[2].partition("\n[")[0]
    assert not re.search(r"example\.|TODO|localhost|your-", section)


def test_types_are_announced() -> None:
    assert (ROOT / "py.typed").is_file()
    assert importlib.util.find_spec("weft") is not None
    assert "Typing :: Typed" in PROJECT


WITHOUT_COMPILER = """
import sys
sys.modules["torch_mlir"] = sys.modules["llvmlite"] = None
import numpy as np
import weft
print(weft.load(sys.argv[1], trust_code=True).f(np.arange(3.0)))
try:
    weft.function(lambda x: x + 1)(np.arange(3.0))
except weft.MissingPackageError as error:
    print(error)
"""


def test_files_with_machine_code_run_without_mlir_and_llvm(tmp_path: Path) -> None:
    path = str(tmp_path / "model.weft")
    x = np.arange(3.0)
    function = weft.function(lambda x: np.tanh(x) * 2)
    expected = function(x)
    weft.save(path, f=function, code="native")
    environment = {"WEFT_CACHE": "0", "PATH": ""}
    command = [sys.executable, "-c", WITHOUT_COMPILER, path]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    numbers, complaint = done.stdout.splitlines()
    assert numbers == str(expected)
    assert (
        "to compile a function needs the package torch-mlir, which `pip install weft` brings along"
        in complaint
    )
