"""Object files become archives, which needs nothing, and shared libraries, which needs the system's compiler."""

from __future__ import annotations

import os
import platform
import shlex
import shutil
import subprocess
from pathlib import Path

from ....dialect.errors import LinkError
from ....passes.timing import phase

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
    content: bytes, target: Path, name: str, *, has_threads: bool = False, linker: str | None = None
) -> None:
    """Link an object file to a shared library. Raises `LinkError` where there is no linker, or it fails."""
    command = shlex.split(linker or os.environ.get("CC", "") or "cc")
    if shutil.which(command[0]) is None:
        raise LinkError(
            f"there is no {command[0]} to link {name}: install a C compiler, name one by linker= or CC, or "
            'export kind="object" or "static", which need none'
        )
    libraries = _libraries(has_threads)
    draft = target.with_name(f"{target.name}.{os.getpid()}.o")
    draft.write_bytes(content)
    try:
        with phase("link-shared"):
            done = subprocess.run(
                [*command, *_flags(name), "-o", str(target), str(draft), *libraries],
                capture_output=True,
                text=True,
                check=False,
            )
    except OSError as error:
        raise LinkError(f"{command[0]} does not run: {error}") from error
    finally:
        draft.unlink(missing_ok=True)
    if done.returncode:
        raise LinkError(f"{command[0]} cannot link {name}:\n{done.stderr.strip()}")


def _flags(name: str) -> list[str]:
    """What the linker of this system is told."""
    system = platform.system()
    if system == "Darwin":
        return ["-dynamiclib", f"-Wl,-install_name,@rpath/{name}"]
    if system == "Windows":
        return ["-shared"]
    return ["-shared", "-Wl,-z,defs", f"-Wl,-soname,{name}"]


def _libraries(has_threads: bool) -> list[str]:
    """What a library may need, if it does."""
    if platform.system() != "Linux":
        return []
    return [*(["-pthread"] if has_threads else []), "-Wl,--as-needed", "-lm"]


__all__ = ["archive", "link_shared"]
