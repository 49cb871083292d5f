"""What type checkers and editors know: wrong calls of decorated functions are found, and wrong names."""

from __future__ import annotations

import pathlib
import re
import shutil
import subprocess
import sys
import textwrap

import pytest

import weft

ROOT = pathlib.Path(__file__).parents[1]
ROOMS = ("dialect", "passes", "backend", "frontend", "tools")

PROGRAM = textwrap.dedent("""\
    import numpy as np
    import weft


    @weft.function
    def scaled(x: np.ndarray, factor: float = 2.0) -> np.ndarray:
        return x * factor


    @weft.function(name="other")
    def other(x: int) -> str:
        return str(x)


    class Model:
        @weft.function
        def step(self, x: int, *, fast: bool = False) -> float:
            return x * 1.0

        @staticmethod
        @weft.function
        def plain(x: int) -> int:
            return x


    x = np.ones(3)
    m = Model()
    a: np.ndarray = scaled(x, 3.0)
    b: str = other(3)
    c: float = m.step(1, fast=True)
    d: float = Model.step(m, 1)
    e: int = Model.plain(1)
    f = weft.sin(x), weft.sum(x, axis=0), weft.linalg.solve(x, x), weft.fft.fft(x), weft.pi, weft.newaxis
    g = weft.zeros(3, dtype=weft.float32), weft.asarray(x), weft.bool, weft.__array_api_version__
    h = weft.grad(scaled)(x, 2.0), weft.value_and_grad(scaled)(x)[1], weft.jacobian(scaled)(x)
    i = scaled.trace_count, m.step.trace_count, scaled.cache_info().hits, scaled.__wrapped__(x)
    scaled()  # wrong
    scaled(x, factor="3")  # wrong
    scaled(x, 2.0, 3.0)  # wrong
    scaled(x, fator=2.0)  # wrong
    other("3")  # wrong
    other(3) + 1  # wrong
    m.step("1")  # wrong
    m.step(1, True)  # wrong
    Model.plain()  # wrong
    weft.nope  # wrong
    weft.sin()  # wrong
    weft.sum(x, axes=0)  # wrong
    weft.linalg.nope  # wrong
    weft.function(3)  # wrong
    scaled.nope  # wrong
    weft.grad(scaled)(x, factor="2")  # wrong
    weft.checkpoint(scaled)(3, 4, 5)  # wrong
    """)
WRONG = [number for number, line in enumerate(PROGRAM.splitlines(), 1) if "# wrong" in line]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A program that uses weft, and a folder in which the package has its name."""
    folder = tmp_path_factory.mktemp("types")
    (folder / "program.py").write_text(PROGRAM)
    (folder / "source").mkdir()
    (folder / "source" / "weft").symlink_to(ROOT, target_is_directory=True)
    return folder


def lines_with_errors(output: str) -> list[int]:
    """The lines of the program at which a type checker finds something wrong."""
    return sorted({int(line) for line in re.findall(r"program\.py:(\d+):.*error", output)})


@pytest.mark.slow
def test_mypy(folder):
    options = ["--follow-imports=silent", "--cache-dir", str(ROOT / ".mypy_cache" / "programs")]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, "program.py"],
        cwd=folder, capture_output=True, text=True, check=False, timeout=300,
        env={"MYPYPATH": str(folder / "source")},
    )  # fmt: skip
    assert lines_with_errors(done.stdout) == WRONG, done.stdout + done.stderr


@pytest.mark.slow
def test_pyright(folder):
    checker = shutil.which("pyright") or shutil.which("basedpyright")
    if checker is None:
        pytest.skip("pyright is not installed")
    done = subprocess.run(
        [checker, "--level", "error", "--pythonpath", sys.executable, "program.py"],
        cwd=folder, capture_output=True, text=True, check=False, timeout=300,
        env={"PYTHONPATH": str(folder / "source"), "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    assert lines_with_errors(done.stdout) == WRONG, done.stdout + done.stderr


def test_the_stub_is_of_the_namespace():
    """All names of the package are known to type checkers, those of the array namespace by the stub."""
    stub = (ROOT / "namespace.pyi").read_text()
    defined = set(re.findall(r"^def (\w+)|^from .* as (\w+)$|^(\w+):", stub, re.MULTILINE))
    known = {name for names in defined for name in names if name}
    public = {name for name in dir(weft) if not name.startswith("_")} | {"__array_namespace_info__"}
    called_by_others = {"load_ipython_extension"}  # by `%load_ext weft`
    modules = {"importlib", "annotations", "Any", "TYPE_CHECKING", *ROOMS}
    assert public - known <= {*called_by_others, *modules}
