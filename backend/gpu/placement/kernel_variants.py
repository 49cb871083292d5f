"""Kernels that take numbers in another way: a copy for each way in which the calls of a kernel want it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping

from ....dialect.mlir import Module, Operation, Type, Value, dialect, ir
from ....passes.control_flow.structure import made_by, tensor_of
from ....passes.rewriting import settle_signature, symbols_of
from ...planning.boundaries import kernel_functions
from ...planning.names import new_kernel_name

_LOOPS = ("scf.for", "scf.while")

Change = Callable[[Value], None]
"""Changes the type of an argument of a kernel, and how its body uses it."""


def callee_of(call: Operation) -> str:
    """The name of what a `func.call` calls."""
    name: str = ir.FlatSymbolRefAttr(call.attributes["callee"]).value
    return name


def change_arguments(module: Module, places: Mapping[Operation, tuple[int, ...]], change: Change) -> None:
    """Let calls of kernels, all there are, pass the operands at some places in another way."""
    kernels, taken = kernel_functions(module), set(symbols_of(module))
    variants: dict[str, dict[tuple[int, ...], list[Operation]]] = defaultdict(lambda: defaultdict(list))
    for call, chosen in places.items():
        variants[callee_of(call)][chosen].append(call)
    for name, by_places in variants.items():
        for position, (chosen, calls) in enumerate(by_places.items()):
            is_last = position == len(by_places) - 1
            kernel = kernels[name] if is_last else _copy(kernels[name], taken)
            _change(kernel, chosen, change)
            for call in calls:
                symbol = kernel.attributes["sym_name"].value
                call.attributes["callee"] = ir.FlatSymbolRefAttr.get(symbol)


def take_by_value(argument: Value) -> None:
    """Let a kernel take the number that a rank-0 tensor holds."""
    tensor = argument.type
    argument.set_type(tensor.element_type)
    made = dialect("tensor").from_elements(tensor, [argument])
    argument.replace_all_uses_except(made, made.owner.operation)


def take_as_tensor(argument: Value) -> None:
    """Let a kernel take a number, a truth value or an index, as a rank-0 tensor that holds it."""
    type = argument.type
    argument.set_type(ir.RankedTensorType.get([], stored_type(type)))
    first = [use.owner.operation for use in argument.uses]
    number = from_tensor(argument, type)
    reading = [use.owner.operation for use in argument.uses if use.owner.operation not in first]
    argument.replace_all_uses_except(number, reading)


def from_tensor(tensor: Value, type: Type) -> Value:
    """The number, the truth value, or the index, that a rank-0 tensor holds."""
    arith = dialect("arith")
    stored = dialect("tensor").extract(tensor, [])
    if stored.type == type:
        return stored
    if isinstance(type, ir.IndexType):
        return arith.index_cast(type, stored)
    return arith.cmpi(arith.CmpIPredicate.ne, stored, arith.constant(stored.type, 0))


def as_tensor(number: Value) -> Value:
    """The rank-0 tensor that such a kernel is given: that which the number is in, if the function made it."""
    arith, element = dialect("arith"), stored_type(number.type)
    cast = made_by(number, "arith.index_cast") if isinstance(number.type, ir.IndexType) else None
    stored = tensor_of(number if cast is None else cast.operands[0])
    if stored is not None and stored.type.element_type == element and _is_made(stored):
        return stored
    if isinstance(number.type, ir.IndexType):
        number = arith.index_cast(element, number)
    elif number.type != element:
        number = arith.extui(element, number)
    return dialect("tensor").from_elements(ir.RankedTensorType.get([], element), [number])


def _is_made(tensor: Value) -> bool:
    """Whether a tensor is of a kernel, a branch or a loop, and none that the function is given."""
    if isinstance(tensor.owner, ir.Block):
        return bool(tensor.owner.owner.operation.name in _LOOPS)
    return tensor.owner.operation.name in ("func.call", "scf.if", *_LOOPS)


def stored_type(type: Type) -> Type:
    """The type that arrays hold such numbers as."""
    if isinstance(type, ir.IndexType):
        return ir.IntegerType.get_signless(64)
    return ir.IntegerType.get_signless(8) if type == ir.IntegerType.get_signless(1) else type


def _copy(kernel: Operation, taken: set[str]) -> Operation:
    with ir.InsertionPoint.after(kernel):
        copy: Operation = kernel.clone().operation
    copy.attributes["sym_name"] = ir.StringAttr.get(new_kernel_name(taken))
    return copy


def _change(kernel: Operation, places: tuple[int, ...], change: Change) -> None:
    block = kernel.regions[0].blocks[0]
    with ir.InsertionPoint.at_block_begin(block), kernel.location:
        for place in places:
            change(block.arguments[place])
    settle_signature(kernel)
