"""Pipelines: reading them, running them, and what is said when they fail."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from support.programs import build, op_names
from weft.backend.gpu.pipeline import ALL_PASSES
from weft.dialect.errors import InternalError, PassError, WeftValueError
from weft.dialect.mlir import Module, ir
from weft.dialect.ops.elementwise import Negative
from weft.dialect.ops.sorting import Sort
from weft.dialect.register import context
from weft.dialect.types import TensorType
from weft.passes.base import Pass, Statistics
from weft.passes.pipeline import (
    Observer,
    Step,
    check_steps,
    make_pass,
    parse_pipeline,
    pipeline_text,
    run_pipeline,
)
from weft.passes.pipelines import PIPELINES
from weft.passes.registry import PASSES, Entry, PassTable, load_pass

FLOATS = TensorType((3,), np.dtype(np.float32))


@dataclass(frozen=True)
class WithOptions(Pass):
    """A pass with an option of every kind."""

    some_number: int = 1
    some_flag: bool = False
    some_text: str = ""


@dataclass(frozen=True)
class Breaking(Pass):
    """A pass that leaves an invalid module."""

    def run(self, module: Module, statistics: Statistics) -> None:
        operation = module.body.operations[0].regions[0].blocks[0].operations[0]
        operation.results[0].set_type(ir.Type.parse("tensor<7xf32>"))


@dataclass(frozen=True)
class Failing(Pass):
    """A pass that raises."""

    def run(self, module: Module, statistics: Statistics) -> None:
        raise InternalError("out of thread")


@dataclass(frozen=True)
class Misnamed(Pass):
    """A pass that is registered under another name."""

    name: ClassVar[str] = "another"


TABLE = {
    "with-options": Entry(f"{__name__}:WithOptions"),
    "breaking": Entry(f"{__name__}:Breaking"),
    "failing": Entry(f"{__name__}:Failing"),
    "misnamed": Entry(f"{__name__}:Misnamed"),
    **PASSES,
}


@pytest.fixture
def module() -> Module:
    """-(-x), twice."""
    return build([FLOATS], lambda b, x: [b("negative", b("negative", x)), b("negative", b("negative", x))])


def test_steps() -> None:
    steps = parse_pipeline(
        " builtin.module( func.func( cse ,canonicalize{a=1 b={c d}} ) , weft-fold{max-elements=2},any(cse)) "
    )
    assert steps == [
        Step("cse", "", ("func.func",)),
        Step("canonicalize", "a=1 b={c d}", ("func.func",)),
        Step("weft-fold", "max-elements=2"),
        Step("cse", "", ("any",)),
    ]
    assert parse_pipeline(pipeline_text(steps)) == steps
    assert parse_pipeline("builtin.module()") == []


def test_named_pipelines_are_expanded() -> None:
    named = {"inner": "builtin.module(cse)", "outer": "builtin.module(inner,weft-simplify,inner)"}
    assert [s.name for s in parse_pipeline("builtin.module(outer)", pipelines=named)] == [
        "cse",
        "weft-simplify",
        "cse",
    ]


def test_options_of_every_kind() -> None:
    step = Step("with-options", "some-number=-3 some-flag some-text=abc")
    assert make_pass(step, TABLE) == WithOptions(-3, True, "abc")
    assert make_pass(Step("with-options", "some-flag=0"), TABLE) == WithOptions()
    with pytest.raises(WeftValueError, match=r"with-options\{some-flag\} takes true or false, not 'maybe'"):
        make_pass(Step("with-options", "some-flag=maybe"), TABLE)
    with pytest.raises(WeftValueError, match=r"with-options\{some-text\} takes a value, not ''"):
        make_pass(Step("with-options", "some-text"), TABLE)
    with pytest.raises(WeftValueError, match="its options are: some-number, some-flag, some-text"):
        make_pass(Step("with-options", "other"), TABLE)


def test_a_wrong_registration_is_found() -> None:
    with pytest.raises(InternalError, match="Misnamed is called another, but registered as misnamed"):
        load_pass("misnamed", TABLE)


def test_names_and_summaries_are_those_of_the_classes() -> None:
    assert (WithOptions.name, WithOptions.summary) == ("with-options", "a pass with an option of every kind")
    assert (Misnamed.name, Misnamed.summary) == ("another", "a pass that is registered under another name")


def test_every_registered_pass_can_be_loaded_and_says_what_it_does() -> None:
    for name in PASSES:
        pass_class = load_pass(name)
        assert pass_class.summary
        assert pass_class.__doc__


def test_named_pipelines_exist() -> None:
    with context():
        for text in PIPELINES.values():
            check_steps(parse_pipeline(text))


@pytest.mark.parametrize("observed", [False, True])
def test_weft_and_upstream_passes_run_in_order(module: Module, observed: bool) -> None:
    observers = [Observer()] if observed else []
    run_pipeline(module, "builtin.module(func.func(cse,canonicalize),weft-simplify,cse)", observers=observers)
    assert op_names(module) == []


def test_observers_see_every_pass(module: Module) -> None:
    seen: list[tuple[str, str, Counter[str]]] = []

    class Recording(Observer):
        def before(self, step: Step, module: Module) -> None:
            seen.append(("before", step.name, Counter()))

        def after(self, step: Step, module: Module, seconds: float, statistics: Statistics) -> None:
            assert seconds >= 0
            seen.append(("after", step.name, statistics))

        def failed(self, step: Step, module: Module) -> None:
            seen.append(("failed", step.name, Counter()))

    with pytest.raises(PassError):
        run_pipeline(
            module, "builtin.module(cse,weft-simplify,failing)", passes=TABLE, observers=[Recording()]
        )
    assert seen == [
        ("before", "cse", Counter()),
        ("after", "cse", Counter()),
        ("before", "weft-simplify", Counter()),
        ("after", "weft-simplify", Counter({"undo_twice": 1})),
        ("before", "failing", Counter()),
        ("failed", "failing", Counter()),
    ]


def test_a_failing_weft_pass(module: Module) -> None:
    with pytest.raises(PassError, match="failing failed: out of thread") as caught:
        run_pipeline(module, "builtin.module(failing)", passes=TABLE)
    assert isinstance(caught.value.__cause__, InternalError)


@pytest.mark.parametrize(
    ("pipeline", "is_observed", "names"),
    [
        ("breaking", False, "breaking"),
        ("breaking,cse", False, "breaking"),
        ("breaking,promote-refs", False, "breaking, promote-refs"),
        ("breaking,promote-refs,weft-fold", False, "breaking to weft-fold"),
        ("breaking,weft-simplify", True, "breaking"),
    ],
)
def test_the_verifier_names_passes_and_place(
    module: Module, pipeline: str, is_observed: bool, names: str
) -> None:
    observers = [Observer()] if is_observed else []
    with pytest.raises(
        PassError, match=rf"^{names} failed:\n.*: 'weft.negative' op returns f32\[3\], not f32\[7\]"
    ):
        run_pipeline(module, f"builtin.module({pipeline})", passes=TABLE, observers=observers, verify=True)


def test_the_verifier_runs_after_upstream_passes(module: Module) -> None:
    run_pipeline(module, "builtin.module(breaking)", passes=TABLE)
    with pytest.raises(PassError, match=r"cse, canonicalize failed:\n.*op returns f32\[3\], not f32\[7\]"):
        run_pipeline(module, "builtin.module(cse,canonicalize)", verify=True)
    run_pipeline(module, "builtin.module(cse,canonicalize)")


def test_a_failing_upstream_pass_brings_its_diagnostics(module: Module) -> None:
    with pytest.raises(PassError, match=r"one-shot-bufferize failed:\n.*op was not bufferized"):
        run_pipeline(module, "builtin.module(one-shot-bufferize)")


def test_an_unknown_pass(module: Module) -> None:
    with pytest.raises(WeftValueError, match="'nothing' does not refer to a registered pass"):
        run_pipeline(module, "builtin.module(nothing)")


def test_passes_are_left_out_where_none_of_their_ops_is_there(module: Module) -> None:
    table: PassTable = {
        "failing": Entry(f"{__name__}:Failing", frozenset({Sort.mlir_name()})),
        "elsewhere": Entry("weft.nowhere:Nothing", frozenset({Sort.mlir_name()})),
    }
    steps = [Step("failing"), Step("elsewhere")]
    run_pipeline(module, steps, passes=table, verify=True)
    with pytest.raises(PassError, match="failing failed"):  # who looks at passes one by one sees all
        run_pipeline(module, steps, passes=table, observers=[Observer()])


def test_passes_run_where_one_of_their_ops_is_there(module: Module) -> None:
    table: PassTable = {
        "failing": Entry(f"{__name__}:Failing", frozenset({Sort.mlir_name(), Negative.mlir_name()}))
    }
    with pytest.raises(PassError, match="failing failed: out of thread"):
        run_pipeline(module, [Step("failing")], passes=table)


def test_what_a_pass_before_makes_counts(module: Module) -> None:
    """Two negations become none, and what looks for one is left out behind that."""
    entry = Entry(f"{__name__}:Failing", frozenset({Negative.mlir_name()}))
    run_pipeline(module, [Step("weft-simplify"), Step("failing")], passes={**PASSES, "failing": entry})


def test_the_ops_of_passes_exist() -> None:
    with context() as known:
        for name, entry in ALL_PASSES.items():
            for op in entry.ops:
                assert known.is_registered_operation(op), f"{name} rewrites {op}"
