"""The arguments of a call: taken apart for the machine code, and in the order in which native code sorts them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ...dialect.errors import WeftTypeError
from ...dialect.records import NamedTuple
from ..guards.handles import Bound
from ..signature.input_signature import conform, instances_before
from ..signature.signature import Node, Static, Structure, as_arrays, flatten, signature_of, static_key


class Unknown(Exception):
    """Something that native code cannot be told."""


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


class Arguments(NamedTuple):
    """The arguments of a call, taken apart."""

    structure: Structure
    leaves: list[Any]
    names: list[str]
    bound: Bound = None
    """The arguments as the caller gave them, by position and name."""
    numbers: tuple[type, ...] = ()
    """The types of the Python numbers that are data: they are the last of the leaves."""


class Parameters:
    """The parameters of a function, by which the arguments of its calls are bound, named and taken apart.

    Native code sorts these by parameter: positional ones, those that are given by name only, then all others. The
    others are those of `*args`; in an open function, which has no such parameter, names and values of `**kwargs`.
    """

    def __init__(self, function: Callable[..., Any], name: str, specs: Sequence[Any] | None) -> None:
        self._name = name
        self._specs = specs
        """The input signature of the function."""
        try:
            self.signature = signature_of(function, as_called=specs is None)
        except (TypeError, ValueError) as error:
            raise WeftTypeError(
                f"weft.function cannot find out the parameters of {function!r}: {error}"
            ) from error
        self.all = tuple(self.signature.parameters.values())
        kinds = [p.kind for p in self.all]
        self._positional = sum(kind <= inspect.Parameter.POSITIONAL_OR_KEYWORD for kind in kinds)
        self._is_simple = self._positional == len(kinds)
        self._keywords = tuple(p.name for p in self.all if p.kind is p.KEYWORD_ONLY)
        self._is_open = (
            inspect.Parameter.VAR_KEYWORD in kinds and inspect.Parameter.VAR_POSITIONAL not in kinds
        )
        self.instances = 0 if specs is None else instances_before(specs, self.all, name)
        """How many arguments are before those of the input signature."""

    def name_of(self, position: int) -> str:
        """What a positional argument is called."""
        further = position - self._positional
        return self.all[position].name if further < 0 else f"{self.all[self._positional].name}[{further}]"

    def note_method(self) -> None:
        """Take note that the function is a method: its input signature begins behind the instance."""
        if self._specs is not None and len(self._specs) < len(self.all):
            self.instances = 1

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments:
        """Take the arguments of a call apart; those that are left out, or named, have their positions then."""
        if kwargs or not self._is_simple or len(args) != self._positional:
            args, kwargs = self.completed(args, kwargs)
        given = (args, kwargs)
        if self._specs is not None:
            first = self.instances
            described = zip(args[first:], self._specs, self.all[first:], strict=False)
            conformed = [conform(value, spec, p.name) for value, spec, p in described]
            args = (*args[:first], *conformed, *args[first + len(conformed) :])
        leaves: list[Any] = []
        names: list[str] = []
        structure = self.flattened(args, kwargs, leaves, names)
        return Arguments(structure, as_arrays(leaves, names), names, given)

    def flattened(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], leaves: list[Any], names: list[str]
    ) -> Structure:
        """The structure of arguments that are complete; the arrays among them, with their names, go to lists."""
        children = [flatten(value, leaves, self.name_of(n), names) for n, value in enumerate(args)]
        named = tuple(flatten(kwargs[k], leaves, k, names) for k in kwargs)
        return Node(tuple, (), (Node(tuple, (), tuple(children)), Node(dict, tuple(kwargs), named)))

    def completed(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments of a call by position, where they may be, with the defaults of those that were left out."""
        signature = self.signature
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError as error:
            more = (
                _unexpected(signature, kwargs)
                or f"{error}{_counted(signature, self._name, args, str(error))}"
            )
            raise WeftTypeError(f"{self._name}() {more}") from None
        bound.apply_defaults()
        return bound.args, bound.kwargs

    def sorted(self, arguments: Arguments) -> Iterator[tuple[Any, Structure]]:
        """The values of the parameters with their structures."""
        assert arguments.bound is not None
        args, kwargs = arguments.bound
        match arguments.structure:
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
