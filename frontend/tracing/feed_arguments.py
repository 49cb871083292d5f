"""The iterables among the arguments of a trace whose items the program fetches."""

from __future__ import annotations

from typing import Any


class FeedArguments:
    """What a trace knows of them."""

    def __init__(self) -> None:
        self.numbers: dict[int, Any] = {}
        """By their identities the traced numbers by which the program finds them."""
        self.constants: set[int] = set()
        """The identities of all constants among the arguments, which may become such."""
