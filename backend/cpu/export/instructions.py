"""Functions of instructions that LLVM has no words for: they run their data, not their bodies.

Inline assembly would need a parser of it for the processor, which machines with another one have not.
"""

from __future__ import annotations


def of_instructions(header: str, code: bytes, end: str) -> str:
    """The assembly of a function of some linkage, type and name; its body, which never runs, is what ends it."""
    data = f'prologue [{len(code)} x i8] c"{escaped(code)}"'
    return f"\ndefine {header} noinline {data} {{\n  {end}\n}}\n"


def escaped(content: bytes) -> str:
    """Bytes in a constant of LLVM."""
    return f"\\{content.hex(chr(92))}"
