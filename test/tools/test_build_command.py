"""`weft build`: what it writes, and what it says where it cannot."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from weft.tools.weft_command import main

MODULE = textwrap.dedent("""
    import numpy as np
    import weft

    def scaled(x, k):
        return x * k

    @weft.function(input_signature=[weft.TensorSpec([None], "float64")])
    def negated(x):
        return -x

    @weft.function(input_signature=[weft.TensorSpec([None], "float64")])
    def signed(x):
        return np.abs(x)

    class Tools:
        @staticmethod
        def half(x):
            return x / 2

    def shown(x):
        print(x)
        return x

    def wrong(x):
        return x.nope
""")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a module, which is the current one."""
    (tmp_path / "kernels.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    sys.modules.pop("kernels", None)
    return tmp_path


def test_a_function_by_its_specs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["kernels:scaled", "--spec", "f64[?], f64", "-o", "out/scaled.o", "--target", "native"]
    assert main(["build", *arguments]) == 0
    assert capsys.readouterr().out.split() == [f"out/scaled.{e}" for e in ("o", "h", "hpp", "rs", "json")]
    assert sorted(p.name for p in (folder / "out").iterdir()) == [
        f"scaled.{e}" for e in ("h", "hpp", "json", "o", "rs")
    ]
    assert (
        "int32_t scaled(const double *x, int64_t x_0, double k, double *result"
        in (folder / "out/scaled.h").read_text()
    )


def test_several_functions_with_signatures(folder: Path) -> None:
    assert main(["build", "kernels:negated", "kernels:Tools.half", "-o", "libtools.a"]) == 1
    (folder / "more.py").write_text("from kernels import negated, signed\nabsolute = signed\n")
    assert main(["build", "more:negated", "more:absolute", "-o", "libtools.a", "--checked"]) == 0
    manifest = json.loads((folder / "tools.json").read_text())
    assert [f["name"] for f in manifest["functions"]] == ["negated", "absolute"]
    assert manifest["target"]["name"] in ("x86-64-v2", "aarch64")
    assert manifest["checked"] is True
    assert manifest["files"] == {
        "static": "libtools.a",
        "header": "tools.h",
        "cpp": "tools.hpp",
        "rust": "tools.rs",
        "manifest": "tools.json",
    }


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
def test_the_command_links_a_library(folder: Path) -> None:
    arguments = ["kernels:Tools.half", "--spec", "f32[3]", "--name", "halves", "-o", "half.so"]
    done = subprocess.run(
        [sys.executable, "-m", "weft", "build", *arguments], cwd=folder, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert (folder / "half.so").read_bytes()[:4] in (b"\x7fELF", b"\xcf\xfa\xed\xfe")
    assert (
        "int32_t halves(const float *x, float *result, weft_error *error);" in (folder / "half.h").read_text()
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["kernels:scaled", "-o", "a.o"], "missing a required argument: 'x': tell its type by --spec"),
        (
            ["kernels:scaled", "--spec", "f64[2]", "-o", "a.o"],
            "missing a required argument: 'k': tell its type by",
        ),
        (["kernels:signed", "-o", "a.o"], "'signed' is no name for a function in C: give it another one"),
        (["kernels:signed", "--name", "sin", "-o", "a.o"], "'sin' is a function of the C library"),
        (["kernels:shown", "--spec", "f64[2]", "-o", "a.o"], "calls Python for `print` at"),
        (["kernels:wrong", "--spec", "f64[2]", "-o", "a.o"], "has no attribute 'nope' (at"),
        (["kernels:nothing", "-o", "a.o"], "kernels has no nothing"),
        (["no_such_module:f", "-o", "a.o"], "No module named 'no_such_module'"),
        (["kernels.py", "-o", "a.o"], "'kernels.py' names no function: write package.module:function"),
        (["kernels.py:negated", "-o", "a.o"], "names a file: write its module, kernels:negated"),
        (["kernels:scaled", "--spec", "f99", "-o", "a.o"], "unknown dtype 'f99'"),
        (["kernels:negated", "-o", "a.exe"], "a.exe ends in none of .so, .dylib, .dll, .a, .o, .wasm, .ll"),
        (["kernels:negated", "-o", "a.o", "--target", "vax"], "there is no target 'vax'"),
        (["kernels:negated", "kernels:negated", "-o", "a.o"], "two functions are called negated"),
        (
            ["kernels:negated", "kernels:scaled", "--spec", "f64", "-o", "a.o"],
            "--spec and --name are for one",
        ),
        (["kernels:negated", "-o", "a.so", "--linker", "no-cc"], "there is no no-cc to link a.so"),
    ],
)
def test_what_is_wrong_is_told_and_nothing_is_written(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    before = sorted(folder.iterdir())
    assert main(["build", *arguments]) == 1
    shown = capsys.readouterr()
    assert shown.err.startswith("weft: ")
    assert message in shown.err
    assert shown.out == ""
    assert sorted(p for p in folder.iterdir() if p.name != "__pycache__") == before


@pytest.mark.parametrize("output", ["kernels.py/a.o", "taken.o"])
def test_what_cannot_be_written(folder: Path, capsys: pytest.CaptureFixture[str], output: str) -> None:
    (folder / "taken.o").mkdir()
    assert main(["build", "kernels:negated", "-o", output]) == 1
    assert capsys.readouterr().err.startswith(f"weft: cannot write {output}: ")
    assert sorted(p.name for p in folder.iterdir() if p.name != "__pycache__") == ["kernels.py", "taken.o"]


def test_arguments_that_are_missing(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["build", "kernels:negated"])
    assert end.value.code == 2
    assert "-o/--output" in capsys.readouterr().err
