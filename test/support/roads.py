"""Programs that change something by a road of its own: a setup, a change and a look, run eagerly and compiled."""

from __future__ import annotations

import itertools
import linecache
import textwrap
from typing import Any

import numpy as np

import weft

IMPORTS = """
import bisect, collections, contextvars, dataclasses, enum, functools, heapq, operator, threading, types, weakref
import numpy as np
"""

CONTROLS = {
    "a branch that is not taken": "if c > 3:\n    {change}",
    "a branch that is taken": "if c > 0:\n    {change}",
    "a while loop": "i = 0\nwhile i < c:\n    {change}\n    i += 1",
    "a for loop": "for i in range(c):\n    {change}",
    "a branch in a loop": "for i in range(3):\n    if i > c:\n        {change}",
    "a try statement": "try:\n    if c > 3:\n        raise ValueError\n    {change}\nexcept ValueError:\n    pass",
    "a function inside": "def inner(k):\n    if k > 3:\n        {change}\ninner(c)",
    "straight code": "{change}",
}
"""Where a program changes something; `c` is 1, and known when it runs."""

_numbers = itertools.count()


def names_of(text: str) -> dict[str, Any]:
    """What a program in a text defines; its source is found."""
    file = f"<road {next(_numbers)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(text, file, "exec"), names)
    return names


def inside(setup: str, change: str, look: str, control: str) -> str:
    """A program that sets up all in the function itself."""
    body = CONTROLS[control].format(change=change)
    return f"{IMPORTS}def f(c):\n{_indented(setup)}\n{_indented(body)}\n    return {look}\n"


def outside(setup: str, change: str, look: str, control: str) -> str:
    """A program whose function finds it outside, and whose caller changes it, too."""
    body = CONTROLS[control].format(change=change)
    return (
        f"{IMPORTS}{setup}\ndef f(c):\n{_indented(body)}\n    return {look}\n"
        f"def look():\n    return {look}\ndef change():\n    {change}\n"
    )


def _indented(text: str) -> str:
    return textwrap.indent(text, "    ")


def outcome(text: str, is_compiled: bool) -> list[Any]:
    """What three calls give, and what the caller sees between them."""
    names = names_of(text)
    function = weft.function(names["f"]) if is_compiled else names["f"]
    found = []
    for number in range(3):
        found.append(plain(function(np.int64(1))))
        if "look" in names:
            found.append(plain(names["look"]()))
        if number == 1 and "change" in names:
            names["change"]()
            found.append(plain(names["look"]()))
    return found


def plain(value: Any) -> Any:
    """A value without NumPy's scalars."""
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value.item() if isinstance(value, (np.generic, np.ndarray)) else value


__all__ = ["CONTROLS", "inside", "names_of", "outcome", "outside", "plain"]
