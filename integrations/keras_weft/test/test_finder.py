"""How Keras finds the backend, and what is said where it does not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import keras
import pytest

PACKAGE = Path(__file__).parent.parent


def run(program: str, **environment: str) -> str:
    """What a program prints in a process of its own, or the last line of its error."""
    variables = {name: value for name, value in os.environ.items() if name != "KERAS_BACKEND"}
    path = os.pathsep.join([str(PACKAGE), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=variables | {"PYTHONPATH": path} | environment,
        capture_output=True,
        text=True,
        timeout=100,
    )
    return done.stdout.strip() if done.returncode == 0 else done.stderr.strip().splitlines()[-1]


def test_the_backend_is_weft() -> None:
    assert keras.config.backend() == "weft"
    assert keras.backend.backend() == "weft"


@pytest.mark.parametrize(("chosen", "loads"), [("weft", True), ("other", False)])
def test_the_variable_is_read_when_keras_is_imported(chosen: str, loads: bool, tmp_path: Path) -> None:
    (tmp_path / "keras.py").touch()
    program = (
        f"import os, site, sys; site.addpackage({str(PACKAGE)!r}, 'keras_weft.pth', set());"
        f"os.environ['KERAS_BACKEND'] = {chosen!r}; before = 'keras_weft' in sys.modules;"
        "import keras; print(before, 'keras_weft' in sys.modules)"
    )
    path = os.pathsep.join([str(tmp_path), str(PACKAGE)])
    assert run(program, PYTHONPATH=path) == f"False {loads}"


def test_importing_loads_neither_keras_nor_weft() -> None:
    program = "import keras_weft, sys; print([n for n in sys.modules if n in ('keras', 'weft', 'numpy')])"
    assert run(program) == "[]"


def test_another_backend_that_was_chosen_is_told() -> None:
    with_jax = run("import warnings; warnings.simplefilter('error'); import keras_weft", KERAS_BACKEND="jax")
    assert "KERAS_BACKEND is 'jax', and `import keras_weft` chooses weft" in with_jax


@pytest.mark.parametrize("version", ["2.15.0", "3.14.1", "3.16.0"])
def test_other_versions_are_refused(version: str, tmp_path: Path) -> None:
    folder = tmp_path / "keras" / "src" / "backend"
    folder.mkdir(parents=True)
    (tmp_path / "keras" / "__init__.py").write_text("import keras.src.backend")
    (folder.parent / "__init__.py").touch()
    (folder / "__init__.py").touch()
    (folder.parent / "version.py").write_text(f'__version__ = "{version}"\n')
    path = os.pathsep.join([str(tmp_path), str(PACKAGE)])
    error = run("import keras_weft, keras", PYTHONPATH=path)
    assert error.startswith(
        "ImportError: keras_weft knows the insides of Keras 3.15, and this is Keras " + version
    )
    assert "pip install 'keras==3.15.*'" in error


def test_modules_without_a_branch_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "keras" / "src" / "backend"
    folder.mkdir(parents=True)
    (tmp_path / "keras" / "__init__.py").write_text("import keras.src.backend")
    (folder.parent / "__init__.py").touch()
    (folder / "__init__.py").write_text("if backend() == 'jax':\n    pass\n")
    (folder.parent / "version.py").write_text('__version__ = "3.15.9"\n')
    path = os.pathsep.join([str(tmp_path), str(PACKAGE)])
    assert "finds no branch of the numpy backend in keras.src.backend" in run(
        "import keras_weft, keras", PYTHONPATH=path
    )


def test_keras_that_was_imported_before_is_told() -> None:
    program = (
        "import sys, types; sys.modules['keras.src.backend'] = types.SimpleNamespace(backend=lambda: 'jax')"
    )
    error = run(program + "; import keras_weft")
    assert error.startswith(
        "ImportError: Keras has been imported already, with the backend 'jax'; import keras_weft in"
    )
