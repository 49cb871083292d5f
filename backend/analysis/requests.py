"""What is asked for like the text of a stage, and is an analysis: lists as text, of what it is and of what.

Every compilation looks whether something is one, and few programs are analysed: nothing else is loaded for that.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

COST, MEMORY = "cost-analysis", "memory-analysis"


def cost_request(name: str, examples: Sequence[tuple[str, Sequence[int | None], int | None]]) -> str:
    """What to ask for to get the costs of a function with arguments of these names, shapes, and values of integers."""
    return repr([COST, name, [[name, list(shape), value] for name, shape, value in examples]])


def memory_request(name: str) -> str:
    """What to ask for to get the memory plan of a function."""
    return repr([MEMORY, name])


def is_report(stage: str) -> bool:
    """Whether it is an analysis that is asked for, and not a stage."""
    return stage.startswith("[")


def cost_of(request: str) -> str | None:
    """The function whose costs are asked for; None where something else is."""
    kind, name, *_ = parts_of(request)
    return name if kind == COST else None


def parts_of(request: str) -> list[Any]:
    """What a request asks for, and the name of the function, and what else is given."""
    parts: list[Any] = ast.literal_eval(request)
    return parts
