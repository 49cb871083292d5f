"""Plans as attributes of what they plan, so that a later step finds them in the IR alone.

A planned function has its plan as `weft.plan`; where the program may end, which all functions share, the module has as
`weft.sites`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...dialect.attributes import type_from_mlir, type_to_mlir
from ...dialect.errors import WeftError
from ...dialect.mlir import Attribute, Module, Operation, ir
from ...dialect.types import TensorType
from .packed_layout import PACKED_ARGUMENTS, PackedArgument, PackedLayout
from .plan import HostSite, Plan, Site

PLAN, SITES = "weft.plan", "weft.sites"
ON_HOST = "weft.on_host"
"""The attribute of a function that is not planned yet with the numbers of the inputs that `Plan.on_host` tells."""
SCRATCH = "weft.scratch"
"""The attribute of planned functions whose kernels ask for memory while they run."""
_ELSEWHERE = {"name", "sites", "packed", "scratch"}
"""Fields of a plan that other attributes tell."""


def attach_plans(module: Module, plans: Sequence[Plan]) -> None:
    """Note the plans of a module's functions, which are those of one program: they have their sites in common."""
    if not plans:
        return
    functions = _functions(module)
    module.operation.attributes[SITES] = _attribute(plans[0].sites)
    for plan in plans:
        fields = {name: value for name, value in plan._asdict().items() if name not in _ELSEWHERE}
        function = functions[plan.name]
        function.attributes[PLAN] = ir.DictAttr.get({name: _attribute(v) for name, v in fields.items()})
        if plan.packed:
            function.attributes[PACKED_ARGUMENTS] = packed_attribute(plan.packed)


def planned_functions(module: Module) -> list[Operation]:
    """The functions that have plans."""
    return [function for function in _functions(module).values() if PLAN in function.attributes]


def plans_of(module: Module) -> list[Plan]:
    """The plans that were noted."""
    functions = planned_functions(module)
    sites = [_site(site) for site in _value(module.operation.attributes[SITES])] if functions else []
    return [_plan(function, sites) for function in functions]


_FORMS: Mapping[str, Callable[[Any], bool]] = {
    **dict.fromkeys(("inputs", "results"), lambda value: _are(value, TensorType)),
    **dict.fromkeys(("copies", "blocks"), lambda value: type(value) is int),
    **dict.fromkeys(("calls", "polls"), lambda value: type(value) is bool),
    "workspace": lambda value: value is None or type(value) is int,
    "sizes": lambda value: value is None or type(value) is str,
    **dict.fromkeys(("on_heap", "written", "on_host"), lambda value: _are(value, int)),
}
"""What the fields of a plan must be, but for those that other attributes tell."""


def is_plan(attribute: Attribute) -> bool:
    """Whether an attribute is the plan of a function."""
    if not isinstance(attribute, ir.DictAttr) or {entry.name for entry in attribute} != _FORMS.keys():
        return False
    values = {entry.name: _value_or_itself(entry.attr) for entry in attribute}
    return all(_FORMS[name](value) for name, value in values.items())


def are_sites(attribute: Attribute) -> bool:
    """Whether an attribute tells where a program may end."""
    sites = _value_or_itself(attribute)
    return isinstance(sites, tuple) and all(isinstance(site, tuple) and _is_site(site) for site in sites)


def _is_site(fields: Sequence[Any]) -> bool:
    if [type(field) for field in fields] == [str, str, int, str]:
        return True
    if len(fields) != 4 or type(fields[0]) is not int or type(fields[3]) is not str:
        return False
    return all(_are(types, TensorType) for types in fields[1:3])


def _are(values: Any, kind: type) -> bool:
    return isinstance(values, tuple) and all(isinstance(value, kind) for value in values)


def _value_or_itself(attribute: Attribute) -> Any:
    """What an attribute from outside says; itself where plans have none such."""
    try:
        return _value(attribute)
    except (AttributeError, WeftError):
        return attribute


def called_once(module: Module) -> list[Operation]:
    """The functions that their entries alone call; what functions of the program call has a plan of its own."""
    functions = _functions(module)
    planned = [ir.DictAttr(f.attributes[PLAN]) for f in functions.values() if PLAN in f.attributes]
    if len(planned) != 1 or planned[0]["calls"].value:
        return []
    sizes = _value(planned[0]["sizes"])
    return [f for name, f in functions.items() if PLAN in f.attributes or name == sizes]


def _plan(function: Operation, sites: list[Site | HostSite]) -> Plan:
    fields = {entry.name: _value(entry.attr) for entry in ir.DictAttr(function.attributes[PLAN])}
    fields["inputs"], fields["results"] = list(fields["inputs"]), list(fields["results"])
    for places in ("on_heap", "written", "on_host"):
        fields[places] = frozenset(fields[places])
    name: str = function.attributes["sym_name"].value
    is_scratch = SCRATCH in function.attributes
    return Plan(name=name, sites=sites, packed=packed_arguments(function), scratch=is_scratch, **fields)


def _site(fields: Sequence[Any]) -> Site | HostSite:
    return Site(*fields) if isinstance(fields[0], str) else HostSite(*fields)


def packed_attribute(arguments: Sequence[PackedArgument]) -> Attribute:
    """The attribute that tells which further arguments a function has, and what they are packed copies of."""
    return ir.ArrayAttr.get(
        [
            ir.DenseI64ArrayAttr.get([argument, layout.axis, layout.panel, *layout.order])
            for argument, layout in arguments
        ]
    )


def packed_arguments(function: Operation) -> tuple[PackedArgument, ...]:
    """What the last arguments of a function are packed copies of."""
    if PACKED_ARGUMENTS not in function.attributes:
        return ()
    entries = (list(ir.DenseI64ArrayAttr(entry)) for entry in function.attributes[PACKED_ARGUMENTS])
    return tuple(
        PackedArgument(argument, PackedLayout(axis, panel, tuple(order)))
        for argument, axis, panel, *order in entries
    )


def _functions(module: Module) -> dict[str, Operation]:
    return {
        view.operation.attributes["sym_name"].value: view.operation
        for view in module.body.operations
        if view.operation.name in ("func.func", "llvm.func")
    }


def _attribute(value: Any) -> Attribute:
    if value is None:
        return ir.UnitAttr.get()
    if isinstance(value, bool):
        return ir.BoolAttr.get(value)
    if isinstance(value, int):
        return ir.IntegerAttr.get(ir.IntegerType.get_signless(64), value)
    if isinstance(value, str):
        return ir.StringAttr.get(value)
    if isinstance(value, TensorType):
        return ir.TypeAttr.get(type_to_mlir(value))
    return ir.ArrayAttr.get([_attribute(element) for element in value])


def _value(attribute: Attribute) -> Any:
    if isinstance(attribute, ir.UnitAttr):
        return None
    if isinstance(attribute, ir.TypeAttr):
        return type_from_mlir(attribute.value)
    if isinstance(attribute, ir.ArrayAttr):
        return tuple(_value(element) for element in attribute)
    return attribute.value
