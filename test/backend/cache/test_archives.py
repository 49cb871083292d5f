"""What one cache has compiled goes to another one as a file."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from weft.backend.cache.archives import export_entries, import_entries
from weft.backend.cache.store import Store
from weft.dialect.errors import ArtifactError
from weft.tools.weft_command import main

FUNCTION, OTHER = "ab" + "0" * 38 + "-0123", "cd" + "0" * 38


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = Store(str(tmp_path / "here"), 1)
    made.write(FUNCTION, b"a function")
    made.write(OTHER, (1, "other code"))
    made.refuse("f", "the time")
    return made


def test_entries_are_found_in_another_cache(store: Store, tmp_path: Path) -> None:
    there = Store(str(tmp_path / "there"), 1)
    assert export_entries(store, tmp_path / "file") == 2
    assert import_entries(there, tmp_path / "file") == (2, 0)
    assert there.read(FUNCTION) == b"a function"
    assert there.read(OTHER) == (1, "other code")
    assert there.refusals() == []
    assert sorted(os.listdir(tmp_path)) == ["file", "here", "there"]


def test_what_is_damaged_is_left_out(store: Store, tmp_path: Path) -> None:
    export_entries(store, tmp_path / "file")
    with zipfile.ZipFile(tmp_path / "file") as archive:
        contents = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(tmp_path / "changed", "w") as archive:
        archive.writestr(f"{FUNCTION}.weft", contents[f"{FUNCTION}.weft"][:-1])
        archive.writestr(f"{OTHER}.weft", contents[f"{FUNCTION}.weft"])  # whole, but of another key
        archive.writestr("../../outside.weft", contents[f"{OTHER}.weft"])
        archive.writestr("no_notes.weft.txt", b"")
    there = Store(str(tmp_path / "there"), 1)
    assert import_entries(there, tmp_path / "changed") == (0, 4)
    assert list(there.entries()) == []
    assert not (tmp_path.parent / "outside.weft").exists()


def test_other_files_are_refused(store: Store, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no archive")
    with pytest.raises(ArtifactError, match="text is no file that `weft cache export` wrote"):
        import_entries(store, tmp_path / "text")
    with pytest.raises(FileNotFoundError):
        import_entries(store, tmp_path / "nothing")
    with pytest.raises(FileNotFoundError):
        export_entries(store, tmp_path / "no directory" / "file")


PROGRAM = """
import numpy as np, weft

def step(x):
    return np.tanh(x) * 2 + 1

f = weft.function(step)
f(np.ones(3))
print(f.trace_count)
"""


def test_workers_find_what_was_exported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)

    def traces(cache: str) -> str:
        environment = os.environ | {"WEFT_CACHE": "1", "WEFT_CACHE_DIR": str(tmp_path / cache)}
        command = [sys.executable, str(program)]
        return subprocess.run(
            command, capture_output=True, text=True, env=environment, check=True, timeout=120
        ).stdout.strip()

    def command(cache: str, *arguments: str) -> int:
        import weft

        with weft.settings.scope(cache=True, cache_dir=str(tmp_path / cache)):
            return main(["cache", *arguments])

    assert traces("here") == "1"
    assert command("here", "export", str(tmp_path / "file")) == 0
    assert command("there", "import", str(tmp_path / "file")) == 0
    shown = capsys.readouterr().out
    assert "entries of" in shown
    assert "entries stored in" in shown
    assert traces("there") == "0"
    assert command("there", "import", str(program)) == 1
    assert "is no file that `weft cache export` wrote" in capsys.readouterr().err
