"""Objects for other processors and systems: their formats, what they call, and what is refused."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import weft
from support.exported_programs import Net, concretes
from support.printed_programs import compare
from weft.backend.target import host, named, why_not_here

pytestmark = pytest.mark.optimised
FORMATS = {
    "x86-64-v3-linux": b"\x7fELF",
    "aarch64-linux": b"\x7fELF",
    "aarch64-macos": b"\xcf\xfa\xed\xfe",
    "x86-64-macos": b"\xcf\xfa\xed\xfe",
    "x86-64-v3-windows": b"\x64\x86",
    "aarch64-windows": b"\x64\xaa",
    "wasm32": b"\0asm",
}


LIKE_OTHERS = ("x86-64-v3-linux", "x86-64-macos", "aarch64-windows")
"""What they have, processors and formats, others have."""


@pytest.mark.parametrize(
    "target",
    [pytest.param(name, marks=[pytest.mark.soak] if name in LIKE_OTHERS else []) for name in FORMATS],
)
def test_objects_of_other_systems(tmp_path: Path, target: str) -> None:
    programs = concretes(Net(), "train", "pick")
    files = weft.export(tmp_path, library="two", kind="object", target=target, **programs)
    content = Path(files["object"]).read_bytes()
    assert content.startswith(FORMATS[target])
    manifest = json.loads(Path(files["manifest"]).read_text())
    assert set(manifest["calls"]) <= {"malloc", "free", "memcpy", "memset", "memmove", "fma"}
    assert manifest["target"]["triple"] == named(target).triple
    assert named(target).triple in Path(files["header"]).read_text()


def test_they_do_not_run_here() -> None:
    architecture, _, system = host().triple.partition("-")
    level = "aarch64" if architecture in ("aarch64", "arm64") else "x86-64-v2"
    assert why_not_here(named(f"{level}-windows")) == f"this machine is {system}"
    assert why_not_here(named("wasm32")) == f"this machine is {architecture}"
    with pytest.raises(ValueError, match="there is no target 'wasm32-macos'"):
        named("wasm32-macos")
    assert named("x86-64-v3-macos+fma").triple == "x86_64-apple-macosx11.0.0"


def test_archives_are_for_linkers_that_read_them(tmp_path: Path) -> None:
    programs = concretes(Net(), "pick")
    with pytest.raises(ValueError, match='no archives for macos and windows: export kind="object"'):
        weft.export(tmp_path / "out", kind="static", target="aarch64-macos", **programs)
    assert not (tmp_path / "out").exists()


def test_modules_of_webassembly_are_for_it(tmp_path: Path) -> None:
    programs = concretes(Net(), "pick")
    with pytest.raises(ValueError, match='kind="wasm" is for target="wasm32", and not for \'aarch64\''):
        weft.export(tmp_path / "out", kind="wasm", target="aarch64", **programs)
    concrete = weft.function(np.arccosh).get_concrete_function(weft.TensorSpec([None], "float64"))
    files = weft.export(tmp_path, f=concrete, kind="wasm", target="wasm32")
    content = Path(files["wasm"]).read_bytes()
    assert content.startswith(FORMATS["wasm32"])
    for name in json.loads(Path(files["manifest"]).read_text())["calls"]:
        assert b"\x03env" + bytes([len(name)]) + name.encode() in content


COMPILER, EMULATOR = "aarch64-linux-gnu-gcc", "qemu-aarch64"
needs_emulator = pytest.mark.skipif(
    shutil.which(COMPILER) is None or shutil.which(EMULATOR) is None,
    reason=f"there is no {COMPILER}, or no {EMULATOR}",
)
PROGRAM = Path(__file__).parent / "six_programs.c"


@needs_emulator
def test_six_programs_on_another_processor(tmp_path: Path) -> None:
    weft.export(tmp_path, library="six", kind="object", target="aarch64-linux", **concretes(Net()))
    flags = ["-static", "-O1", "-std=c11", "-Wall", "-Wextra", "-Werror", "-I."]
    subprocess.run([COMPILER, *flags, str(PROGRAM), "six.o", "-lm", "-o", "main"], cwd=tmp_path, check=True)
    done = subprocess.run([EMULATOR, "./main"], cwd=tmp_path, check=True, capture_output=True, text=True)
    compare(done.stdout)


@needs_emulator
def test_the_compiler_of_a_user_links_for_another_processor(tmp_path: Path) -> None:
    programs = concretes(Net(), "pick")
    files = weft.export(tmp_path, target="aarch64-linux", linker=COMPILER, **programs)
    (tmp_path / "main.c").write_text(MAIN)
    command = [COMPILER, "main.c", "-L.", "-lpick", "-Wl,-rpath,.", "-o", "main"]
    subprocess.run(command, cwd=tmp_path, check=True)
    assert Path(files["shared"]).name == "libpick.so"
    root = subprocess.run([COMPILER, "-print-sysroot"], check=True, capture_output=True, text=True).stdout
    started = [EMULATOR, "-L", root.strip().rstrip("/") or "/usr/aarch64-linux-gnu", "./main"]
    assert subprocess.run(started, cwd=tmp_path, check=False).returncode == 6


MAIN = '#include "pick.h"\nint main(void) { double x = 3, y = 0; return pick(&x, 1, 0, &y, 0) + (int)y; }'


# Linked by zig

needs_zig = pytest.mark.skipif(
    importlib.util.find_spec("ziglang") is None, reason="the package ziglang is not installed"
)
WINE = next(filter(None, map(shutil.which, ("wine64", "wine", "/usr/lib/wine/wine64"))), None)
LINKED = {
    "aarch64-linux": ("libpick.so", b"\x7fELF"),
    "aarch64-macos": ("libpick.dylib", b"\xcf\xfa\xed\xfe"),
    "x86-64-macos": ("libpick.dylib", b"\xcf\xfa\xed\xfe"),
    "x86-64-windows": ("pick.dll", b"MZ"),
    "aarch64-windows": ("pick.dll", b"MZ"),
}


@needs_zig
@pytest.mark.parametrize("target", LINKED)
def test_libraries_of_other_systems(tmp_path: Path, target: str) -> None:
    name, magic = LINKED[target]
    files = weft.export(tmp_path, target=target, linker="zig", **concretes(Net(), "pick"))
    content = Path(files["shared"]).read_bytes()
    assert Path(files["shared"]).name == name
    assert content.startswith(magic)
    symbols = json.loads(Path(files["manifest"]).read_text())["symbols"]
    assert symbols == ["pick_describe", "pick"]
    assert all(symbol.encode() in content for symbol in symbols)
    assert name.encode() in content
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(Path(f).name for f in files.values())
    assert ("import" in files) == target.endswith("windows")


@needs_zig
@needs_emulator
def test_a_library_of_zig_runs_on_another_processor(tmp_path: Path) -> None:
    weft.export(tmp_path, target="aarch64-linux", linker="zig", **concretes(Net(), "pick"))
    (tmp_path / "main.c").write_text(MAIN)
    zig = [sys.executable, "-m", "ziglang", "cc", "-target", "aarch64-linux-gnu.2.17"]
    command = [*zig, "main.c", "-L.", "-lpick", "-Wl,-rpath,.", "-o", "main"]
    subprocess.run(command, cwd=tmp_path, check=True)
    started = [EMULATOR, "-L", "/usr/aarch64-linux-gnu", "./main"]
    assert subprocess.run(started, cwd=tmp_path, check=False).returncode == 6


MINGW = "x86_64-w64-mingw32-gcc"
ON_WINDOWS = {
    "zig": [sys.executable, "-m", "ziglang", "cc", "-target", "x86_64-windows-gnu"],
    MINGW: [MINGW],
}


@pytest.mark.skipif(WINE is None, reason="there is no wine")
@pytest.mark.parametrize(
    "linker",
    [
        pytest.param("zig", marks=needs_zig),
        pytest.param(
            MINGW, marks=pytest.mark.skipif(shutil.which(MINGW) is None, reason=f"there is no {MINGW}")
        ),
    ],
)
def test_six_programs_on_windows(tmp_path: Path, linker: str) -> None:
    assert WINE is not None
    target = "x86-64-windows" if linker == "zig" else ["x86-64-v2-windows", "x86-64-v3-windows"]
    files = weft.export(tmp_path, library="six", target=target, linker=linker, **concretes(Net()))
    library = files.get("import", files["shared"])
    command = [*ON_WINDOWS[linker], "-O1", "-I.", str(PROGRAM), library, "-o", "main.exe"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    quiet = {**os.environ, "WINEDEBUG": "-all", "WINEPREFIX": str(tmp_path / "prefix")}
    done = subprocess.run(
        [WINE, "./main.exe"], cwd=tmp_path, check=True, capture_output=True, text=True, env=quiet
    )
    compare(done.stdout)


def test_without_zig_it_is_said_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(weft.LinkError, match=r"no zig to link pick\.dll: pip install 'weft\[export\]'"):
        weft.export(tmp_path, target="x86-64-windows", linker="zig", **concretes(Net(), "pick"))
    assert list(tmp_path.iterdir()) == []


def test_shared_libraries_of_other_systems_need_a_linker(tmp_path: Path) -> None:
    programs = concretes(Net(), "pick")
    with pytest.raises(
        ValueError, match=r'"zig" \(pip install .weft\[export\].\) or a command as "aarch64-linux-gnu-gcc"'
    ):
        weft.export(tmp_path, target="aarch64-windows", **programs)
    with pytest.raises(ValueError, match="'wasm32' has no shared libraries"):
        weft.export(tmp_path, target="wasm32", linker="zig", **programs)
    assert list(tmp_path.iterdir()) == []
