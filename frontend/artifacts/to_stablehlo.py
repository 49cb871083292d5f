"""`concrete.to_stablehlo()`: compiled functions for JAX, XLA and others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ...dialect.errors import WeftValueError
from ...dialect.mlir import ir
from ...dialect.register import context
from ..stablehlo.context import stablehlo
from ..stablehlo.writing import Writing
from .checked_modules import text_of
from .graphs import Graph

if TYPE_CHECKING:
    from ..calls.concrete import ConcreteFunction

FORMS = ("artifact", "text")


def to_stablehlo(concrete: ConcreteFunction, form: str, version: str | None, checks: bool) -> bytes | str:
    """A compiled function in StableHLO; `ConcreteFunction.to_stablehlo` tells more."""
    if form not in FORMS:
        raise WeftValueError(f"to_stablehlo has no form {form!r}; there are: {', '.join(FORMS)}")
    known = stablehlo()
    target = _usual_version(known) if version is None else version
    if _numbers(target) is None or not (
        _numbers(known.get_minimum_version()) <= _numbers(target) <= _numbers(known.get_current_version())  # type: ignore[operator]
    ):
        raise WeftValueError(
            f"this weft writes StableHLO {known.get_minimum_version()} to {known.get_current_version()}, not {target!r}"
        )
    with context(), ir.Location.unknown():
        graph = Graph(concrete)
        writing = Writing(graph.module, checks)
        module = writing.of(
            graph.recording.symbol,
            graph.given,
            lambda outputs, arguments: list(graph.results(writing, outputs, arguments).values()),
        )
        graph.require("StableHLO", writing, _writes(graph, writing))
        module.operation.verify()
        if form == "text":
            return str(module)
        artifact: bytes = known.serialize_portable_artifact_str(text_of(module.operation), target)
        return artifact


def _writes(graph: Graph, writing: Writing) -> Iterator[str]:
    """What is written of the state."""
    for place, extra in graph.state.items():
        if writing.is_written(place):
            yield f"it writes {extra.name}: take it as an argument, which becomes a result"


def _usual_version(known: Any) -> str:
    """The version that readers of the last 12 weeks know."""
    usual = known.StablehloCompatibilityRequirement.WEEK_12
    version: str = known.get_version_from_compatibility_requirement(usual)
    return version


def _numbers(version: object) -> tuple[int, ...] | None:
    """The three numbers of a version, or None."""
    parts = str(version).split(".")
    return tuple(map(int, parts)) if len(parts) == 3 and all(part.isdecimal() for part in parts) else None
