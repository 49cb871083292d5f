"""What weft-opt reads: a file or standard input, as one text or split into parts."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from ..dialect.errors import WeftValueError
from ..dialect.records import dataclass
from .options import SPLIT_MARKER

STANDARD_INPUT = "-"
BYTECODE = b"ML\xefR"
"""What MLIR's bytecode begins with."""


@dataclass(frozen=True)
class Source:
    """A text, or bytecode, and the name that diagnostics give it."""

    name: str
    text: str
    bytecode: bytes | None = None

    @property
    def content(self) -> str | bytes:
        """What the parser reads."""
        return self.text if self.bytecode is None else self.bytecode

    def split(self, marker: str = SPLIT_MARKER) -> Iterator[Source]:
        """The parts between lines `// -----`, each padded with empty lines so that line numbers stay true.

        >>> [part.text for part in Source("-", "a\\n// -----\\nb\\n").split()]
        ['a\\n', '\\n\\nb\\n']
        """
        if self.bytecode is not None:
            yield self
            return
        part: list[str] = []
        for number, line in enumerate(self.text.splitlines(keepends=True), start=1):
            if line.strip() == marker:
                yield Source(self.name, "".join(part))
                part = ["\n"] * number
            else:
                part.append(line)
        yield Source(self.name, "".join(part))


def near_misses(source: Source, marker: str) -> Iterator[tuple[int, int]]:
    """The lines and columns of what may have been meant as a marker: one or two characters less, or more dashes."""
    for number, line in enumerate(source.text.splitlines(), start=1):
        told = line.strip()
        if (
            told != marker
            and told.startswith(marker[:-2])
            and len(marker) > 4
            and told.strip(marker[-1] + "/ ") == ""
        ):
            yield number, line.index(told) + 1


def read_source(name: str) -> Source:
    """Read a file, or standard input when the name is `-`: MLIR as text or as bytecode.

    Raises `WeftValueError` when it does not exist or is neither.
    """
    try:
        content = sys.stdin.buffer.read() if name == STANDARD_INPUT else Path(name).read_bytes()
    except OSError as error:
        raise WeftValueError(f"cannot open {name}: {error.strerror}") from error
    if content.startswith(BYTECODE):
        _require_producer(name, content)
        return Source(name, "", content)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise WeftValueError(f"{name} is not text: byte {error.start} is not UTF-8") from error
    if "\0" in text:
        raise WeftValueError(f"{name} is not text: byte {text.encode().index(0)} is zero")
    return Source(name, text.replace("\r\n", "\n"))


def _require_producer(name: str, content: bytes) -> None:
    """Refuse bytecode whose producer has a name that is no text: the bindings abort where a diagnostic quotes it."""
    producer = content[len(BYTECODE) + 1 :].partition(b"\0")[0]
    try:
        producer.decode("utf-8")
    except UnicodeDecodeError as error:
        raise WeftValueError(f"{name} is damaged bytecode: the name of its producer is not UTF-8") from error
