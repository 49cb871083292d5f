"""Writes the body of a function in LLVM assembly."""

from __future__ import annotations

from ....dialect.records import NamedTuple


class Array(NamedTuple):
    """An array in memory: its address and extents, as LLVM's values."""

    pointer: str
    extents: list[str]


class Writer:
    """Instructions one behind the other; the names of their values begin with a dot, which none in C does."""

    def __init__(self) -> None:
        self._head = ""
        self._body = ""
        self._count = 0

    @property
    def text(self) -> str:
        """The body: memory of the function first, which makes it a part of its frame."""
        return self._head + self._body

    def memory(self, type: str, alignment: int = 16) -> str:
        """The address of memory of a type, which is there until the function returns."""
        self._count += 1
        self._head += f"  %.{self._count} = alloca {type}, align {alignment}\n"
        return f"%.{self._count}"

    def do(self, instruction: str) -> None:
        """An instruction without a value."""
        self._body += f"  {instruction}\n"

    def value(self, instruction: str) -> str:
        """An instruction; the name of its value."""
        self._count += 1
        self.do(f"%.{self._count} = {instruction}")
        return f"%.{self._count}"

    def lines(self, text: str) -> None:
        """Lines as they are."""
        self._body += text

    def label(self, words: str) -> str:
        """A new name for a block."""
        self._count += 1
        return f".{words}.{self._count}"

    def block(self, label: str) -> None:
        """Begin a block."""
        self._body += f"{label}:\n"

    def branch(self, condition: str, yes: str, no: str) -> None:
        """End a block by a branch."""
        self.end(f"br i1 {condition}, label %{yes}, label %{no}")

    def end(self, instruction: str) -> None:
        """End a block."""
        self.do(instruction)
