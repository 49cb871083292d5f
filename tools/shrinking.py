"""How IR is made smaller: edits at places that are counted through, each of which leaves IR that the verifier judges.

An edit walks over its places in a module, and does what it does at those that are wanted, by their numbers.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Set
from types import MappingProxyType
from typing import Any, TypeAlias

from ..dialect.made_ops import operation_of, value_of
from ..dialect.mlir import Block, Module, Operation, Type, Value, ir
from ..dialect.ops.creation import Constant
from ..passes.managers import module_pipeline, run_passes
from ..passes.rewriting import operations_in, operations_of, terminator
from .shrinking_types import shrink_extents, simplify_element_types

Wanted: TypeAlias = Set[int]
Edit: TypeAlias = "Callable[[Module, Wanted], int]"
"""Does its work at the wanted places, and returns how many places there are."""

_KEPT = frozenset(
    {"sym_name", "function_type", "operandSegmentSizes", "resultSegmentSizes", "operand_segment_sizes"}
)
"""Attributes without which an op is another one."""

_UPSTREAM = "arith.constant"


def erase_symbols(module: Module, wanted: Wanted) -> int:
    """Functions and other ops of the module itself."""
    found = operations_in(module.body)
    for number in sorted(wanted, reverse=True):
        found[number].erase()
    return len(found)


def empty_functions(module: Module, wanted: Wanted) -> int:
    """Functions, which become declarations."""
    found = [
        each
        for each in operations_in(module.body)
        if each.name == "func.func" and len(each.regions[0].blocks)
    ]
    for number in wanted:
        function = found[number]
        attributes = {name: function.attributes[name] for name in ("sym_name", "function_type")}
        with ir.InsertionPoint(function):
            operation_of(
                "func.func",
                regions=1,
                location=function.location,
                sym_visibility=ir.StringAttr.get("private"),
                **attributes,
            )
        function.erase()
    return len(found)


def inline_regions(module: Module, wanted: Wanted) -> int:
    """Ops with regions of one block, of which one stands in their place: a branch, or one round of a loop."""
    places = [
        (operation, number)
        for operation in operations_of(module.operation)
        if not _is_top(operation)
        for number, region in enumerate(operation.regions)
        if len(region.blocks) == 1
    ]
    done: set[int] = set()
    for place in sorted(wanted, reverse=True):
        operation, number = places[place]
        if id(operation) not in done and _inline(operation, operation.regions[number].blocks[0]):
            done.add(id(operation))
    return len(places)


def _inline(operation: Operation, block: Block) -> bool:
    """Put the ops of a region in place of an op; False where its values do not fit."""
    last = terminator(block)
    leaving = [value for value in last.operands if value.type in [r.type for r in operation.results]]
    results = _matched([result.type for result in operation.results], leaving or list(operation.operands))
    arguments = [_substitute(operation, argument.type) for argument in block.arguments]
    if results is None or any(value is None for value in arguments):
        return False
    for argument, value in zip(block.arguments, arguments, strict=True):
        argument.replace_all_uses_with(value)
    moved = operations_in(block)
    for inner in moved[:-1] if last.has_trait(ir.IsTerminatorTrait) else moved:
        inner.move_before(operation)
    for result, value in zip(operation.results, results, strict=True):
        result.replace_all_uses_with(value)
    operation.erase()
    return True


def _matched(types: list[Type], values: list[Value]) -> list[Value] | None:
    """Values of some types, in the order in which they come."""
    found, remaining = [], list(values)
    for wanted in types:
        value = next((each for each in remaining if each.type == wanted), None)
        if value is None:
            return None
        remaining.remove(value)
        found.append(value)
    return found


_ERASE_UNREACHED = "canonicalize{max-iterations=1 max-num-rewrites=0}"
"""The canonicalizer's work on blocks, without its patterns."""

_DECIDED = MappingProxyType({"cf.cond_br": "cf.br", "llvm.cond_br": "llvm.br"})


def decide_branches(module: Module, wanted: Wanted) -> int:
    """Branches between blocks, of which one way is taken; what is not reached then is erased."""
    places = [
        (operation, way)
        for operation in operations_of(module.operation)
        if operation.name in _DECIDED
        for way in range(2)
    ]
    done: set[int] = set()
    for number in wanted:
        operation, way = places[number]
        if id(operation) in done:
            continue
        done.add(id(operation))
        first = list(operation.attributes["operandSegmentSizes"])[1]
        passed = list(operation.operands)[1:]
        with ir.InsertionPoint(operation):
            ir.Operation.create(
                _DECIDED[operation.name],
                operands=passed[first:] if way else passed[:first],
                successors=[operation.successors[way]],
                loc=operation.location,
            )
        operation.erase()
    if done:
        run_passes(module, module_pipeline([_ERASE_UNREACHED]))
    return len(places)


def erase_ops(module: Module, wanted: Wanted) -> int:
    """Ops, whose results others of their type stand for: an operand, an argument, or a constant."""
    return _erase(module, wanted, _substitute)


def erase_ops_for_constants(module: Module, wanted: Wanted) -> int:
    """Ops, whose results zeros stand for."""
    return _erase(module, wanted, lambda operation, type: _zero(operation, type))


def _erase(module: Module, wanted: Wanted, substitute: Callable[[Operation, Type], Value | None]) -> int:
    found = [
        operation
        for operation in operations_of(module.operation)
        if not _is_top(operation) and not operation.has_trait(ir.IsTerminatorTrait)
    ]
    for number in sorted(wanted, reverse=True):  # users before what they use
        operation = found[number]
        values = {
            place: substitute(operation, result.type)
            for place, result in enumerate(operation.results)
            if any(True for _ in result.uses)
        }
        if any(value is None for value in values.values()):
            continue
        for place, value in values.items():
            operation.results[place].replace_all_uses_with(value)
        operation.erase()
    return len(found)


def _is_top(operation: Operation) -> bool:
    around = operation.parent
    return around is None or around.operation.name == "builtin.module"


def _substitute(operation: Operation, type: Type) -> Value | None:
    """A value of a type that is there before an op: of its operands, of arguments around it, or a constant."""
    for value in (*operation.operands, *_arguments_around(operation)):
        if value.type == type:
            return value
    return _zero(operation, type)


def _arguments_around(operation: Operation) -> Iterator[Value]:
    around: Any = operation
    while around is not None and around.operation.name != "builtin.module":
        block = around.operation.block
        if block is not None:
            yield from block.arguments
        around = around.operation.parent


def _zero(operation: Operation, type: Type) -> Value | None:
    """A constant of a type in front of an op, where there are any."""
    if operation.name in (_UPSTREAM, Constant.mlir_name()):
        return None
    attribute = _zero_attribute(type)
    if attribute is None:
        return None
    is_unsigned = isinstance(type, ir.RankedTensorType) and str(type.element_type).startswith("ui")
    name = Constant.mlir_name() if is_unsigned else _UPSTREAM
    with ir.InsertionPoint(operation):
        return value_of(name, [], type, location=operation.location, value=attribute)


def _zero_attribute(type: Type) -> Any:
    is_dense = isinstance(type, (ir.RankedTensorType, ir.VectorType))
    if is_dense and not type.has_static_shape:
        return None
    element = type.element_type if is_dense else type
    if isinstance(element, (ir.IntegerType, ir.IndexType)):
        zero = ir.IntegerAttr.get(element, 0)
    elif isinstance(element, ir.FloatType):
        zero = ir.FloatAttr.get(element, 0.0)
    else:
        return None
    return ir.DenseElementsAttr.get_splat(type, zero) if is_dense else zero


def drop_results(module: Module, wanted: Wanted) -> int:
    """Results of functions of one block."""
    functions = _functions_of_one_block(module)
    places = [(f, n) for f in functions for n in range(len(terminator(f.regions[0].blocks[0]).operands))]
    for function in functions:
        dropped = {place[1] for n, place in enumerate(places) if n in wanted and place[0] is function}
        if not dropped:
            continue
        last = terminator(function.regions[0].blocks[0])
        kept = [value for number, value in enumerate(last.operands) if number not in dropped]
        with ir.InsertionPoint(last):
            operation_of(last.name, kept, location=last.location)
        last.erase()
        _retype(function, results=[value.type for value in kept])
    return len(places)


def drop_arguments(module: Module, wanted: Wanted) -> int:
    """Arguments of functions that are not used."""
    places = [
        (function, number)
        for function in _functions_of_one_block(module)
        for number, argument in enumerate(function.regions[0].blocks[0].arguments)
        if not any(True for _ in argument.uses)
    ]
    for place in sorted(wanted, reverse=True):
        function, number = places[place]
        block = function.regions[0].blocks[0]
        block.erase_argument(number)
        if "arg_attrs" in function.attributes:
            kept = [each for n, each in enumerate(function.attributes["arg_attrs"]) if n != number]
            function.attributes["arg_attrs"] = ir.ArrayAttr.get(kept)
        _retype(function, inputs=[argument.type for argument in block.arguments])
    return len(places)


def _functions_of_one_block(module: Module) -> list[Operation]:
    found = [each for each in operations_in(module.body) if each.name == "func.func"]
    return [each for each in found if len(each.regions[0].blocks) == 1]


def _retype(function: Operation, inputs: list[Type] | None = None, results: list[Type] | None = None) -> None:
    before = ir.FunctionType(ir.TypeAttr(function.attributes["function_type"]).value)
    inputs = before.inputs if inputs is None else inputs
    if results is not None and "res_attrs" in function.attributes:
        del function.attributes["res_attrs"]
    results = before.results if results is None else results
    function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(inputs, results))


def drop_attributes(module: Module, wanted: Wanted) -> int:
    """Attributes of ops, and of the module."""
    places = [
        (operation, name)
        for operation in (module.operation, *operations_of(module.operation))
        for name in sorted(operation.attributes)
        if name not in _KEPT
    ]
    for number in wanted:
        operation, name = places[number]
        with contextlib.suppress(KeyError):
            del operation.attributes[name]
    return len(places)


def unify_constants(module: Module, wanted: Wanted) -> int:
    """Constants of several elements, all of which become the first one."""
    found = []
    for operation in operations_of(module.operation):
        value = next((operation.attributes[name] for name in operation.attributes if name == "value"), None)
        if (
            isinstance(value, (ir.DenseIntElementsAttr, ir.DenseFPElementsAttr))
            and not value.is_splat
            and len(value)
        ):
            found.append(operation)
    for number in wanted:
        value = found[number].attributes["value"]
        first, element = value[0], value.type.element_type
        make = ir.FloatAttr if isinstance(element, ir.FloatType) else ir.IntegerAttr
        found[number].attributes["value"] = ir.DenseElementsAttr.get_splat(
            value.type, make.get(element, first)
        )
    return len(found)


def _running(*passes: str) -> Edit:
    """An edit of one place: some passes on the module."""

    def run(module: Module, wanted: Wanted) -> int:
        if wanted:
            run_passes(module, module_pipeline(passes))
        return 1

    return run


EDITS: Mapping[str, Edit] = MappingProxyType(
    {
        "functions erased": erase_symbols,
        "functions emptied": empty_functions,
        "regions inlined": inline_regions,
        "branches decided": decide_branches,
        "ops erased": erase_ops,
        "ops made constants": erase_ops_for_constants,
        "dead code": _running("symbol-dce", "trivial-dce"),
        "results dropped": drop_results,
        "arguments dropped": drop_arguments,
        "attributes dropped": drop_attributes,
        "constants made equal": unify_constants,
        "extents made smaller": shrink_extents,
        "element types made simpler": simplify_element_types,
        "canonicalize": _running("canonicalize"),
        "inline": _running("inline"),
    }
)
"""What is tried, in this order, again and again until nothing makes the IR smaller."""
