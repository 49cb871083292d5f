"""What is remembered for code objects: by identity, for as long as they live."""

from __future__ import annotations

import gc
import textwrap
import time
from pathlib import Path
from types import CodeType
from typing import Any

import numpy as np

import weft
from weft.frontend.source.code_table import CodeTable, remembered_by_code

EXITS = 40
SOURCE = "def f(x):\n" + "".join(
    textwrap.indent(f"if x > {k}.5:\n    return x * {k}.0\nx = x + 1.0\n", "    ") for k in range(EXITS)
)
SOURCE += "    return x\n"


def code_of(text: str) -> CodeType:
    return compile(text, "some file", "eval")


def test_equal_code_is_another() -> None:
    table = CodeTable()
    one, other = code_of("1 + x"), code_of("1 + x")
    assert one == other
    assert one is not other
    table.set(one, "one")
    assert table.get(one) == "one"
    assert table.get(other) is None
    del one
    gc.collect()
    assert len(table) == 0


def test_each_code_is_looked_at_once() -> None:
    seen: list[CodeType] = []

    @remembered_by_code
    def names(code: CodeType) -> tuple[str, ...]:
        """Its names."""
        seen.append(code)
        return code.co_names

    one, other = code_of("1 + x"), code_of("1 + x")
    assert [names(code) for code in (one, one, other)] == [("x",)] * 3
    assert len(seen) == 2
    assert names.__doc__ == "Its names."


def test_a_function_with_many_exits_can_be_defined_again(tmp_path: Path) -> None:
    """As in a cell of a notebook that is run twice: its code is equal, which takes Python very long to see."""
    begun = time.process_time()
    for number in range(2):
        path = tmp_path / f"cell_{number}.py"
        path.write_text(SOURCE, encoding="utf-8")
        names: dict[str, Any] = {"__name__": "cell"}
        exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), names)
        assert weft.function(names["f"])(np.float64(-50.25)) == -50.25 + EXITS
    assert time.process_time() - begun < 10
