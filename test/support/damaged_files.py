"""Damaged files of functions: golden files with bytes, names, types and numbers changed at random, loaded and called.

`python -m support.damaged_files --seconds 600` prints the seed of the first file of each kind that ends otherwise than
with an `ArtifactError`, another error of weft, or a program that runs: with a crash, a hang, or a bare exception.
`--only SEED` shows and runs one. The arrays of calls lie between pages that nobody may touch.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import io
import json
import mmap
import os
import random
import re
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

import weft
from support.golden_files import FOLDER, from_json
from support.ir_mutants import changed, kind_of
from support.quick_code import quick_code
from weft.frontend.artifacts.archive import write_archive
from weft.frontend.compiling import diagnostics
from weft.tools.guard import CrashNote

BATCH = 400
"""How many files one process reads."""
SECONDS = 20
"""How much time of a processor one may take."""
MEMORY = 8 << 30
RUNNING = "running"
"""Where a program is when it may run for ever, as a loop may have no end now."""

_ROOT = str(Path(weft.__file__).parent)
_NUMBERS = (0, 1, -1, 2, 7, 64, 2**31, 2**63 - 1, -(2**63), True, None, "x", [], {}, 1e300)


@cache
def files() -> Sequence[Path]:
    """The golden files."""
    return sorted(FOLDER.glob("v*/*.weft"))


@cache
def members(path: Path) -> Mapping[str, bytes]:
    """What is in a golden file."""
    return _members(path)


def _members(path: Path) -> Mapping[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


_CODED = ("tanh", "for", "state")
"""Golden files that get machine code, before it is damaged, too."""


@cache
def coded() -> Mapping[Path, Mapping[str, bytes]]:
    """What is in some files that were saved again, with machine code."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for path in files():
            if path.stem in _CODED:
                made = Path(folder) / path.name
                weft.save(made, **weft.load(path).functions, code="native")
                found[path] = _members(made)
    return found


def damaged(seed: int) -> tuple[Path, bytes]:
    """The golden file that a seed damages, and what becomes of it."""
    chance = random.Random(seed)
    has_code = chance.random() < 0.1
    path = chance.choice(sorted(coded()) if has_code else files())
    if chance.random() < 0.1:
        return path, _damaged_bytes(chance, bytearray(path.read_bytes()))
    content = dict((coded() if has_code else {path: members(path)})[path])
    manifest = json.loads(content.pop("manifest.json"))
    del manifest["sha256"]
    if has_code and chance.random() < 0.8:
        _change_code(chance, manifest, content)
    elif chance.random() < 0.4:
        _forget_sizes(manifest, content)
    if chance.random() < 0.25:
        for _ in range(chance.choice([1, 1, 2])):
            _change_json(chance, manifest["functions"])
    else:
        name = chance.choice([name for name in content if name.endswith(".mlir")])
        text = content[name].decode()
        for _ in range(chance.choice([1, 1, 1, 2, 3])):
            text = changed(chance, text)
        content[name] = text.encode()
    with tempfile.TemporaryDirectory() as folder:
        made = os.path.join(folder, "a.weft")
        write_archive(made, manifest, content)
        return path, Path(made).read_bytes()


def _forget_sizes(manifest: dict[str, Any], content: dict[str, bytes]) -> None:
    """Let a file be one for arrays of any size, as far as it has no arrays of known size that are constants."""
    for name, text in content.items():
        if name.endswith(".mlir"):
            lines = text.decode().split("\n")
            content[name] = "\n".join(
                line if "dense<" in line else _TENSOR.sub(_unknown, line) for line in lines
            ).encode()
    for entries in manifest["functions"].values():
        for entry in entries:
            for argument in entry["arguments"]:
                argument["type"] = _SHAPE.sub(_unknown, argument["type"])
            entry["outputs"] = [_SHAPE.sub(_unknown, output) for output in entry["outputs"]]


_TENSOR = re.compile(r"tensor<[\dx]+x")
_SHAPE = re.compile(r"\[[\d,]+\]")


def _unknown(found: re.Match[str]) -> str:
    return re.sub(r"\d+", "?", found[0])


def _damaged_bytes(chance: random.Random, content: bytearray) -> bytes:
    for _ in range(chance.randint(1, 4)):
        content[chance.randrange(len(content))] = chance.randrange(256)
    return bytes(content[: chance.randrange(len(content))] if chance.random() < 0.2 else content)


def _change_code(chance: random.Random, manifest: dict[str, Any], content: dict[str, bytes]) -> None:
    """Change what is told of machine code, how it is called, or the code."""
    kind = chance.randrange(3)
    if kind == 0:
        _change_json(chance, manifest if chance.random() < 0.1 else manifest["code"])
        return
    ending = ".json" if kind == 1 else ".o"
    name = chance.choice(sorted(name for name in content if name.endswith(ending)))
    if kind == 1:
        described = json.loads(content[name])
        _change_json(chance, described)
        content[name] = json.dumps(described).encode()
    else:
        content[name] = _damaged_bytes(chance, bytearray(content[name]))
    if chance.random() < 0.1:
        del content[name]


def _change_json(chance: random.Random, manifest: Any) -> None:
    """Change one entry: to one of another place, or to an odd one."""
    places = list(_places(manifest))
    if not places:
        return
    holder, key = chance.choice(places)
    kind = chance.randrange(4)
    if kind == 0:
        other, place = chance.choice(places)
        holder[key] = json.loads(json.dumps(other[place]))
    elif kind == 1 and isinstance(holder, list):
        holder.append(json.loads(json.dumps(holder[key])))
    elif kind == 2:
        del holder[key]
    else:
        holder[key] = chance.choice(_NUMBERS)


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    for key in (
        value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    ):
        yield value, key
        yield from _places(value[key])


# Arrays between pages

_libc = ctypes.CDLL(None)
_maps: list[mmap.mmap] = []


def guarded(array: Any, at_end: bool) -> Any:
    """An array like another one, between pages that nobody may touch: at the end of its own, or at their start."""
    if not isinstance(array, np.ndarray):
        return array
    size = mmap.PAGESIZE
    inner = -(-max(array.nbytes, 1) // size) * size
    pages = mmap.mmap(-1, inner + 2 * size)
    _maps.append(pages)
    start = ctypes.addressof(ctypes.c_char.from_buffer(pages))
    for outside in (start, start + size + inner):
        assert _libc.mprotect(ctypes.c_void_p(outside), ctypes.c_size_t(size), 0) == 0
    offset = size + (inner - array.nbytes if at_end else 0)
    made = np.frombuffer(pages, array.dtype, array.size, offset).reshape(array.shape)
    made[...] = array
    return made


def nested(value: Any, change: Callable[[Any], Any]) -> Any:
    """Arguments with a change of all arrays in them."""
    if isinstance(value, dict):
        return {key: nested(item, change) for key, item in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(nested(item, change) for item in value))
    if isinstance(value, (tuple, list)):
        return type(value)(nested(item, change) for item in value)
    return change(value)


def resized(chance: random.Random, array: Any) -> Any:
    """An array that may be of another size than the file has it."""
    if not isinstance(array, np.ndarray) or not array.ndim or chance.random() < 0.7:
        return array
    shape = list(array.shape)
    shape[chance.randrange(len(shape))] = chance.choice([0, 1, 2, 5, 1000])
    return np.resize(array, shape)


# One file


def outcome(seed: int, folder: Path, step: CrashNote) -> str | None:
    """What goes wrong with one file; None where nothing does."""
    origin, content = damaged(seed)
    path = folder / f"damaged{os.getpid()}.weft"
    path.write_bytes(content)
    at_end, chance = bool(seed % 2), random.Random(seed)
    step.write("loading")
    try:
        if b"code/native/" in content:  # it is read as if it were trusted, but not run
            with contextlib.suppress(weft.ArtifactError):
                weft.load(path, max_bytes=1 << 24, trust_code=True)
        loaded = weft.load(path, max_bytes=1 << 24)
        loaded.state.update({key: guarded(array, at_end) for key, array in loaded.state.items()})
        calls = json.loads(origin.with_suffix(".json").read_text())["calls"]
        for call in calls[:2]:
            function = loaded.functions.get(call["name"]) or next(iter(loaded.functions.values()))
            given = nested(from_json(call["args"]), partial(resized, chance))
            args = nested(given, partial(guarded, at_end=at_end))
            step.write("compiling")
            concrete = function.get_concrete_function(*args)
            step.write(RUNNING)
            concrete(*args)
    except weft.WeftError as error:
        return f"a mistake of weft: {error}" if "mistake of weft" in str(error) else None
    except MemoryError:
        return None
    except BaseException as error:
        return bare(error)
    return None


def bare(error: BaseException) -> str | None:
    """What is wrong with an exception that comes from weft's own code, and not from the program in the file."""
    frames = traceback.extract_tb(error.__traceback__)
    inside = [f for f in frames if f.filename.startswith(_ROOT) and "/test/" not in f.filename]
    if not inside or frames[-1] is not inside[-1] or frames[-1].name in _PROGRAMS:
        return None
    last = frames[-1]
    place = f"{last.filename.removeprefix(_ROOT)}:{last.lineno} in {last.name}"
    return f"{type(error).__name__}: {str(error)[:100]} at {place}"


_PROGRAMS = ("run", "__call__", "_viewed")
"""What raises the exceptions of programs; the last one those of views that they return by computed indices."""


def run_batch(seeds: Sequence[int], folder: Path) -> Iterator[tuple[int, str]]:
    """The files that go wrong, with what went wrong; a process that dies leaves the rest to the next."""
    pending = list(seeds)
    coded()  # here, not in each process
    while pending:
        note, step, (reading, writing) = CrashNote(), CrashNote(), os.pipe()
        child = os.fork()
        if child == 0:
            _run(pending, note, step, folder, writing)
        os.close(writing)
        with os.fdopen(reading) as lines:
            for line in lines:
                seed, _, wrong = line.rstrip().partition(" ")
                yield int(seed), wrong
        _, status = os.waitpid(child, 0)
        if status == 0:
            return
        seed, where = int(note.read()), step.read()
        ended = f"an exit with status {os.waitstatus_to_exitcode(status)}"
        name = signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else ended
        if name != "SIGPROF" or where != RUNNING:
            yield seed, f"{name}{' (too slow)' if name == 'SIGPROF' else ''} while {where}"
        pending = pending[pending.index(seed) + 1 :]


def _run(seeds: Sequence[int], note: CrashNote, step: CrashNote, folder: Path, writing: int) -> None:
    try:
        _run_all(seeds, note, step, folder, writing)
        os._exit(0)
    finally:
        os._exit(1)


def _run_all(seeds: Sequence[int], note: CrashNote, step: CrashNote, folder: Path, writing: int) -> None:
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 2)  # what LLVM prints before it gives up
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    with os.fdopen(writing, "w") as lines, quick_code(), whole_tracebacks():
        for seed in seeds:
            note.write(str(seed))
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
            wrong = outcome(seed, folder, step)
            if wrong is not None:
                told = wrong.replace("\n", " ")
                lines.write(f"{seed} {told}\n")
                lines.flush()


def whole_tracebacks() -> Any:
    """Let exceptions show weft's own frames."""
    return patch.object(diagnostics, "user_traceback", lambda traceback: traceback)


def main() -> int:
    """Damage files until the time is up; the exit status is 1 where one went wrong."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--count", type=int, default=0, help="at most so many files (no limit)")
    parser.add_argument("--first", type=int, default=0, help="the first seed (0)")
    parser.add_argument("--only", type=int, help="show and run one file")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        if options.only is not None:
            return _show(options.only, Path(name))
        return _run_until(time.monotonic() + options.seconds, options.first, options.count, Path(name))


def _show(seed: int, folder: Path) -> int:
    origin, content = damaged(seed)
    print(origin.name)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for name in archive.namelist():
                if not name.endswith("safetensors"):
                    print(name, archive.read(name).decode(errors="replace"), sep="\n")
    except (zipfile.BadZipFile, ValueError) as error:
        print(error)
    found = list(run_batch([seed], folder))
    print(*found, sep="\n")
    return bool(found)


def _run_until(end: float, first: int, most: int, folder: Path) -> int:
    kinds: Counter[str] = Counter()
    count = 0
    while time.monotonic() < end and not (most and count >= most):
        batch = range(first + count, first + count + (min(BATCH, most - count) if most else BATCH))
        for seed, wrong in run_batch(batch, folder):
            kinds[_kind_of(wrong)] += 1
            if kinds[_kind_of(wrong)] == 1:
                print(f"file {seed}: {wrong}", flush=True)
        count += len(batch)
    print(f"{count} files, {kinds.total()} wrong, {len(kinds)} kinds")
    for kind, times in kinds.most_common():
        print(f"{times:6} {kind}")
    return bool(kinds)


def _kind_of(wrong: str) -> str:
    """What files that go wrong alike have in common: the place, where there is one."""
    place = re.search(r" at (/\S+ in \S+)$", wrong)
    return place[1] if place else kind_of(wrong)


if __name__ == "__main__":
    sys.exit(main())
