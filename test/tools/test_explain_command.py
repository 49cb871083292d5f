"""`weft explain`: sentences, pages, and what it says where there is none."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

import pytest

from weft.tools.weft_command import main

MODULE = textwrap.dedent("""
    import weft

    def shifted(x):
        return x + 1

    @weft.function(input_signature=[weft.TensorSpec([None], "float32")])
    def halved(x):
        return x / 2

    def wrong(x):
        return x.nope
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


def test_a_page_is_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "steps:halved", "-o", "halved.html", "--no-passes"]) == 0
    size = (folder / "halved.html").stat().st_size
    assert capsys.readouterr().out == f"halved.html: {size:,} bytes\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["steps:shifted"],
            "missing a required argument: 'x': tell its type by --spec, as in --spec 'f32[?,3]'",
        ),
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
