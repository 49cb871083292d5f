"""The arguments of a call in the order of the parameters, as native code sorts them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from .handles import Bound
from .signature import Node, Structure


class Unknown(Exception):
    """Something that native code cannot be told."""


class Parameters:
    """How arguments are sorted by parameter: positional ones, those that are given by name only, those of `*args`."""

    def __init__(self, positional: int, keywords: Sequence[str]) -> None:
        self._positional = positional
        self._keywords = keywords

    def sorted(self, bound: Bound, structure: Structure) -> Iterator[tuple[Any, Structure]]:
        """The values of the parameters with their structures."""
        assert bound is not None
        args, kwargs = bound
        match structure:
            case Node(_, _, (Node(_, _, direct), Node(_, keys, named))) if set(keys) == set(self._keywords):
                known = dict(zip(keys, named, strict=True))
            case _:
                raise Unknown  # there are others for **kwargs
        count = self._positional
        yield from zip(args[:count], direct[:count], strict=True)
        yield from ((kwargs[name], known[name]) for name in self._keywords)
        yield from zip(args[count:], direct[count:], strict=True)

    def bound(self, slots: Sequence[Any]) -> Bound:
        """The arguments as they are bound, of a list of them all."""
        count = self._positional
        end = count + len(self._keywords)
        return (*slots[:count], *slots[end:]), dict(zip(self._keywords, slots[count:end], strict=True))


__all__ = ["Parameters", "Unknown"]
