"""Which results of functions are updates of parameters: both are one memory, which the caller lends.

    func.func private @sift(%list: tensor<9xi64>, %i: tensor<i64>) -> tensor<9xi64> {
      ...
      %2 = tensor.insert ... into %list
      %3 = func.call @sift(%2, ...) {weft.updates = array<i64: 0>}      result 0 is what operand 0 becomes
      %4 = scf.if ... yield %3, or %list
      return %4

Without, a function that changes an element of an array and calls itself would copy the array at each call.
"""

from __future__ import annotations

from ...dialect.mlir import Block, Operation, Value, ir
from ...passes.rewriting import operations_in
from .failures import find
from .outlining.destinations import UPDATES, VIEWS, origin
from .shapes import static_shape

Updates = tuple[int, ...]
"""For each result of a function the number of the parameter that it is an update of, or -1."""


def note_updates(functions: list[Operation]) -> dict[str, Updates]:
    """Find the updated parameters of functions that only others of the program call, and note them at the calls."""
    private = [f for f in functions if "sym_visibility" in f.attributes and f.regions[0].blocks]
    calls: dict[str, list[Operation]] = {}
    for function in functions:
        for call in find(function, "func.call"):
            calls.setdefault(call.attributes["callee"].value, []).append(call)
    found: dict[str, Updates] = {}
    while True:  # until what calls of others are known to update changes nothing any more
        before = dict(found)
        for function in private:
            name = function.attributes["sym_name"].value
            if name in calls:
                found[name] = _updates_of(function, calls[name])
        if found == before:
            return found


def _updates_of(function: Operation, calls: list[Operation]) -> Updates:
    """A parameter counts as updated if it is where calls of the function itself are taken to do so."""
    body = function.regions[0].blocks[0]
    operations = operations_in(body)
    inside, returned = set(operations), list(operations[-1].operands)
    updates = [-1] * len(returned)
    for number, value in enumerate(returned):
        for parameter in _candidates(body, returned, number):
            if parameter not in updates:
                updates[number] = parameter
                _note(calls, updates)
                start = origin(value, inside)
                if start is not None and start == body.arguments[parameter]:
                    break
                updates[number] = -1
    _note(calls, updates)
    return tuple(updates)


def _candidates(body: Block, returned: list[Value], number: int) -> list[int]:
    """The parameters of the result's type, arrays of one size, that are not among the other results themselves."""
    type = returned[number].type
    if not isinstance(type, ir.RankedTensorType) or not type.rank or None in static_shape(type):
        return []
    others = [_viewed(value) for place, value in enumerate(returned) if place != number]
    return [
        i for i, argument in enumerate(body.arguments) if argument.type == type and argument not in others
    ]


def _viewed(value: Value) -> Value:
    while not isinstance(value.owner, ir.Block) and value.owner.operation.name in VIEWS:
        value = value.owner.operation.operands[0]
    return value


def _note(calls: list[Operation], updates: list[int]) -> None:
    for call in calls:
        call.attributes[UPDATES] = ir.DenseI64ArrayAttr.get(updates)
