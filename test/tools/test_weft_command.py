"""`weft cache info`, `weft cache clear` and `weft machine`."""

from __future__ import annotations

import dataclasses
import re
import subprocess
import sys
from pathlib import Path

import pytest

import weft
from weft.backend.cache.store import Store
from weft.backend.processors.description import Processor
from weft.backend.processors.gpu_figures import GpuFigures
from weft.backend.target import host
from weft.tools import machine_command
from weft.tools.weft_command import main


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = Store(str(tmp_path), 1)
    made.write("ab" + "0" * 38 + "-0123", b"a function")
    made.write("cd" + "0" * 38, b"other code")
    return made


def test_info_tells_what_is_there(store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with weft.settings.scope(cache=True, cache_dir=str(tmp_path), cache_megabytes=1):
        assert main(["cache", "info"]) == 0
    shown = capsys.readouterr().out
    assert re.search(r"functions +1\nother code +1\nsize +0\.0 MiB of 1 MiB\nused +from 2", shown)
    assert f"directory  {store.path}\nin use     yes\n" in shown


def test_info_tells_what_is_not_stored(
    store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in (*range(25), 24):
        store.refuse(f"f{number:02} (program.py:7)", "the time")
    with weft.settings.scope(cache=True, cache_dir=str(tmp_path), cache_megabytes=1):
        assert main(["cache", "info"]) == 0
        shown = capsys.readouterr().out
        assert "functions  1\nother code 1\n" in shown
        assert "\nnot stored, and compiled in each process:\n  f" in shown
        assert len(re.findall(r"  f\d\d \(program\.py:7\): the time\n", shown)) == 20
        assert shown.endswith("\n  and 5 more\n")
        assert main(["cache", "clear"]) == 0
        capsys.readouterr()
        assert main(["cache", "info"]) == 0
    assert "not stored" not in capsys.readouterr().out


def test_info_of_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with weft.settings.scope(cache=False, cache_dir=str(tmp_path)):
        assert main(["cache", "info"]) == 0
    shown = capsys.readouterr().out
    assert "in use     no (WEFT_CACHE=0)\nfunctions  0\n" in shown
    assert "used  " not in shown


def test_clear_removes_all(store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with weft.settings.scope(cache_dir=str(tmp_path)):
        assert main(["cache", "clear"]) == 0
    assert capsys.readouterr().out == f"2 files removed from {store.path}\n"
    assert list(store.entries()) == []


def test_what_is_wrong_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    with weft.settings.scope(cache_dir=str(tmp_path / "file")):
        assert main(["cache", "info"]) == 1
    assert "weft: there is no disk cache: " in capsys.readouterr().err


def test_alone_it_prints_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    assert "the compiled functions on disk" in capsys.readouterr().out
    done = subprocess.run([sys.executable, "-m", "weft"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("usage: weft")


@pytest.mark.parametrize("arguments", [["cache"], ["cache", "nonsense"], ["bild"]])
def test_commands_that_there_are_not_are_refused(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(arguments)
    shown = capsys.readouterr().err
    assert "usage: weft" in shown
    assert "room" not in shown


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["bild"], "build"),
        (["cash", "info"], "cache"),
        (["cache", "cleer"], "clear"),
        (["--versoin"], "--version"),
        (["build", "f", "-o", "a.so", "--lapak=mkl"], "--lapack"),
    ],
)
def test_what_may_have_been_meant_is_said(
    arguments: list[str], meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert capsys.readouterr().err.endswith(f"; did you mean {meant}?\n")


def test_nothing_is_suggested_for_what_is_like_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["xyzzy"])
    assert "did you mean" not in capsys.readouterr().err


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"weft {weft.__version__}\n"


def test_machine_is_described(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["machine"]) == 0
    lines = capsys.readouterr().out.splitlines()
    names = [line[:14].strip() for line in lines if not line.startswith("assumed")]
    assert names == [
        *("processor", "vectors", "multiply-adds", "first level", "second level", "last level"),
        *("read ahead", "streamed", "threads", "memory"),
    ]
    assert host().processor.family in lines[0]


def test_what_is_assumed_of_the_machine_is_said(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    unknown = dataclasses.replace(host(), processor=Processor("some", assumed=("it is like others",)))
    monkeypatch.setattr(machine_command, "host", lambda: unknown)
    assert main(["machine"]) == 0
    assert "assumed       it is like others" in capsys.readouterr().out


def test_a_machine_is_measured_beside_what_is_known(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    known = Processor("some", second_level_cache=512 << 10, memory_bytes=8.0)
    found = Processor("", second_level_cache=1 << 20, memory_bytes=5.5, addition_wait=4.0)
    monkeypatch.setattr(machine_command, "host", lambda: dataclasses.replace(host(), processor=known))
    monkeypatch.setattr(machine_command, "measured", lambda vector_bytes: found)
    assert main(["machine", "--measure"]) == 0
    first, *rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert first[0] == "some"
    assert first[-2:] == ["known", "measured"]
    assert ["second", "level", "512", "KiB", "1", "MiB"] in rows
    assert ["bytes", "of", "memory", "a", "cycle", "8.0", "5.5"] in rows
    assert ["cycles", "between", "additions", "5.0", "4.0"] in rows


def test_machine_tells_of_gpus(capsys: pytest.CaptureFixture[str]) -> None:
    with weft.settings.scope(cuda="emulator"):
        assert main(["machine"]) == 0
    shown = capsys.readouterr().out
    assert "cuda:0        weft's emulator of a GPU (sm_90a, 132 multiprocessors" in shown
    assert "libraries     cufft, cusolver" in shown
    assert "a launch      3 us; a read of the host 10 us" in shown
    assert "figures       estimated" in shown


def test_figures_that_are_not_known_are_not_told() -> None:
    lines = machine_command.figure_lines(GpuFigures(source="a card", launch=2e-6, bytes_per_second=2e12))
    assert lines[0] == "a launch      2 us; a read of the host 10 us"
    assert lines[-2:] == ["at most       2e+03 GB/s of memory", "figures       a card"]
    assert not any(line.startswith("at most") for line in machine_command.figure_lines(GpuFigures()))
