"""Object files become archives, which needs nothing, and shared libraries, which needs a compiler for its system."""

from __future__ import annotations

import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from ....dialect.errors import LinkError
from ....passes.timing import phase
from .systems import System, system_of

_MAGIC = b"!<arch>\n"


def archive(name: str, content: bytes, symbols: list[str]) -> bytes:
    """A static library of one object file, with the index of its symbols."""
    member = f"{name}/"
    names: list[bytes] = []
    if len(member) > 16:
        names = [f"{member}\n".encode()]
        member = "/0"
    index = b"".join(f"{symbol}\0".encode() for symbol in symbols)
    size_of_index = 4 + 4 * len(symbols) + len(index)
    place = len(_MAGIC) + sum(60 + size + size % 2 for size in (size_of_index, *map(len, names)))
    table = len(symbols).to_bytes(4, "big") + place.to_bytes(4, "big") * len(symbols) + index
    parts = [_member("/", table), *(_member("//", text) for text in names), _member(member, content)]
    return _MAGIC + b"".join(parts)


def _member(name: str, content: bytes) -> bytes:
    """A member as `ar` writes it, without times and owners: the same object gives the same archive."""
    head = f"{name:16}{0:<12}{0:<6}{0:<6}{'100644':8}{len(content):<10}`\n"
    return head.encode() + content + b"\n" * (len(content) % 2)


def link_shared(
    content: bytes,
    folder: Path,
    name: str,
    symbols: Sequence[str],
    triple: str,
    *,
    has_threads: bool = False,
    libraries: Sequence[str] = (),
    linker: str | None = None,
) -> None:
    """Link an object file to a shared library of a name in an empty folder, in which the linker may leave more.

    Raises `LinkError` where there is no linker, or it fails.
    """
    system = system_of(triple)
    command = _command(name, system, linker)
    object_file = folder / f"{Path(name).stem}.o"  # zig names what it writes besides after it
    object_file.write_bytes(content)
    files = [str(object_file)]
    if exports := system.exports(name, symbols):
        told = object_file.with_suffix(".def")
        told.write_text(exports, encoding="utf-8")
        files.append(str(told))
    others = [*system.libraries(has_threads), *(f"-l{library}" for library in libraries)]
    options = [*system.flags(name), "-o", str(folder / name), *files, *others]
    try:
        with phase("link-shared"):
            done = subprocess.run([*command, *options], capture_output=True, text=True, check=False)
    except OSError as error:
        raise LinkError(f"{command[0]} does not run: {error}") from error
    if done.returncode:
        what = "zig" if linker == ZIG else command[0]
        raise LinkError(f"{what} cannot link {name}:\n{(done.stderr or done.stdout).strip()}")


ZIG = "zig"
"""The linker that the package `ziglang` brings, which links for all systems."""


def _command(name: str, system: System, linker: str | None) -> list[str]:
    """The linker for a system, as a command."""
    if linker == ZIG:
        return [*_zig(name), "cc", "-target", system.for_zig()]
    command = shlex.split(linker or os.environ.get("CC", "") or "cc")
    if shutil.which(command[0]) is None:
        raise LinkError(
            f"there is no {command[0]} to link {name}: install a C compiler, name one by linker= or CC, or "
            'export kind="object" or "static", which need none'
        )
    return command


def _zig(name: str) -> list[str]:
    """The command of zig: that of the package, or another one of this machine."""
    if importlib.util.find_spec("ziglang") is not None:
        return [sys.executable, "-m", "ziglang"]
    if shutil.which(ZIG) is None:
        raise LinkError(
            f"there is no zig to link {name}: pip install 'weft[export]' (or ziglang), which brings it"
        )
    return [ZIG]
