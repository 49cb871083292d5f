"""The facts that every op states about itself: a class that lacks one is found by its name."""

from __future__ import annotations

import ast
import itertools
import re

import pytest

import weft
from support.op_uses import WITHOUT_CASES, Use, uses_of
from support.package import source_files
from support.programs import build, transform
from weft.backend.functions.registry import FILES, MATH_FUNCTIONS, all_functions, lacking
from weft.dialect.op import OPS, Case, Cost, Op, Operand, Ufunc
from weft.dialect.ops.elementary import Erfc, RealFunction
from weft.dialect.ops.elementwise import Add
from weft.dialect.ops.slicing import DynamicSlice
from weft.dialect.types import TensorType
from weft.passes.lowering import files_of, load_families
from weft.passes.lowering.conversion import LOWERINGS

load_families()

NAMES = [name for name in OPS if name not in WITHOUT_CASES]


def missing_facts(op: type[Op]) -> list[str]:
    """What nobody would know about an op: the fact, and where it has to be said."""
    function = op.elementary.partition(".")[2]
    said = {
        "a docstring": bool(op.__dict__.get("__doc__")),
        "cost": isinstance(getattr(op, "cost", None), Cost),
        "extent_source": op.extent_source is not Op.extent_source
        or op.source_of_result.__func__ is not Op.source_of_result.__func__  # type: ignore[attr-defined]
        or op.results == 0,
        "is_speculatable": not op.is_pure()
        or getattr(op.is_speculatable, "__func__", None) is not Op.is_speculatable.__func__,  # type: ignore[attr-defined]
        "cases": bool(op.cases) or op.name in WITHOUT_CASES,
        "example": not issubclass(op, Ufunc) or " -> " in op.example,
        "a lowering": op in LOWERINGS,
        lacking(function): not function or function in all_functions(),
        "an entry in the array namespace": op.family != "elementwise" or hasattr(weft, op.name),
    }
    return [f"{op.name} lacks {what}" for what, is_said in said.items() if not is_said]


@pytest.mark.parametrize("name", OPS)
def test_every_op_states_all_facts(name: str) -> None:
    assert not missing_facts(OPS[name])


def test_lowerings_are_found_without_loading_all() -> None:
    for op, lowering in LOWERINGS.items():
        if op.__module__.startswith("weft."):
            assert lowering.__module__.rpartition(".")[2] in files_of(op)
    assert files_of(Cost) == ()  # type: ignore[arg-type]


def test_functions_are_written_where_the_table_says() -> None:
    files = {name: file for file, names in FILES.items() for name in names.split()}
    for name, function in all_functions().items():
        package, _, file = function.__module__.rpartition(".")
        assert files.get(name) == (None if package.endswith(".special") else file)
    assert files.keys() == MATH_FUNCTIONS <= all_functions().keys()


def test_what_is_not_stated_is_found() -> None:
    class Silent(Op):
        x: Operand

    class Unexpanded(RealFunction, elementary="of_nobody"):
        """An op that nothing lowers or expands."""

    Silent.name, Unexpanded.name = "silent", "unexpanded"
    wanted = ["a docstring", "cost", "extent_source", "is_speculatable", "cases", "a lowering"]
    assert missing_facts(Silent) == [f"silent lacks {what}" for what in wanted]
    wanted = ["a lowering", "@expands('of_nobody')", "an entry in the array namespace"]
    assert missing_facts(Unexpanded) == [f"unexpanded lacks {what}" for what in wanted]


LONG = ("math.powf", "func.call", "scf.while", "arith.remf", "llvm.call")
SLOW = ("arith.div", "arith.rem", "math.sqrt")


def least_cost(op: type[Op]) -> Cost:
    """What the code of an op costs at least, by its slowest instruction, for the dtype for which that is least."""
    costs = []
    for dtypes in op.operand_dtypes():
        if "c" not in {dtype.kind for dtype in dtypes} and dtypes[0].itemsize >= 4:
            module = build([TensorType((4,), dtype) for dtype in dtypes], lambda b, *x: b(op.name, *x))
            transform(module, "weft-to-linalg")
            costs.append(_cost_of_code(str(module)))
    return min(costs)


def _cost_of_code(text: str) -> Cost:
    if any(name in text for name in (*LONG, "special.", *(f"math.{name} " for name in MATH_FUNCTIONS))):
        return Cost.EXPENSIVE
    return Cost.SLOW if any(name in text for name in SLOW) else Cost.CHEAP


@pytest.mark.parametrize("name", [op.name for op in OPS.values() if op.family in ("elementwise", "special")])
def test_what_an_op_costs_is_what_its_code_costs(name: str) -> None:
    assert OPS[name].cost >= least_cost(OPS[name])


def test_code_tells_costs() -> None:
    assert (least_cost(Erfc), least_cost(Add)) == (Cost.EXPENSIVE, Cost.CHEAP)
    assert least_cost(OPS["divide"]) == Cost.SLOW


def unsaid_extents(use: Use) -> list[str]:
    """What an op says wrong, or does not say, about where the extents of its results come from."""
    wrong = []
    operands = use.operands()
    computed = use.op.compute(operands, use.case.attributes)
    inferred = use.op.result_types(use.dynamic_types, use.case.attributes)
    for number, (array, result) in enumerate(zip(computed, inferred, strict=True)):
        assert isinstance(result, TensorType)
        for axis in (axis for axis, extent in enumerate(result.shape) if extent is None):
            try:
                source = use.op.source_of_result(use.dynamic_types, use.case.attributes, number, axis)
            except NotImplementedError:
                return [f"{use.op.name}: extent_source"]
            if source is not None:
                operand = operands[source[0]]
                extent = operand if source[1] == -1 else operand.shape[source[1]]
                if extent != array.shape[axis]:
                    wrong.append(f"{use.op.name}: the extent of axis {axis} in {use} is not {source}")
    return wrong


@pytest.mark.parametrize("name", NAMES)
def test_extents_come_from_where_the_op_says(name: str) -> None:
    for _, uses in itertools.groupby(uses_of(OPS[name]), key=lambda use: use.case):
        assert not unsaid_extents(next(uses))


def test_extents_that_are_not_told_or_wrong_are_found() -> None:
    class Silent(Op):
        x: Operand
        cases = (Case(((3, 4),)),)

        @staticmethod
        def infer(x: TensorType) -> TensorType:
            return x

        @staticmethod
        def evaluate(x: object) -> object:
            return x

    class Wrong(DynamicSlice):
        @staticmethod
        def extent_source(*_: object) -> tuple[int, int]:
            return 0, 0

    Silent.name = Wrong.name = "planted"
    assert unsaid_extents(next(uses_of(Silent))) == ["planted: extent_source"]
    assert any("is not (0, 0)" in text for use in uses_of(Wrong) for text in unsaid_extents(use))


def named_ops(source: str) -> list[str]:
    """The ops that a source names in strings, and not by their classes."""
    if OPS.keys().isdisjoint(re.findall(r"weft\.(\w+)", source)):
        return []
    strings = (node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant))
    return [
        value
        for value in strings
        if isinstance(value, str) and value.removeprefix("weft.") in OPS and "." in value
    ]


def test_ops_are_named_by_their_classes() -> None:
    named = {
        path.name: found
        for path in source_files()
        # The ops of a version of the past are called what they were, whatever their classes are called now.
        if not {"ops", "upgrades"} & set(path.parts)
        and (found := named_ops(path.read_text(encoding="utf-8")))
    }
    assert named == {}


def test_a_name_in_a_string_is_found() -> None:
    assert named_ops("if op.name == 'weft.sort' or op.name == 'scf.if': pass") == ["weft.sort"]
