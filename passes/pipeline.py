"""Pipelines: the textual form, as `mlir-opt` has it, with weft passes and upstream passes mixed.

`builtin.module(weft-fold{max-elements=64},func.func(cse,canonicalize))` becomes a list of steps, one per
pass, which run in order: upstream passes through MLIR's pass manager, weft passes through `Pass.run`.
"""

from __future__ import annotations

import dataclasses
import itertools
import re
import time
import typing
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, TypeAlias

from ..dialect.errors import (
    InternalError,
    PassError,
    RefusedOperation,
    UnsupportedError,
    WeftError,
    WeftValueError,
)
from ..dialect.held_interrupts import interrupts_held, raise_held
from ..dialect.mlir import Module, PassManager, ir
from ..dialect.records import dataclass
from .base import Pass, Statistics, TextPass
from .managers import run_passes
from .registry import PASSES, PassTable, load_pass
from .rewriting import names_of_ops
from .timing import phase

ROOT = "builtin.module"

Pipelines = Mapping[str, str]
"""Named pipelines: what may stand for a list of passes inside `builtin.module(...)`."""


@dataclass(frozen=True)
class Step:
    """One pass of a pipeline: its name, its options as written, and the ops it is nested in."""

    name: str
    options: str = ""
    anchors: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The step inside `builtin.module(...)`.

        >>> Step("canonicalize", "max-iterations=2", ("func.func",)).text
        'func.func(canonicalize{max-iterations=2})'
        """
        inner = f"{self.name}{{{self.options}}}" if self.options else self.name
        for anchor in reversed(self.anchors):
            inner = f"{anchor}({inner})"
        return inner


def pipeline_text(steps: Sequence[Step], root: str = ROOT) -> str:
    """The textual form of a list of steps, for the op that they run on."""
    return f"{root}({','.join(step.text for step in steps)})"


# Parsing


@dataclass(frozen=True)
class _Element:
    """An element of a comma-separated list: `name`, `name{options}` or `name(list)`."""

    name: str
    options: str
    nested: str | None


def _split(text: str) -> Iterator[str]:
    """Split at the commas outside of brackets."""
    depth, start = 0, 0
    for position, character in enumerate(text):
        if character in "({[":
            depth += 1
        elif character in ")}]":
            depth -= 1
            if depth < 0:
                raise WeftValueError(f"pipeline: unbalanced {character!r} in {text!r}")
        elif character == "," and depth == 0:
            yield text[start:position].strip()
            start = position + 1
    if depth:
        raise WeftValueError(f"pipeline: a bracket is not closed in {text!r}")
    yield text[start:].strip()


def _parse_element(text: str) -> _Element:
    end = next((i for i, character in enumerate(text) if character in "({"), len(text))
    name, rest = text[:end].strip(), text[end:]
    if not name:
        raise WeftValueError(f"pipeline: expected the name of a pass, not {text!r}")
    if rest.startswith("(") and rest.endswith(")"):
        return _Element(name, "", rest[1:-1].strip())
    if rest.startswith("{") and rest.endswith("}"):
        return _Element(name, rest[1:-1].strip(), None)
    if rest:
        raise WeftValueError(f"pipeline: cannot read {text!r}; write pass{{option=value}} or op(passes)")
    return _Element(name, "", None)


def parse_pipeline(
    text: str, *, passes: PassTable = PASSES, pipelines: Pipelines | None = None
) -> list[Step]:
    """Read `builtin.module(...)` into steps; names of pipelines are replaced by their passes.

    Raises `WeftValueError` on malformed text, wrong options of weft passes, and weft passes nested in an op.
    Upstream names are checked when the step is run, or by `check_steps`.

    >>> [step.text for step in parse_pipeline("builtin.module(cse, func.func(canonicalize{top-down=0}))")]
    ['cse', 'func.func(canonicalize{top-down=0})']
    """
    several = list(_split(text.strip()))
    root = _parse_element(several[0]) if len(several) == 1 else None
    if root is None or root.nested is None or root.name not in (ROOT, "any"):
        raise WeftValueError(f"pipeline: expected {ROOT}(...), not {text!r}")
    return list(_parse_list(root.nested, (), passes, pipelines or {}))


@lru_cache(maxsize=64)
def _own_steps(text: str) -> Sequence[Step]:
    """The steps of a pipeline of the middle end's, which every compilation runs."""
    return parse_pipeline(text)


def _parse_list(
    text: str, anchors: tuple[str, ...], passes: PassTable, pipelines: Pipelines
) -> Iterator[Step]:
    for part in _split(text) if text else ():
        element = _parse_element(part)
        if element.nested is not None:
            yield from _parse_list(element.nested, (*anchors, element.name), passes, pipelines)
        elif element.name in pipelines:
            yield from _expand(element, anchors, passes, pipelines)
        else:
            step = Step(element.name, element.options, anchors)
            if element.name in passes and (element.options or anchors):
                make_pass(step, passes)  # which raises for what it does not take
            yield step


def _expand(
    element: _Element, anchors: tuple[str, ...], passes: PassTable, pipelines: Pipelines
) -> list[Step]:
    if anchors or element.options:
        raise WeftValueError(f"pipeline: {element.name} runs on {ROOT} and takes no options")
    return parse_pipeline(pipelines[element.name], passes=passes, pipelines=pipelines)


def make_pass(step: Step, passes: PassTable = PASSES) -> Pass:
    """The weft pass of a step with its options."""
    pass_class = load_pass(step.name, passes)
    found = _made.get((step, pass_class))
    if found is None:
        found = _made[step, pass_class] = _new_pass(step, pass_class)
    return found


_made: dict[tuple[Step, type[Pass]], Pass] = {}
"""Passes are immutable, and each compilation runs the same few dozens."""


def _new_pass(step: Step, pass_class: type[Pass]) -> Pass:
    if step.anchors:
        raise WeftValueError(f"pipeline: {step.name} runs on {ROOT}, not nested in {step.anchors[-1]}")
    if not step.options:
        return pass_class()
    hints = typing.get_type_hints(pass_class)
    fields = {f.name.replace("_", "-"): f.name for f in dataclasses.fields(pass_class)}
    values: dict[str, Any] = {}
    for item in step.options.split():
        option, _, value = item.partition("=")
        if option not in fields:
            known = ", ".join(fields) or "none"
            raise WeftValueError(f"{step.name} has no option {option!r}; its options are: {known}")
        values[fields[option]] = _option_value(f"{step.name}{{{option}}}", hints[fields[option]], value)
    return pass_class(**values)


_BOOLEANS = {"true": True, "1": True, "": True, "false": False, "0": False}


def _option_value(what: str, kind: Any, text: str) -> Any:
    """Read the value of an option: integers, booleans and strings."""
    if kind is bool and text.lower() in _BOOLEANS:
        return _BOOLEANS[text.lower()]
    if kind is str and text:
        return text
    if kind is int and text.lstrip("-").isdecimal():
        return int(text)
    name = {bool: "true or false", int: "a number"}.get(kind, "a value")
    raise WeftValueError(f"{what} takes {name}, not {text!r}")


# Running


Code: TypeAlias = "Module | str"
"""What passes run on: a module, or LLVM assembly."""


class Observer:
    """Is told about every pass of a run; `weft-opt` prints IR, times and verifies with these."""

    def before(self, step: Step, code: Code) -> None:
        """Called before a pass runs."""

    def counting(self, step: Step, module: Module) -> Statistics | None:
        """Called before a pass of weft runs: what it shall count with; None if that is not to be watched."""

    def after(self, step: Step, code: Code, seconds: float, statistics: Statistics) -> None:
        """Called after a pass ran and, where asked, its result was verified."""

    def failed(self, step: Step, code: Code) -> None:
        """Called when a pass or the verifier failed; `PassError` is raised afterwards."""

    def after_llvm(self, stage: str, name: str, function: str, text: str) -> None:
        """Called for each pass of LLVM that changed something on the way to a stage, where stages are visited.

        `text` is what the pass left: the function, or the module where the function is empty. The name is empty for
        the module that the passes begin with.
        """

    def timed_llvm(self, seconds: Mapping[str, float]) -> None:
        """Called with what LLVM's passes took, all runs of those of one name together, also where nothing changed."""

    def unwatched(self, told: str) -> None:
        """Called where passes ran that nobody is told about, with the reason."""


def run_pipeline(
    module: Module,
    pipeline: str | Sequence[Step],
    *,
    passes: PassTable = PASSES,
    pipelines: Pipelines | None = None,
    observers: Sequence[Observer] = (),
    verify: bool = False,
) -> None:
    """Run a pipeline on a module, in place; `verify` runs the verifier after its passes.

    Raises `PassError` when a pass fails. With observers, each pass is verified. Without them, consecutive passes of
    weft are verified together, before upstream passes, which share a pass manager, get what is made; so is the result.
    """
    if not isinstance(pipeline, str):
        steps = pipeline
    elif passes is PASSES and pipelines is None:
        steps = _own_steps(pipeline)
    else:
        steps = parse_pipeline(pipeline, passes=passes, pipelines=pipelines)
    with interrupts_held(), module.context, ir.Location.unknown():
        if observers:
            for step in steps:
                _run_observed(module, step, passes, observers, verify)
            return
        for is_weft, group in itertools.groupby(steps, lambda step: step.name in passes):
            together = list(group)
            if is_weft:
                _run_consecutive(module, together, passes, verify)
            else:
                _run_upstream(module, together)
            if verify and (is_weft or together[-1] is steps[-1]):
                _verify(module, together)


def run_stage(
    name: str,
    module: Module,
    steps: Sequence[Step],
    *,
    passes: PassTable,
    observers: Sequence[Observer] = (),
    verify: bool = False,
) -> None:
    """Run the pipeline that leads to the next stage of a backend, as a phase.

    What a program asks for in vain, and mistakes of weft, are raised as they are, and are no failures of a pass.
    """
    with phase(name):
        try:
            run_pipeline(module, steps, passes=passes, observers=observers, verify=verify)
        except PassError as error:
            if isinstance(error.__cause__, (UnsupportedError, InternalError)):
                raise error.__cause__ from error.__cause__.__cause__
            raise


def run_text_passes(text: str, passes: Sequence[TextPass], observers: Sequence[Observer] = ()) -> str:
    """LLVM assembly after some passes, one after the other."""
    for text_pass in passes:
        step, statistics = Step(text_pass.name), Counter[str]()
        for observer in observers:
            observer.before(step, text)
        start = time.perf_counter()
        with phase(text_pass.name, statistics):
            text = text_pass.run(text, statistics)
        seconds = time.perf_counter() - start
        for observer in observers:
            observer.after(step, text, seconds, statistics)
    return text


def _run_observed(
    module: Module, step: Step, passes: PassTable, observers: Sequence[Observer], verify: bool
) -> None:
    for observer in observers:
        observer.before(step, module)
    wanted = [observer.counting(step, module) for observer in observers if step.name in passes]
    statistics: Statistics = next((one for one in wanted if one is not None), Counter())
    start = time.perf_counter()
    try:
        if step.name in passes:
            _run_weft(module, step, passes, statistics, verify)
        else:
            _run_upstream(module, [step])
        if verify:
            _verify(module, [step])
    except PassError:
        for observer in observers:
            observer.failed(step, module)
        raise
    seconds = time.perf_counter() - start
    for observer in observers:
        observer.after(step, module, seconds, statistics)


def _run_consecutive(module: Module, steps: Sequence[Step], passes: PassTable, verify: bool) -> None:
    """Run the passes of weft that have something to do."""
    present: Set[str] | None = None
    for step in steps:
        rewritten = passes[step.name].ops
        if rewritten:
            present = names_of_ops(module.operation) if present is None else present
            if present.isdisjoint(rewritten):
                continue
        _run_weft(module, step, passes, Counter(), verify)
        present = None


def _run_weft(module: Module, step: Step, passes: PassTable, statistics: Statistics, verify: bool) -> None:
    raise_held()
    with _failures_of(step.name):
        found = make_pass(step, passes)
        if verify:
            found.require(module)
        with phase(step.name, statistics):
            found.run(module, statistics)


def _verify(module: Module, steps: Sequence[Step]) -> None:
    """Raise `PassError`, which names the passes, where they left what is not valid."""
    with _failures_of(_names_of(steps)):
        module.operation.verify()


def _names_of(steps: Sequence[Step]) -> str:
    names = [step.name for step in steps]
    return ", ".join(names) if len(names) <= 2 else f"{names[0]} to {names[-1]}"


@contextmanager
def _failures_of(names: str) -> Iterator[None]:
    """Raise `PassError` for what goes wrong in passes."""
    try:
        yield
    except ir.MLIRError as error:
        raise PassError(f"{names} failed{_diagnostics(error)}") from error
    except RefusedOperation:
        raise  # that is about the user's program
    except InternalError as error:
        raise PassError(f"{names} failed: {': '.join(filter(None, (error.at, str(error))))}") from error
    except WeftError as error:
        raise PassError(f"{names} failed: {error}") from error


def _run_upstream(module: Module, steps: Sequence[Step]) -> None:
    names = _names_of(steps)
    try:
        with phase(names), _failures_of(names):
            run_passes(module, pipeline_text(steps, module.operation.name))
    except ValueError as error:
        raise _unreadable(error) from error


def _unreadable(error: ValueError) -> WeftValueError:
    """What MLIR says of an unknown pass or option, in a line."""
    reason = re.sub(r"^MLIR Textual PassPipeline Parser:\d+:\d+: error: ", "", str(error).strip())
    return WeftValueError(f"pipeline: {reason.splitlines()[0]}")


def check_steps(steps: Sequence[Step], passes: PassTable = PASSES) -> None:
    """Raise `WeftValueError` unless every step names a pass that exists and options that it has."""
    with ir.Location.unknown():
        for step in steps:
            if step.name in passes:
                make_pass(step, passes)
            else:
                _check_upstream(step)


def _check_upstream(step: Step) -> None:
    try:
        PassManager.parse(pipeline_text([step]))
    except ValueError as error:
        raise _unreadable(error) from error


def _diagnostics(error: Any) -> str:
    """The text of the diagnostics that MLIR collected, one line each."""
    lines = [f"\n{str(d.location)[4:-1]}: {d.message}" for d in error.error_diagnostics]
    return ":" + "".join(lines) if lines else ""
