"""The arguments of a call in the order of the parameters, as native code sorts them."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from typing import Any

from ...dialect.errors import WeftTypeError
from ..guards.handles import Bound
from ..signature.signature import Node, Static, Structure, static_key


class Unknown(Exception):
    """Something that native code cannot be told."""


def completed(
    signature: inspect.Signature, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a call by position, where they may be, with the defaults of those that were left out."""
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError as error:
        more = _unexpected(signature, kwargs) or f"{error}{_counted(signature, name, args, str(error))}"
        raise WeftTypeError(f"{name}() {more}") from None
    bound.apply_defaults()
    return bound.args, bound.kwargs


def _counted(signature: inspect.Signature, name: str, args: tuple[Any, ...], error: str) -> str:
    """How many arguments a function takes that was given too many, and whether `self` may be missing."""
    if not error.startswith("too many positional"):
        return ""
    takes = [p.name for p in signature.parameters.values() if p.kind <= p.POSITIONAL_OR_KEYWORD]
    counted = f": it takes {len(takes)} ({', '.join(takes)})" if takes else ": it takes none"
    is_method = hasattr(type(args[0]), name) and takes[:1] not in (["self"], ["cls"])
    hint = "; a method has its instance in front, self" if is_method else ""
    return f"{counted}, and {len(args)} were given{hint}"


def _unexpected(signature: inspect.Signature, kwargs: dict[str, Any]) -> str:
    """That there is no parameter of a name, as Python says before all else, and which is most like it."""
    takes = [
        p.name for p in signature.parameters.values() if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
    ]
    is_open = any(p.kind is p.VAR_KEYWORD for p in signature.parameters.values())
    unknown = next((key for key in kwargs if key not in signature.parameters), None)
    if unknown is None or is_open:
        return ""
    import difflib  # for messages only

    close = difflib.get_close_matches(unknown, [name for name in takes if name not in kwargs], n=1)
    instead = f"; did you mean {close[0]}?" if close else f": it takes {', '.join(takes)}" if takes else ""
    return f"got an unexpected keyword argument {unknown!r}{instead}"


class Parameters:
    """How arguments are sorted by parameter: positional ones, those that are given by name only, then all others.

    The others are those of `*args`; in an open function, which has no such parameter, names and values of `**kwargs`.
    """

    def __init__(self, positional: int, keywords: Sequence[str], is_open: bool) -> None:
        self._positional = positional
        self._keywords = keywords
        self._is_open = is_open

    def sorted(self, bound: Bound, structure: Structure) -> Iterator[tuple[Any, Structure]]:
        """The values of the parameters with their structures."""
        assert bound is not None
        args, kwargs = bound
        match structure:
            case Node(_, _, (Node(_, _, direct), Node(_, keys, named))):
                known = dict(zip(keys, named, strict=True))
            case _:
                raise Unknown
        others = [name for name in kwargs if name not in self._keywords]
        if others and not self._is_open:
            raise Unknown
        count = self._positional
        yield from zip(args[:count], direct[:count], strict=True)
        yield from ((kwargs[name], known[name]) for name in self._keywords)
        yield from zip(args[count:], direct[count:], strict=True)
        for name in others:
            yield name, Static(static_key(name), name)
            yield kwargs[name], known[name]

    def bound(self, slots: Sequence[Any]) -> Bound:
        """The arguments as they are bound, of a list of them all."""
        count = self._positional
        end = count + len(self._keywords)
        by_name = dict(zip(self._keywords, slots[count:end], strict=True))
        if not self._is_open:
            return (*slots[:count], *slots[end:]), by_name
        return tuple(slots[:count]), by_name | dict(zip(slots[end::2], slots[end + 1 :: 2], strict=True))
