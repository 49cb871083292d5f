"""What is shipped: the wheel's content, the packages it lists, and what importing it costs."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from importlib import metadata
from pathlib import Path, PurePosixPath

import pytest

from support.package import ROOT, module_name, source_files

NOT_SHIPPED = ("test", "bench", "examples", "docs", "build", "out")
IMPORT_IN_FRESH_PROCESS = """
import sys
import numpy, ml_dtypes
before = set(sys.modules)
import weft
print(*sorted(set(sys.modules) - before))
"""


def run_python(code: str, **environment: str) -> str:
    """The output of a fresh process, outside of the repository, with nothing but `environment` set."""
    command = [sys.executable, "-c", code]
    return subprocess.run(
        command, cwd=ROOT.anchor, env=environment, capture_output=True, text=True, check=True, timeout=120
    ).stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built without network from a copy of the sources, as building leaves files behind."""
    work = tmp_path_factory.mktemp("wheel")
    ignored = shutil.ignore_patterns(".*", "__pycache__", "*.egg-info", "build", "dist")
    shutil.copytree(ROOT, work / "source", ignore=ignored)
    offline = ["--no-build-isolation", "--no-deps", "--no-index", "--disable-pip-version-check"]
    command = [sys.executable, "-m", "pip", "wheel", *offline, "--wheel-dir", str(work), str(work / "source")]
    subprocess.run(command, check=True, capture_output=True, timeout=240)
    (built,) = work.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def shipped(wheel: Path) -> set[str]:
    """The names of the wheel's files."""
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_wheel_ships_the_package_and_nothing_else(shipped: set[str]) -> None:
    sources = {f"weft/{path.relative_to(ROOT).as_posix()}" for path in source_files()}
    package = {name for name in shipped if ".dist-info/" not in name}
    page = {f"weft/frontend/pages/page.{ending}" for ending in ("css", "html", "js")}
    assert package == sources | page | {"weft/py.typed", "weft/namespace.pyi"}


def test_wheel_ships_no_tests_or_documents(shipped: set[str]) -> None:
    folders = {folder for name in shipped for folder in PurePosixPath(name).parts[:-1]}
    assert folders.isdisjoint(NOT_SHIPPED)
    assert {name.split("/")[0] for name in shipped} == {"weft", f"weft-{metadata.version('weft')}.dist-info"}


def test_wheel_metadata(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        information = f"weft-{metadata.version('weft')}.dist-info"
        entry_points = archive.read(f"{information}/entry_points.txt").decode()
        described = archive.read(f"{information}/METADATA").decode()
        assert archive.read(f"{information}/licenses/LICENSE") == (ROOT / "LICENSE").read_bytes()
    assert "weft-opt = weft.tools.weft_opt:main" in entry_points
    assert "Requires-Python: >=3.10" in described
    assert "License-Expression: Apache-2.0" in described
    for extra in ("demo", "export", "test"):
        assert f"Provides-Extra: {extra}" in described


def test_wheel_can_be_imported(wheel: Path) -> None:
    imported_from = run_python("import weft; print(weft.__file__)", PYTHONPATH=str(wheel))
    assert imported_from.startswith(str(wheel))


def test_every_package_has_an_init_file() -> None:
    folders = {path.parent for path in source_files()}
    assert [str(folder) for folder in folders if not (folder / "__init__.py").is_file()] == []


def test_import_loads_neither_mlir_nor_llvm() -> None:
    loaded = run_python(IMPORT_IN_FRESH_PROCESS).split()
    assert "weft" in loaded
    assert {name.split(".")[0] for name in loaded}.isdisjoint({"torch_mlir", "llvmlite"})


def test_import_loads_few_modules() -> None:
    loaded = run_python(IMPORT_IN_FRESH_PROCESS).split()
    assert len(loaded) < 200, loaded


def test_modules_fit_in_six_hundred_lines() -> None:
    lines = {module_name(path): len(path.read_text(encoding="utf-8").splitlines()) for path in source_files()}
    assert {module: number for module, number in lines.items() if number >= 600} == {}


def test_lit_and_pytest_share_no_file() -> None:
    """lit leaves files out by their name alone, so a name must not be of both kinds."""
    python_files = sorted((ROOT / "test").rglob("*.py"))
    for_lit = [path for path in python_files if path.read_text(encoding="utf-8").startswith("# RUN:")]
    other_names = {path.name for path in python_files if path not in for_lit}
    assert [path.name for path in for_lit if path.name.startswith("test_") or path.name in other_names] == []
