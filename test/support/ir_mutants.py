"""Damaged IR: parts of the files of the tests, changed at random, each through a random pass or pipeline.

`python -m support.ir_mutants --seconds 600` prints the seed of the first mutant of each kind that ends otherwise than
with IR or a diagnostic; `--only SEED` shows and runs one. Bytecode is damaged, too.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from support.ir_corpus import complaint, corpus, flags
from weft.dialect.errors import WeftError
from weft.dialect.mlir import ir
from weft.dialect.register import context
from weft.tools.emission import bytecode_of
from weft.tools.guard import CrashNote
from weft.tools.inputs import Source

BATCH = 200
"""How many mutants one process runs."""

SECONDS = 10
"""How much time of a processor one may take."""

_TYPES = (
    "f32",
    "f64",
    "i1",
    "i8",
    "i64",
    "ui8",
    "index",
    "tensor<4xf32>",
    "tensor<?xf32>",
    "tensor<0xi64>",
    "!llvm.ptr",
)
_NAME = re.compile(r"%[\w#.]+")
_TYPE = re.compile(r"\b(?:f32|f64|i1|i8|i32|i64|index)\b|tensor<[^<>]*>|memref<[^<>]*>")
_NUMBER = re.compile(r"(?<![\w%#@])-?\d+\b")
_OP = re.compile(r'"?\b(?:weft|arith|scf|linalg|tensor|memref|func)\.\w+"?')


@cache
def parts() -> list[str]:
    """The parts of all files."""
    return [
        part.text.strip() + "\n" for path in corpus() for part in Source(path.name, path.read_text()).split()
    ]


def is_bytecode(seed: int) -> bool:
    """Whether a mutant is one of bytecode."""
    return random.Random(seed).random() < 0.15


def mutant(seed: int) -> tuple[str | bytes, str]:
    """Damaged IR, and the flag it is run with."""
    generator = random.Random(seed)
    is_of_bytecode = generator.random() < 0.15
    text, flag = generator.choice(parts()), generator.choice(flags())
    if is_of_bytecode:
        return _damaged_bytecode(generator, text), flag
    for _ in range(generator.choice([1, 1, 1, 2, 3])):
        text = changed(generator, text)
    return text, flag


def _damaged_bytecode(generator: random.Random, text: str) -> str | bytes:
    try:
        with context(), ir.Location.unknown():
            content = bytearray(bytecode_of(ir.Module.parse(text)))
    except (WeftError, ir.MLIRError):
        return text
    for _ in range(generator.randint(1, 4)):
        content[generator.randrange(4, len(content))] = generator.randrange(256)
    return bytes(content[: generator.randint(4, len(content))] if generator.random() < 0.2 else content)


def changed(generator: random.Random, text: str) -> str:
    """One change of a line, or of a word."""
    lines = text.splitlines(keepends=True)
    kind = generator.randrange(8)
    if kind < 3 and len(lines) > 1:
        place = generator.randrange(len(lines))
        other = generator.randrange(len(lines))
        if kind == 0:
            del lines[place]
        elif kind == 1:
            lines.insert(other, lines[place])
        else:
            lines[place], lines[other] = lines[other], lines[place]
        return "".join(lines)
    pattern = (_NAME, _TYPE, _TYPE, _NUMBER, _OP)[kind - 3]
    found = list(pattern.finditer(text))
    if not found:
        return text
    chosen = generator.choice(found)
    if kind == 6:
        new = str(generator.choice([0, 1, -1, 2, 7, 2**31, 2**63 - 1, -(2**63)]))
    else:
        new = generator.choice([match[0] for match in found] + (list(_TYPES) if pattern is _TYPE else []))
    return text[: chosen.start()] + new + text[chosen.end() :]


def run_batch(seeds: Iterable[int], folder: Path) -> Iterator[tuple[int, str]]:
    """The mutants that go wrong, with what went wrong; a process that dies leaves the rest to the next.

    Bytecode comes last: MLIR's reader trusts it, and may leave damaged memory behind.
    """
    pending = sorted(seeds, key=is_bytecode)
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
        if not os.WIFSIGNALED(status):
            return
        seed = int(note.read())
        name = signal.Signals(os.WTERMSIG(status)).name
        place = pending.index(seed)
        if not is_bytecode(seed):
            yield seed, f"{name}{' (too slow)' if name == 'SIGPROF' else ''}"
        elif not step.read().startswith("while parsing"):  # where the reader dies, weft-opt says so and ends
            if place == 0:
                yield seed, name
            else:
                yield from run_batch([seed], folder)
        pending = pending[place + 1 :]


def _run(seeds: Iterable[int], note: CrashNote, step: CrashNote, folder: Path, writing: int) -> None:
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 2)  # what LLVM prints before it gives up
    with os.fdopen(writing, "w") as lines:
        for seed in seeds:
            note.write(str(seed))
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
            wrong = outcome(seed, folder, step)
            if wrong is not None:
                lines.write(f"{seed} {wrong}\n")
                lines.flush()
    os._exit(0)


def outcome(seed: int, folder: Path, step: CrashNote) -> str | None:
    """What goes wrong with one mutant."""
    content, flag = mutant(seed)
    path = folder / f"mutant{os.getpid()}.mlir"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    wrong = complaint([str(path), "--allow-unregistered-dialect", "--target=x86-64-v3", flag], step)
    return None if wrong is None else f"{flag}: {wrong.partition('.mlir: ')[2] or wrong}"


def kind_of(wrong: str) -> str:
    """What mutants that go wrong alike have in common."""
    return re.sub(r"0x\w+|\d+", "#", wrong)[:160]


def main() -> int:
    """Run mutants until the time is up; the exit status is 1 where one went wrong."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--first", type=int, default=0, help="the first seed (0)")
    parser.add_argument("--only", type=int, help="show and run one mutant")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if options.only is not None:
            content, flag = mutant(options.only)
            print(content if isinstance(content, str) else content.hex(), flag, sep="\n")
            found = list(run_batch(range(options.only, options.only + 1), folder))
            print(*found, sep="\n")
            return bool(found)
        return _run_until(time.monotonic() + options.seconds, options.first, folder)


def _run_until(end: float, first: int, folder: Path) -> int:
    kinds: Counter[str] = Counter()
    count = 0
    while time.monotonic() < end:
        for seed, wrong in run_batch(range(first + count, first + count + BATCH), folder):
            kinds[kind_of(wrong)] += 1
            if kinds[kind_of(wrong)] == 1:
                print(f"mutant {seed}: {wrong}", flush=True)
        count += BATCH
    print(f"{count} mutants, {kinds.total()} wrong, {len(kinds)} kinds")
    for kind, times in kinds.most_common():
        print(f"{times:6} {kind}")
    return bool(kinds)


if __name__ == "__main__":
    sys.exit(main())
