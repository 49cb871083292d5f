"""The helper that checks the IR of a function against the comments inside it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import weft
from support.filecheck import check_text, filecheck


@dataclass
class Recorded:
    """Stands in for a concrete function: its text is fixed, and names what it was made from."""

    arguments: tuple[Any, ...]

    def as_text(self, stage: str) -> str:
        return f"stage {stage}\nspecs {self.arguments}\nend"


class RecordingFunction:
    """Stands in for the result of weft.function."""

    def get_concrete_function(self, *specs: Any) -> Recorded:
        return Recorded(specs)


@pytest.fixture
def recording(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the compiler, so that the helper is tested alone."""
    monkeypatch.setattr(weft, "function", lambda function: RecordingFunction(), raising=False)


@filecheck(stage="linalg", specs=[1, 2])
def described() -> None:
    """Says what it is."""
    # CHECK: stage linalg
    # CHECK-NEXT: specs (1, 2)
    # CHECK-NOT: error


@filecheck(stage="linalg")
def misdescribed() -> None:
    # CHECK: stage linalg
    # CHECK-NEXT: specs (3,)
    pass


@filecheck(stage="linalg", prefix="OTHER")
def undescribed() -> None:
    # CHECK: anything
    pass


@pytest.mark.usefixtures("recording")
def test_comments_that_match() -> None:
    described()
    assert described.__name__ == "described"
    assert described.__doc__ == "Says what it is."


@pytest.mark.usefixtures("recording")
def test_failure_shows_directive_line_and_text() -> None:
    with pytest.raises(AssertionError) as caught:
        misdescribed()
    message = str(caught.value)
    source = Path(__file__).read_text(encoding="utf-8").splitlines()
    line = 1 + next(number for number, text in enumerate(source) if text.endswith("CHECK-NEXT: specs (3,)"))
    assert f"test_filecheck.py:{line}: " in message
    assert 'match "specs (3,)"' in message
    assert message.endswith("stage linalg\nspecs ()\nend")


@pytest.mark.usefixtures("recording")
def test_function_without_directives_fails() -> None:
    with pytest.raises(AssertionError, match="No check strings found with prefix OTHER"):
        undescribed()


def test_excluded_text_is_found() -> None:
    with pytest.raises(AssertionError, match="excluded string found"):
        check_text("a\nb\nc", "CHECK: a\nCHECK-NOT: b\nCHECK: c")
