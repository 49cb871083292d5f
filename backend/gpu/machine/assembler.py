"""The assembler of the CUDA toolkit, where there is one: code of one GPU instead of PTX, and what it takes.

Nothing needs it: the driver assembles PTX itself. `ptxas` and `nvdisasm`, which shows what it made, are looked for in
the search path, and in the wheels of NVIDIA.
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


PACKAGES = {"ptxas": "nvidia-cuda-nvcc", "nvdisasm": "nvidia-cuda-nvdisasm"}
"""The tools, by the packages that bring them along."""


@cache
def find_tool(name: str) -> str | None:
    """The path of a tool; None where there is none."""
    found = shutil.which(name)
    if found is not None:
        return found
    spec = importlib.util.find_spec("nvidia") if importlib.util.find_spec("nvidia") else None
    places = [] if spec is None else [Path(place) for place in spec.submodule_search_locations or ()]
    for place in places:
        for path in sorted(place.glob(f"*/bin/{name}")):
            return str(path)
    return None


def find_assembler() -> str | None:
    """The path of ptxas; None where there is none."""
    return find_tool("ptxas")


def missing(name: str) -> str:
    """What to say where a tool is not there."""
    return f"there is no {name} on this machine: pip install {PACKAGES[name]}"


def assemble(ptx: str, arch: str, has_lines: bool = False) -> Assembled:
    """Assemble PTX for an architecture, with the lines that it tells on wish.

    Raises `WeftValueError` without an assembler.
    """
    path = find_assembler()
    if path is None:
        raise WeftValueError(missing("ptxas"))
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "kernels.ptx"), Path(folder, "kernels.cubin")
        source.write_text(ptx)
        command = [path, f"-arch={arch}", "-v", str(source), "-o", str(target)]
        if has_lines:
            command.append("--generate-line-info")
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
    return all(map(find_tool, PACKAGES))


def disassemble(cubin: bytes, has_lines: bool = False) -> str:
    """The instructions of a cubin as text, with the lines that it tells on wish.

    Raises `WeftValueError` without nvdisasm.
    """
    path = find_tool("nvdisasm")
    if path is None:
        raise WeftValueError(missing("nvdisasm"))
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        command = [path, "--print-code", *(["--print-line-info"] if has_lines else []), file.name]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout


def _largest(pattern: str, report: str) -> int:
    return max((int(number) for number in re.findall(pattern, report)), default=0)
