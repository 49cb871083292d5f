"""The table of the ops that are read, each a function of the array namespace.

A rule takes the node's inputs by position, None for one that is left out, and its attributes by keyword, and returns an
array, or a tuple of them. An attribute that became an input in a later version of ONNX has the name of that input, and
is passed as it: so one rule reads both. Defaults are those that ONNX's schema of the model's version has; a rule's own
are for attributes without one. With a parameter `node`, it is told about the node, its version, its subgraphs.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np

from ....dialect.errors import UnsupportedError, WeftValueError
from ....dialect.records import dataclass
from ...tracing.array import TracedArray
from ...tracing.learned_sizes import need_all_sizes
from .sizes import Sizes, as_array

F = TypeVar("F", bound=Callable[..., Any])


class Visit(Protocol):
    """What a rule may ask about the node that it is applied to."""

    @property
    def version(self) -> int:
        """The version of the op's domain."""

    @property
    def outputs(self) -> int:
        """How many results the node names."""

    def is_asked(self, place: int) -> bool:
        """Whether somebody may read a result."""

    def has(self, attribute: str) -> bool:
        """Whether the node itself has an attribute."""

    def applied(self, graph: Any, inputs: Sequence[Any]) -> list[Any]:
        """What a graph in an attribute gives for its inputs."""


class Refused(UnsupportedError):
    """What a node asks for is not read; the message goes on where the node's name ends."""


@dataclass(frozen=True)
class Rule:
    """How an op is read."""

    function: Callable[..., Any]
    since: int
    """The first version of the op that means this."""
    moves: tuple[int, ...] | None
    """The inputs that the op moves without looking at what they are, as numbers; -1 for all."""
    by_element: bool
    """Whether the op computes each element of the result from one of each input."""
    inputs: tuple[str, ...]
    attributes: frozenset[str]
    takes_node: bool
    takes_sizes: bool
    """Whether the rule itself takes numbers of which some are known."""
    is_variadic: bool
    known_inputs: tuple[int, ...]
    """The inputs that say what to compute: they are constants, not weights."""
    summary: str
    """What the op becomes, in a line."""


RULES: dict[tuple[str, str], list[Rule]] = {}
"""The rules by domain and name, for each the oldest version first."""


def rule(
    name: str,
    since: int = 1,
    *,
    domain: str = "",
    moves: tuple[int, ...] | None = None,
    by_element: bool = False,
    takes_sizes: bool = False,
    known_inputs: tuple[int, ...] = (),
    shared: Callable[..., Any] | None = None,
    says: str = "",
) -> Callable[[F], F]:
    """Put a function into the table, as the meaning of an op from a version on.

    What it takes as `**more` are the attributes that `shared` takes as keywords. What the op becomes is told by its
    docstring, or is what `says` says.
    """

    def enter(function: F) -> F:
        parameters = inspect.signature(function).parameters.values()
        kinds = inspect.Parameter
        made = Rule(
            function,
            since,
            moves,
            by_element,
            tuple(
                p.name for p in parameters if p.kind in (kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD)
            ),
            frozenset(_keywords(function) | (_keywords(shared) if shared else set())),
            any(p.name == "node" for p in parameters),
            takes_sizes,
            any(p.kind is kinds.VAR_POSITIONAL for p in parameters),
            known_inputs,
            says or (function.__doc__ or "").partition("\n")[0],
        )
        versions = RULES.setdefault((domain, name), [])
        versions.append(made)
        versions.sort(key=lambda each: each.since)
        return function

    return enter


def _keywords(function: Callable[..., Any]) -> set[str]:
    parameters = inspect.signature(function).parameters.values()
    return {p.name for p in parameters if p.kind is p.KEYWORD_ONLY and p.name != "node"}


def rule_of(domain: str, name: str, version: int) -> Rule | None:
    """The rule of an op in a version of its domain; None if there is none."""
    fitting = [each for each in RULES.get((domain, name), ()) if each.since <= version]
    return fitting[-1] if fitting else None


IGNORED = {"consumed_inputs"}
"""Attributes that say nothing of what is computed."""


def called(found: Rule, visit: Visit, inputs: list[Any], attributes: dict[str, Any]) -> Any:
    """What a rule makes of a node's inputs and attributes."""
    by_name = {}
    for name, value in attributes.items():
        if name in found.attributes:
            by_name[name] = value
        elif name in found.inputs:
            place = found.inputs.index(name)
            inputs = inputs + [None] * (place + 1 - len(inputs))
            inputs[place] = np.asarray(value) if isinstance(value, (list, int, float)) else value
        elif visit.has(name) and name not in IGNORED:
            raise Refused(f"has the attribute {name}, which is not read")
    if found.takes_node:
        by_name["node"] = visit
    if not found.is_variadic and len(inputs) > len(found.inputs):
        raise Refused(f"has {len(inputs)} inputs, of which {len(found.inputs)} are read")
    if not found.takes_sizes:
        inputs = [as_array(value) for value in inputs]
    return found.function(*inputs, **by_name)


def known(value: Any, what: str) -> np.ndarray[Any, Any]:
    """The elements of an input that decides what is computed, not what with."""
    if isinstance(value, Sizes):
        found = value.known()
        if found is not None:
            return found
    elif not isinstance(value, TracedArray):
        return np.asarray(value)
    need_all_sizes(what)
    raise Refused(f"needs {what} to be known before it runs: a constant, or what is computed of known sizes")


def ints(value: Any, what: str) -> list[int]:
    """The integers of an input that decides what is computed."""
    return [int(element) for element in known(value, what).ravel()]


def require(holds: bool, message: str) -> None:
    """Raise `WeftValueError` unless something holds."""
    if not holds:
        raise WeftValueError(message)
