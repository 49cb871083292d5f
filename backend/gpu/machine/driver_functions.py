"""The functions that planned functions of a GPU call to talk to the driver: `driver_code.py` and `graph_code.py`.

Where a module declares one, its assembly is given the definition, with those of all that it calls.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from ....dialect.records import dataclass
from ....passes.base import Statistics, TextPass
from . import driver_code, graph_code

_DECLARATION = re.compile(r"^declare i64 @(\w+)\(.*\n", re.MULTILINE)
_NAME = re.compile(r"@(\w+)\(")


@dataclass(frozen=True)
class LinkDriverFunctions(TextPass):
    """Define the functions that talk to the driver, where a module calls them."""

    def run(self, text: str, statistics: Statistics) -> str:
        texts = _texts()
        called = [name for name in _DECLARATION.findall(text) if name in texts]
        if not called:
            return text
        text = _DECLARATION.sub(lambda found: "" if found[1] in texts else found[0], text)
        needed = _needed(called)
        statistics["driver functions"] += len(needed)
        return "\n".join([text, *needed])


@cache
def _texts() -> Mapping[str, str]:
    """The definitions of all functions, and the declarations of the driver's, by their names."""
    from ...cpu.native_python.translator import translate

    text = translate((driver_code, graph_code), (), 0)
    parts = re.findall(r"^define .*?^}\n|^declare .*?\n", text, re.MULTILINE | re.DOTALL)
    return {_NAME.findall(part)[0]: part for part in parts}


def _needed(called: list[str]) -> list[str]:
    """The texts of functions and of those that they call, each once, those that are called behind."""
    texts, needed, pending = _texts(), dict[str, str](), list(called)
    while pending:
        name = pending.pop()
        if name not in needed and name in texts:  # intrinsics of LLVM need no declaration
            text = texts[name]  # which is there once, however many places call it
            needed[name] = text.replace(" nounwind ", " noinline nounwind ", 1) if name in called else text
            pending += _NAME.findall(texts[name])
    return list(needed.values())
