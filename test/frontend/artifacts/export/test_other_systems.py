"""Objects for other processors and systems: their formats, what they call, and what is refused."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import weft
from support.exported_programs import Net, concretes
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


@pytest.mark.parametrize("target", FORMATS)
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


@pytest.mark.skipif(
    shutil.which("aarch64-linux-gnu-gcc") is None or shutil.which("qemu-aarch64") is None,
    reason="there is no compiler and no emulator for aarch64",
)
def test_a_program_runs_on_another_processor(tmp_path: Path) -> None:
    weft.export(tmp_path, kind="object", target="aarch64-linux", **concretes(Net(), "pick"))
    (tmp_path / "main.c").write_text(
        '#include "pick.h"\nint main(void) { double x = 3, y = 0; return pick(&x, 1, 0, &y, 0) + (int)y; }'
    )
    command = ["aarch64-linux-gnu-gcc", "-static", "main.c", "pick.o", "-o", "main"]
    subprocess.run(command, cwd=tmp_path, check=True)
    assert subprocess.run(["qemu-aarch64", "./main"], cwd=tmp_path, check=False).returncode == 6
