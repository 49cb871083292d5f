"""Compiled functions for other graph formats: what is written, what it returns, and why it cannot be written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...dialect.emitter import Tensor
from ...dialect.errors import NotPortable
from ...dialect.mlir import Module, ir
from ...passes.pipeline import run_pipeline
from ...passes.pipelines import PIPELINES
from ..compiling.program import Recording
from ..graph_writers.table import Unsaid
from ..graph_writers.walk import ModuleWriter
from ..runtime_values.result_spec import (
    PLACES,
    ArgumentResult,
    ComputedResult,
    ConstantResult,
    KeptResult,
    SelectedResult,
    ViewResult,
    of_one_type,
)
from ..source.tracebacks import places_of
from .descriptions import result_names
from .portability import reasons_against, without_instance
from .saving import parameters_of

if TYPE_CHECKING:
    from ..calls.concrete import ConcreteFunction


class Graph:
    """A compiled function as another format gets it: a module, and what arguments and results are in it."""

    def __init__(self, concrete: ConcreteFunction) -> None:
        self.concrete = concrete
        self.recording: Recording = concrete._recording()
        recording = self.recording
        self.module: Module = ir.Module.parse(recording.module.get_asm(enable_debug_info=True))
        run_pipeline(self.module, PIPELINES["weft-optimize"])
        distinct = sorted(set(concrete._aliases))
        self._place = {position: number for number, position in enumerate(distinct)}
        self.argument_names = [concrete.argument_names[position] for position in distinct]
        self.state = {len(distinct) + number: extra for number, extra in enumerate(recording.extra)}
        """What lies outside of the arguments, by the places behind these."""
        self.refused: list[str] = []

    @property
    def given(self) -> dict[int, np.ndarray[Any, Any]]:
        """The arrays that lie outside of the arguments."""
        return {place: np.asarray(extra.fetch()) for place, extra in self.state.items()}

    def results(
        self, writing: ModuleWriter, outputs: list[Tensor], arguments: list[Tensor]
    ) -> dict[str, Tensor]:
        """The arrays of the result by names, of what the module's function returns and of all arguments."""
        made = _Results(self, writing, outputs, arguments)
        spec = self.recording.result
        found = {}
        for name, leaf in zip(result_names(spec.structure)[0], spec.leaves, strict=True):
            if isinstance(leaf, ConstantResult):
                continue
            try:
                found[name] = made.of(leaf)
            except Unsaid as unsaid:
                self.refused.append(f"it returns {unsaid}")
        return found

    def base(self, leaf: ArgumentResult) -> int:
        """The place of the argument of the module that a result shows."""
        own = len(self.concrete.argument_types)
        if leaf.argument < own:
            return self._place[self.concrete._aliases[leaf.argument]]
        return len(self._place) + leaf.argument - own

    def reasons(self) -> Iterator[str]:
        """Why it has no form in any format: Python, and state that changes."""
        owner = self.concrete._function
        structure, _ = without_instance(self.concrete.argument_structure, parameters_of(owner))
        yield from reasons_against(self.concrete, self.recording, structure)
        for update in self.recording.updates.updates if self.recording.updates else ():
            yield f"it changes {update.handle.name}: take it as an argument, and return what it becomes"

    def require(self, language: str, writing: ModuleWriter, others: Iterable[str] = ()) -> None:
        """Raise `NotPortable` with all that cannot be said, if there is anything."""
        reasons = [*self.reasons(), *self.refused, *others]
        for location, why in writing.refused:
            places = places_of(location)
            reasons.append(f"{places[0]}: {why}" if places else why)
        if reasons:
            told = "".join(f"\n  {reason}" for reason in dict.fromkeys(reasons))
            raise NotPortable(f"{self.concrete.name} has no form in {language}:{told}")


class _Results:
    """Makes the arrays of results, each as an array of its own."""

    def __init__(
        self, graph: Graph, writing: ModuleWriter, outputs: Sequence[Tensor], arguments: Sequence[Tensor]
    ) -> None:
        self._graph = graph
        self._writing = writing
        self._outputs = outputs
        self._arguments = arguments

    def of(self, leaf: Any) -> Tensor:
        """A result; raises `Unsaid`."""
        leaf = of_one_type(leaf)
        if isinstance(leaf, KeptResult):
            leaf = leaf.result
        if isinstance(leaf, ComputedResult):
            return self._outputs[leaf.position]
        if isinstance(leaf, ArgumentResult):
            return self._viewed(self._arguments[self._graph.base(leaf)], leaf)
        if isinstance(leaf, ViewResult):
            return self._viewed(self._outputs[leaf.position], leaf)
        if isinstance(leaf, SelectedResult):
            return self._selected(leaf)
        raise Unsaid("what may be None, or one of several constants: return arrays")

    def _viewed(self, base: Tensor, leaf: ArgumentResult | ViewResult) -> Tensor:
        """A view as an array of its own."""
        for step, positions in zip(leaf.path, leaf.bounds or ((),) * len(leaf.path), strict=True):
            if positions is None:
                raise Unsaid("a view whose place a condition decides: return a copy")
            operands = [self._outputs[position] for position in positions]
            try:
                (base,) = self._writing.emit(step.op_class, [base, *operands], dict(step.attributes))
            except Unsaid as unsaid:
                raise Unsaid(f"a view, which {unsaid}: return a copy") from None
        return base

    def _selected(self, leaf: SelectedResult) -> Tensor:
        """The one of several arrays that the program chose."""
        options = list(map(self.of, leaf.options))
        shapes = [option.shape for option in options]
        shape = tuple(extents[0] if len(set(extents)) == 1 else None for extents in zip(*shapes, strict=True))
        wanted = options[0].type.with_shape(shape)
        b = self._writing
        number = b.bitwise_and(self._outputs[leaf.choice.position], PLACES - 1)
        found, *others = (b.refined(option, wanted) for option in options)
        for place, option in enumerate(others, 1):
            sides = [lambda one=option: [one], lambda one=found: [one]]
            (found,) = b.branches(number.equals(place), [wanted], sides)
        return found
