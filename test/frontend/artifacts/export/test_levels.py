"""Libraries with code for several levels of x86-64: what is chosen where, and that it computes the same."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from support.exported_programs import Net, concretes
from support.printed_programs import compare
from weft.backend.target import host, named, why_not_here

pytestmark = pytest.mark.optimised
HERE = Path(__file__).parent
LEVELS = ["x86-64-v2", "x86-64-v3", "x86-64-v4"]
CC = shutil.which(os.environ.get("CC", "cc"))
EMULATOR = shutil.which("qemu-x86_64")
needs_x86 = pytest.mark.skipif(
    CC is None or not host().triple.startswith("x86_64"),
    reason="there is no C compiler, or this machine is no x86-64",
)
needs_emulator = pytest.mark.skipif(EMULATOR is None, reason="there is no qemu-x86_64")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The six programs for three levels as one object, and a program of C that tells the level and runs them."""
    folder = tmp_path_factory.mktemp("levels")
    files = weft.export(folder, library="six", kind="object", target=LEVELS[::-1], **concretes(Net()))
    assert json.loads(Path(files["manifest"]).read_text())["target"]["levels"] == LEVELS
    (folder / "level.c").write_text(
        '#include <stdio.h>\n#include "six.h"\nint main(void) { puts(six_level()); return 0; }'
    )
    for name, source in (("level", folder / "level.c"), ("main", HERE / "six_programs.c")):
        if CC is not None:
            command = [CC, "-O1", "-static", "-I.", str(source), "six.o", "-lm", "-o", name]
            subprocess.run(command, cwd=folder, check=True)
    return folder


def printed(folder: Path, program: str, level: str | None = None, emulated: str | None = None) -> str:
    """What a program prints in a process that keeps to a level, or on a processor that is emulated."""
    environment = {k: v for k, v in os.environ.items() if k != "WEFT_LEVEL"}
    if level is not None:
        environment["WEFT_LEVEL"] = level
    command = [str(folder / program)] if emulated is None else [str(EMULATOR), "-cpu", emulated, program]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)
    return done.stdout


def most(level: str) -> str:
    """The highest level that this machine has, of those up to one."""
    allowed = LEVELS[: LEVELS.index(level) + 1]
    return [name for name in allowed if not why_not_here(named(name))][-1]


@pytest.mark.soak
@pytest.mark.slow
@needs_x86
@pytest.mark.parametrize("level", LEVELS)
def test_each_level_computes_what_numpy_does(folder: Path, level: str) -> None:
    assert printed(folder, "level", level) == f"{most(level)}\n"
    compare(printed(folder, "main", level))


@pytest.mark.soak
@needs_x86
def test_the_highest_level_of_the_processor_is_chosen(folder: Path) -> None:
    highest = f"{most(LEVELS[-1])}\n"
    assert printed(folder, "level") == highest
    for unknown in ("", "x86-64", "x86-64-v22", "native"):
        assert printed(folder, "level", unknown) == highest


@pytest.mark.soak
@needs_x86
@needs_emulator
@pytest.mark.parametrize(("processor", "level"), [("qemu64", 0), ("Nehalem", 0), ("Haswell", 1)])
def test_processors_run_the_code_of_their_level(folder: Path, processor: str, level: int) -> None:
    assert printed(folder, "level", emulated=processor) == f"{LEVELS[level]}\n"
    assert printed(folder, "level", LEVELS[2], emulated=processor) == f"{LEVELS[level]}\n"
    if processor != "qemu64":  # which has not what the lowest level needs
        compare(printed(folder, "main", emulated=processor))


@pytest.mark.soak
@needs_x86
def test_threads_that_call_at_once_find_the_same(folder: Path) -> None:
    assert CC is not None
    command = [CC, "-O1", "-pthread", "-I.", str(HERE / "threads.c"), "six.o", "-lm", "-o", "threads"]
    subprocess.run(command, cwd=folder, check=True)
    assert printed(folder, "threads") == "0\n"


@pytest.mark.soak
@pytest.mark.skipif(shutil.which("objdump") is None, reason="there is no objdump")
@needs_x86
def test_wide_registers_are_in_the_code_of_their_level_alone(folder: Path) -> None:
    listed = subprocess.run(
        ["objdump", "-d", "six.o"], cwd=folder, capture_output=True, text=True, check=True
    ).stdout
    registers: dict[str, set[str]] = {}
    for function in listed.split("\n\n"):
        if found := re.search(r"<(x86-64-v\d)\.\w+>:", function):
            registers.setdefault(found[1], set()).update(re.findall(r"%([xyz]mm)\d", function))
    assert sorted(registers) == LEVELS
    assert registers["x86-64-v2"] <= {"xmm"}
    assert registers["x86-64-v3"] <= {"xmm", "ymm"}
    undefined = subprocess.run(["nm", "-u", "six.o"], cwd=folder, capture_output=True, text=True, check=True)
    called = {line.split()[-1] for line in undefined.stdout.splitlines()} - {"_GLOBAL_OFFSET_TABLE_"}
    assert called <= {"malloc", "free", "memcpy", "memset", "memmove", "getenv"}


@needs_x86
@pytest.mark.skipif(sys.version_info < (3, 11), reason="modules are built for one version of Python")
def test_an_extension_module_has_all_levels(tmp_path: Path) -> None:
    (tmp_path / "kernels.py").write_text("import numpy as np\ndef grown(x): return np.exp(x) * 2 + x[::-1]\n")
    (tmp_path / "setup.py").write_text(
        "import weft\nfrom setuptools import setup\n"
        "module = weft.build.extension('fast', {'grown': ('kernels:grown', ['f64[?]'])}, "
        f"target={LEVELS})\n"
        "setup(name='fast', py_modules=[], ext_modules=[module], cmdclass={'build_ext': weft.build.build_ext})\n"
    )
    command = [sys.executable, "setup.py", "-q", "build_ext", "--inplace"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    (module,) = tmp_path.glob("fast*.so")
    assert b"x86-64-v4\0" in module.read_bytes()
    program = "import numpy as np, fast; print(fast.grown(np.arange(5.0)).tolist())"
    x = np.arange(5.0)
    for level in LEVELS:
        done = subprocess.run(
            [sys.executable, "-c", program],
            cwd=tmp_path,
            env={**os.environ, "WEFT_LEVEL": level},
            capture_output=True,
            text=True,
            check=True,
        )
        np.testing.assert_allclose(json.loads(done.stdout), np.exp(x) * 2 + x[::-1], rtol=1e-15)


@pytest.mark.parametrize("system", ["windows", "macos"])
def test_libraries_for_other_systems_have_levels(tmp_path: Path, system: str) -> None:
    target = ",".join(f"{level}-{system}" for level in LEVELS[:2])
    files = weft.export(tmp_path, kind="object", target=target, **concretes(Net(), "pick"))
    described = json.loads(Path(files["manifest"]).read_text())
    assert described["target"]["levels"] == LEVELS[:2]
    assert "pick_level" in described["symbols"]
    assert "const char *pick_level(void);" in Path(files["header"]).read_text()
    assert b"x86-64-v3\0" in Path(files["object"]).read_bytes()


@pytest.mark.parametrize(
    ("targets", "message"),
    [
        (["x86-64-v2", "aarch64"], "'aarch64' is no level that a library can choose"),
        (["x86-64-v2", "haswell"], "'haswell' is no level that a library can choose"),
        (["x86-64-v2", "native"], "'native' is no level that a library can choose"),
        (["x86-64-v2", "x86-64-v3-windows"], "are levels of different systems"),
        (["x86-64-v2+avx", "x86-64-v2+fma"], "'x86-64-v2.fma' has not all that 'x86-64-v2.avx' has"),
        (["x86-64-v3", "x86-64-v3"], "several levels are two or more, and not x86-64-v3"),
        (["x86-64-v3", "vax"], "there is no target 'vax'"),
    ],
)
def test_targets_that_are_no_levels(tmp_path: Path, targets: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        weft.export(tmp_path / "out", kind="object", target=targets, **concretes(Net(), "pick"))
    assert not (tmp_path / "out").exists()
