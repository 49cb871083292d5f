"""What is shipped: the wheel's content, the packages it lists, and what importing it costs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from importlib import metadata
from pathlib import Path, PurePosixPath

import pytest

import weft
from support.package import ROOMS, ROOT, extras, module_name, source_files
from weft.frontend.pages.page import SCRIPTS

NOT_SHIPPED = ("integrations", "test", "bench", "examples", "docs", "build", "out")
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


OFFLINE = ("--no-deps", "--no-index", "--disable-pip-version-check", "--quiet")
BUILD_SDIST = "import sys; from setuptools import build_meta; build_meta.build_sdist(sys.argv[1])"


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source distribution, of a copy of the sources, as building leaves files behind."""
    work = tmp_path_factory.mktemp("sdist")
    ignored = shutil.ignore_patterns(".*", "__pycache__", "*.egg-info", "build", "dist", "out")
    shutil.copytree(ROOT, work / "source", ignore=ignored)
    command = [sys.executable, "-c", BUILD_SDIST, str(work)]
    subprocess.run(command, cwd=work / "source", check=True, capture_output=True, timeout=240)
    (built,) = work.glob("*.tar.gz")
    return built


@pytest.fixture(scope="module")
def wheel(sdist: Path) -> Path:
    """The wheel, built from the source distribution without network."""
    command = [sys.executable, "-m", "pip", "wheel", "--no-build-isolation", *OFFLINE]
    command += ["--wheel-dir", str(sdist.parent), str(sdist)]
    subprocess.run(command, check=True, capture_output=True, timeout=240)
    (built,) = sdist.parent.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def shipped(wheel: Path) -> set[str]:
    """The names of the wheel's files."""
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_wheel_ships_the_package_and_nothing_else(shipped: set[str]) -> None:
    sources = {f"weft/{path.relative_to(ROOT).as_posix()}" for path in source_files()}
    package = {name for name in shipped if ".dist-info/" not in name}
    page = {f"weft/frontend/pages/{name}" for name in (*SCRIPTS, "page.css", "page.html")}
    stubs = {f"weft/frontend/{name}/__init__.pyi" for name in ("data", "distributed", "onnx", "summary")} | {
        "weft/namespace.pyi"
    }
    assert package == sources | page | stubs | {"weft/py.typed"}


def test_sdist_has_the_package_and_what_builds_it(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = {PurePosixPath(name).relative_to(f"weft-{weft.__version__}") for name in archive.getnames()}
        files = {str(name) for name in names if name.suffix or name.name == "LICENSE"}
    beside = {
        name for name in files if name.split("/")[0] not in ROOMS and not name.startswith("weft.egg-info")
    }
    assert beside == {
        *(
            "__init__.py",
            "__main__.py",
            "namespace.pyi",
            "py.typed",
            "pyproject.toml",
            "setup.cfg",
            "MANIFEST.in",
        ),
        *("CHANGELOG.md", "LICENSE", "README.md", "SECURITY.md"),
    }
    assert {str(path.relative_to(ROOT).as_posix()) for path in source_files()} <= files


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
    assert f"Version: {weft.__version__}\n" in described
    for extra in extras():
        assert f"Provides-Extra: {extra}" in described


def test_wheel_can_be_imported(wheel: Path) -> None:
    imported_from = run_python("import weft; print(weft.__file__)", PYTHONPATH=str(wheel))
    assert imported_from.startswith(str(wheel))


INSTALLED = """
import sys, weft, numpy as np
from importlib import metadata
assert weft.__file__.startswith(sys.prefix), weft.__file__
print(weft.__version__, metadata.version("weft"))
print(weft.function(lambda x: np.tanh(x) + 1)(np.zeros(2)))
"""


def test_wheel_installs_and_runs_in_an_environment_of_its_own(wheel: Path, tmp_path: Path) -> None:
    """What it depends on comes from this environment, so that nothing is fetched."""
    venv.create(tmp_path / "env", with_pip=False)
    binaries = tmp_path / "env" / ("Scripts" if os.name == "nt" else "bin")
    python = str(binaries / "python")
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--no-compile", *OFFLINE, str(wheel)]
    subprocess.run(pip, check=True, capture_output=True, timeout=240)
    paths = os.pathsep.join({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")})
    environment = {**os.environ, "PYTHONPATH": paths, "WEFT_CACHE": "0"}

    def output(*command: str) -> str:
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=240
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    site = f"import sys; sys.path.sort(key=lambda path: not path.startswith(sys.prefix))\n{INSTALLED}"
    assert output(python, "-c", site).splitlines() == [f"{weft.__version__} {weft.__version__}", "[1. 1.]"]
    installed = {path.stem for path in binaries.iterdir()}
    assert {"weft", "weft-opt", "weft-reduce"} <= installed


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
