"""The assembler of the CUDA toolkit, where there is one: code of one GPU instead of PTX, and what it takes.

Nothing needs it: the driver assembles PTX itself. It is looked for as `ptxas` in the search path, and in the wheel
`nvidia-cuda-nvcc`.
"""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

from ....dialect.errors import InternalError, WeftValueError
from ....dialect.records import dataclass


@dataclass(frozen=True)
class Resources:
    """What a kernel takes, as the assembler says."""

    registers: int
    """Of a thread."""
    spilled: int
    """Bytes of registers that are stored to memory, and loaded again."""
    stack: int
    """Bytes of memory of a thread."""
    shared: int
    """Bytes of memory of a block, but for what a launch asks for."""


@dataclass(frozen=True)
class Assembled:
    """The code of the kernels of a module, and what each of them takes."""

    cubin: bytes
    kernels: dict[str, Resources]


@cache
def find_assembler() -> str | None:
    """The path of ptxas; None where there is none."""
    found = shutil.which("ptxas")
    if found is not None:
        return found
    spec = importlib.util.find_spec("nvidia") if importlib.util.find_spec("nvidia") else None
    places = [] if spec is None else [Path(place) for place in spec.submodule_search_locations or ()]
    for place in places:
        for path in sorted(place.glob("*/bin/ptxas")):
            return str(path)
    return None


def assemble(ptx: str, arch: str) -> Assembled:
    """Assemble PTX for an architecture; raises `WeftValueError` without an assembler."""
    path = find_assembler()
    if path is None:
        raise WeftValueError("there is no ptxas on this machine: install nvidia-cuda-nvcc")
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "kernels.ptx"), Path(folder, "kernels.cubin")
        source.write_text(ptx)
        command = [path, f"-arch={arch}", "-v", str(source), "-o", str(target)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        report = done.stdout + done.stderr
        if done.returncode:
            raise InternalError(f"ptxas refuses the code of a device kernel: {report}")
        return Assembled(target.read_bytes(), _resources(report))


def _resources(report: str) -> dict[str, Resources]:
    """What the assembler says of each kernel."""
    _, *names_and_texts = re.split(r"Compiling entry function '(\w+)'", report)
    return {
        name: Resources(
            _largest(r"Used (\d+) registers", text),
            sum(int(count) for count in re.findall(r"(\d+) bytes spill", text)),
            _largest(r"(\d+) bytes stack", text),
            _largest(r"(\d+) bytes smem", text),
        )
        for name, text in zip(names_and_texts[::2], names_and_texts[1::2], strict=True)
    }


def can_disassemble() -> bool:
    """Whether there is what makes instructions of PTX and shows them."""
    return find_assembler() is not None and shutil.which("nvdisasm") is not None


def disassemble(cubin: bytes) -> str:
    """The instructions of a cubin as text; raises `WeftValueError` without nvdisasm."""
    path = shutil.which("nvdisasm")
    if path is None:
        raise WeftValueError("there is no nvdisasm on this machine: install nvidia-cuda-nvdisasm")
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        done = subprocess.run([path, "-c", file.name], capture_output=True, text=True, check=True)
    return done.stdout


def _largest(pattern: str, report: str) -> int:
    return max((int(number) for number in re.findall(pattern, report)), default=0)
