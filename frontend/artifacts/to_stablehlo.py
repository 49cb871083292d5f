"""`concrete.to_stablehlo()`: compiled functions for JAX, XLA and others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...dialect.emitter import Tensor
from ...dialect.errors import NotPortable, WeftValueError
from ...dialect.mlir import Module, ir
from ...dialect.register import context
from ...passes.pipeline import run_pipeline
from ...passes.pipelines import PIPELINES
from ..compiling.program import Recording
from ..runtime_values.result_spec import ArgumentResult, ComputedResult, ViewResult, of_one_type
from ..source.tracebacks import places_of
from ..stablehlo.context import stablehlo
from ..stablehlo.writers.table import Unsaid
from ..stablehlo.writing import Writing
from .checked_modules import text_of
from .portability import reasons_against

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
    recording = concrete._recording()
    reasons = list(reasons_against(concrete, recording, concrete.argument_structure))
    reasons += [
        f"it changes {update.handle.name}: take it as an argument, and return what it becomes"
        for update in (recording.updates.updates if recording.updates else ())
    ]
    with context(), ir.Location.unknown():
        module, refused = _module(concrete, recording, checks)
        reasons += refused
        if reasons:
            told = "".join(f"\n  {reason}" for reason in dict.fromkeys(reasons))
            raise NotPortable(f"{concrete.name} has no form in StableHLO:{told}")
        module.operation.verify()
        if form == "text":
            return str(module)
        artifact: bytes = known.serialize_portable_artifact_str(text_of(module.operation), target)
        return artifact


def _usual_version(known: Any) -> str:
    """The version that readers of the last 12 weeks know."""
    usual = known.StablehloCompatibilityRequirement.WEEK_12
    version: str = known.get_version_from_compatibility_requirement(usual)
    return version


def _numbers(version: object) -> tuple[int, ...] | None:
    """The three numbers of a version, or None."""
    parts = str(version).split(".")
    return tuple(map(int, parts)) if len(parts) == 3 and all(part.isdecimal() for part in parts) else None


def _module(concrete: ConcreteFunction, recording: Recording, checks: bool) -> tuple[Module, list[str]]:
    """The module, and what of the function it cannot say."""
    optimized = ir.Module.parse(recording.module.get_asm(enable_debug_info=True))
    run_pipeline(optimized, PIPELINES["weft-optimize"])
    own = len(concrete.argument_types)
    first = len(recording_arguments := sorted(set(concrete._aliases)))
    place = {position: number for number, position in enumerate(recording_arguments)}
    given = {first + number: np.asarray(extra.fetch()) for number, extra in enumerate(recording.extra)}
    refused: list[str] = []

    def results(outputs: list[Tensor], arguments: list[Tensor]) -> list[Tensor]:
        made = []
        for leaf in map(of_one_type, recording.result.leaves):
            if isinstance(leaf, ComputedResult):
                made.append(outputs[leaf.position])
            elif isinstance(leaf, ArgumentResult):
                number = leaf.argument
                base = place[concrete._aliases[number]] if number < own else first + number - own
                made.append(_viewed(writing, arguments[base], leaf, outputs, refused))
            elif isinstance(leaf, ViewResult):
                made.append(_viewed(writing, outputs[leaf.position], leaf, outputs, refused))
        return made

    writing = Writing(optimized, checks)
    module = writing.of(recording.symbol, given, results)
    for number, extra in enumerate(recording.extra):
        if writing.is_written(first + number):
            refused.append(f"it writes {extra.name}: take it as an argument, which becomes a result")
    for location, why in writing.refused:
        places = places_of(location)
        refused.append(f"{places[0]}: {why}" if places else why)
    return module, refused


def _viewed(
    writing: Writing,
    base: Tensor,
    leaf: ArgumentResult | ViewResult,
    outputs: Sequence[Tensor],
    refused: list[str],
) -> Tensor:
    """A view as an array of its own."""
    for number, step in enumerate(leaf.path):
        positions = leaf.bounds[number] if leaf.bounds else ()
        operands = [outputs[position] for position in positions or ()]
        try:
            if positions is None:
                raise Unsaid("lies where a condition decides")
            (base,) = writing.emit(step.op_class, [base, *operands], dict(step.attributes))
        except Unsaid as unsaid:
            refused.append(f"it returns a view, which {unsaid}: return a copy")
            break
    return base


__all__ = ["to_stablehlo"]
