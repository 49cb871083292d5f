"""What a function gathers in `*args` where only the program knows how many arguments there are."""

from __future__ import annotations

from typing import Any

from .....dialect.records import dataclass


@dataclass(frozen=True)
class Gathered:
    """What a function gets in the place of the arguments that it gathers."""

    items: Any


def gathered(args: tuple[Any, ...]) -> Any:
    """What `*args` of a converted function holds."""
    return args[0].items if len(args) == 1 and isinstance(args[0], Gathered) else args
