"""`weft explain`: sentences, pages, and what it says where there is none."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import textwrap
import webbrowser
from pathlib import Path

import pytest

from weft.tools.weft_command import main

MODULE = textwrap.dedent("""
    import numpy as np, weft

    def shifted(x):
        return x + 1

    @weft.function(input_signature=[weft.TensorSpec([None], "float32")])
    def halved(x):
        return x / 2

    def wrong(x):
        return x.nope

    def two(x):
        y = np.negative(-(x * 1.0))
        return y + np.exp(x)

    def same(x):
        return np.negative(-(x * 1.0))
""")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a module, which is the current one."""
    (tmp_path / "steps.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    sys.modules.pop("steps", None)
    return tmp_path


def test_sentences_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "steps:shifted", "--spec", "f32[64]"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("shifted(x: f32[64])\n  returns f32[64]\n")
    assert "line 5: `x + 1` runs in vectors" in shown


def test_a_reader_may_have_seen_enough(folder: Path) -> None:
    asked = [sys.executable, "-m", "weft", "explain", "steps:shifted", "--spec", "f32[64]"]
    with subprocess.Popen(asked, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.close()
        assert running.stderr.read() == b""
        assert running.wait() == 1


def test_a_page_is_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "steps:halved", "-o", "halved.html", "--no-passes"]) == 0
    size = (folder / "halved.html").stat().st_size
    assert capsys.readouterr().out == f"halved.html: {size:,} bytes\n"


def test_a_page_is_opened(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda url: opened.append(url) or True)
    assert main(["explain", "steps:halved", "--open", "--no-passes"]) == 0
    (url,) = opened
    path = capsys.readouterr().out.partition(": ")[0]
    assert url == Path(path).as_uri()
    assert Path(path).name == "halved.html"
    shutil.rmtree(Path(path).parent)


def test_without_a_browser_the_page_is_written(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(webbrowser, "open", lambda url: False)
    assert main(["explain", "steps:halved", "--open", "--no-passes", "-o", "halved.html"]) == 1
    assert (folder / "halved.html").exists()
    assert capsys.readouterr().err == (
        "weft: there is no browser here that could show halved.html, which is written: copy it to a machine that has "
        "one, or name one in the variable BROWSER\n"
    )


def test_passes_are_printed_with_their_rewrites(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "steps:same", "--spec", "f32[64]", "--passes"]) == 0
    shown = capsys.readouterr().out
    assert re.match(r"\d+ passes changed something\.\n", shown)
    assert re.search(r"^weft-simplify, to optimized: .*1 multiply_by_one, 1 undo_twice$", shown, re.MULTILINE)
    assert re.search(r"^  -  .*weft\.multiply .*    // multiply_by_one$", shown, re.MULTILINE)
    assert "Instruction Selection, to asm" in shown
    assert re.search(r"^LLVM's passes, all their runs:\n +\d+\.\d\d ms  \w", shown, re.MULTILINE)


def test_one_line_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "steps:two", "--spec", "f32[64]", "--passes", "--line", "17"]) == 0
    shown = capsys.readouterr().out
    assert re.match(r"\d+ passes changed what line 17 became\.\n", shown)
    assert "weft-simplify" not in shown  # which changed line 16
    assert "all their runs" not in shown
    assert main(["explain", "steps:two", "--spec", "f32[64]", "--line", "16"]) == 0
    assert "line 16: " in (shown := capsys.readouterr().out)
    assert "line 17: " not in shown


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["steps:same", "--spec", "f32[2]", "--passes", "-o", "page.html"],
            "--passes and --line are for what is printed: the page of -o and --open has all passes and lines",
        ),
        (
            ["steps:shifted"],
            "missing a required argument: 'x': tell its type by --spec, as in --spec 'f32[?,3]'",
        ),
        (["steps:same", "--spec", "f23[2]"], "'f23[2]': unknown dtype 'f23'"),
        (["steps:shift", "--spec", "f32[2]"], "steps has no shift; did you mean shifted?"),
        (["steps.py"], "'steps.py' names no function: write package.module:function"),
        (["steps:wrong", "--spec", "f32[2]"], "has no attribute 'nope'"),
        (
            ["steps:halved", "-o", "no/such/page.html"],
            "cannot write no/such/page.html: No such file or directory",
        ),
    ],
)
def test_what_is_wrong_is_told(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", *arguments]) == 1
    told = capsys.readouterr()
    assert message in told.err
    assert told.err.startswith("weft: ")
    assert told.out == ""


def test_arguments_that_are_missing(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["explain"])
    assert caught.value.code == 2
    assert "module:function" in capsys.readouterr().err
