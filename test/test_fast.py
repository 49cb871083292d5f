"""`make test-fast` has a test of each room, and reads no more than it needs."""

from __future__ import annotations

from pathlib import Path

from support.fast import TESTS, first_file, folders, lit_tests


def test_each_folder_has_a_file_that_is_not_slow() -> None:
    assert [folder for folder in folders() if first_file(folder) is None] == []


def test_each_folder_of_filecheck_tests_has_one() -> None:
    assert {Path(file).parent for file in lit_tests()} == {file.parent for file in TESTS.rglob("*.mlir")}
    assert len({Path(file).parent for file in lit_tests()}) == len(lit_tests())


def test_files_that_are_slow_as_a_whole_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text("import pytest\n\npytestmark = pytest.mark.slow\n")
    (tmp_path / "test_b.py").write_text("def test() -> None: ...\n")
    assert first_file(tmp_path) == tmp_path / "test_b.py"
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "test_c.py").write_text("pytestmark = [pytest.mark.soak]\n")
    assert first_file(tmp_path / "sub") is None
