"""Branches and loops: what arrays decide is staged, as Python's `if` and `while` are in converted code."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence as Numbers
from typing import Any, TypeAlias

import numpy as np

from ....autograph.loop_hints import range as staged_range
from ....autograph.operators.calls.calls import call
from ....autograph.operators.objects.access import attr, set_item
from ....autograph.operators.statements.expressions import if_exp
from ....autograph.operators.statements.for_loops import for_
from ....autograph.operators.statements.statements import while_
from ....autograph.operators.values.resolve_grown_lists import resolve_grown_list
from ....tracing.array import TracedArray
from ....tracing.current import current_trace
from ..graphs import Graph, Value
from ..namespace import item, weft, writable
from ..sizes import as_array
from ..table import Refused, Visit, rule
from .shapes import normal_axis


def _scalar(value: Any) -> Any:
    """The only element of an array, which stays known if it is."""
    value = as_array(value)
    return weft.reshape(value, ()) if isinstance(value, TracedArray) else np.asarray(value).reshape(())[()]


@rule("If")
def if_(condition: Any, *, then_branch: Graph, else_branch: Graph, node: Visit) -> Any:
    """One of two graphs, staged if the condition is computed."""

    def of(graph: Graph) -> tuple[Any, ...]:
        return tuple(as_array(value) for value in node.applied(graph, ()))

    test = _scalar(condition)
    if not isinstance(test, TracedArray):
        return of(then_branch if bool(test) else else_branch)
    return tuple(if_exp(test, lambda: of(then_branch), lambda: of(else_branch)))


@rule("Loop")
def loop(trips: Any = None, condition: Any = None, *carried: Any, body: Graph, node: Visit) -> Any:
    """A graph again and again, as often as is told and as long as a condition holds; staged if these are computed."""
    count = None if trips is None else _scalar(trips)
    test = np.True_ if condition is None else _scalar(condition)
    width = len(carried)
    names = len(body.outputs) - 1 - width
    always = _gives_condition(body)
    if always and count is not None and not isinstance(test, TracedArray):
        if not bool(test):
            count = np.int64(0)
        return _counted(count, carried, names, body, node)
    if not isinstance(count, TracedArray) and not isinstance(test, TracedArray):
        found = _by_python(count, test, carried, names, body, node)
        if found is not None:
            return found
    return _staged_while(count, test, carried, names, body, node)


def _gives_condition(body: Graph) -> bool:
    """Whether a body hands its condition on as it got it, or one that is constantly true."""
    name = body.outputs[0].name
    for one in reversed(body.nodes):
        if name in one.outputs:
            if one.op == "Identity":
                name = one.inputs[0]
            elif one.op == "Constant" and "value" in one.attributes:
                return bool(np.all(one.attributes["value"]))
            else:
                return False
    if name in body.constants:
        return bool(np.all(body.constants[name]))
    return name == body.inputs[1].name


_UNROLLED = 16
"""How many turns are unrolled, where their number is known before the first."""

MOST_TURNS = 256
"""How many are, where each turn tells whether there is another one."""


def _by_python(
    count: Any, test: Any, carried: tuple[Any, ...], names: int, body: Graph, node: Visit
) -> tuple[Any, ...] | None:
    """The loop, if Python can tell each time whether it goes on; None if what decides is computed."""
    state: tuple[Any, ...] = carried
    rows: list[list[Any]] = [[] for _ in range(names)]
    turn = 0
    while (count is None or turn < int(count)) and bool(test):
        if turn == MOST_TURNS and current_trace() is not None:
            return None
        found = node.applied(body, (np.int64(turn), np.asarray(test), *state))
        test, state = found[0], tuple(found[1 : len(state) + 1])
        for row, value in zip(rows, found[1 + len(state) :], strict=True):
            row.append(as_array(value))
        if isinstance(as_array(test), TracedArray):
            return None
        test = np.asarray(as_array(test)).reshape(())
        turn += 1
    outputs = body.outputs[1 + len(state) :]
    stacked = (
        weft.stack(row) if row else _nothing(output) for row, output in zip(rows, outputs, strict=True)
    )
    return (*state, *stacked)


def _nothing(output: Value) -> Any:
    """No rows of an output."""
    return weft.zeros((0, *(extent or 0 for extent in output.sizes or ())), dtype=output.dtype or np.float32)


def _counted(count: Any, carried: tuple[Any, ...], names: int, body: Graph, node: Visit) -> tuple[Any, ...]:
    """A loop whose turns are counted alone."""
    if any(isinstance(value, list) for value in carried) or (
        not isinstance(count, TracedArray) and int(count) <= _UNROLLED
    ):
        found = (
            None
            if isinstance(count, TracedArray)
            else _by_python(count, np.True_, carried, names, body, node)
        )
        if found is None:
            raise Refused("carries sequences through a loop whose number of turns is computed")
        return found

    def step(i: Any, state: tuple[Any, ...]) -> list[Any]:
        return node.applied(body, (weft.asarray(i), np.True_, *state))[1:]

    state, rows = _in_turns(count, step, tuple(map(as_array, carried)), names)
    return (*state, *rows)


Step: TypeAlias = "Callable[[Any, tuple[Any, ...]], list[Any]]"
"""Of a loop, what makes of the number of the turn and of a state the next state, and what the turn gives besides."""


def _in_turns(
    count: Any, step: Step, state: tuple[Any, ...], names: int
) -> tuple[tuple[Any, ...], list[Any]]:
    """The state after so many turns, and what these give besides, as rows."""
    rooms = _rooms(count, step, state) if names else []

    def turn(i: Any) -> None:
        nonlocal state
        found = [as_array(value) for value in step(i, state)]
        state = tuple(found[: len(state)])
        for room, value in zip(rooms, found[len(state) :], strict=True):
            set_item(room, i, value)

    for_(staged_range(count), turn)
    return state, rooms


class _Given:
    """The types of what a turn gives; an object of weft's own, so that no branch takes it for the program's."""

    def __init__(self) -> None:
        self.types: list[tuple[tuple[int | None, ...], Any]] = []


def _rooms(count: Any, step: Step, state: tuple[Any, ...]) -> list[Any]:
    """Room for what turns give besides the state, by the types of what the first gives, if there is one."""
    given = _Given()

    def first() -> tuple[Any, ...]:
        values = [as_array(value) for value in step(np.int64(0), state)][len(state) :]
        given.types = [(_known(value), value.dtype) for value in values]
        extents = [extent for value in values for extent in value.shape if isinstance(extent, TracedArray)]
        return (np.int64(0), *extents)

    def none() -> tuple[Any, ...]:
        return (np.int64(0),) * (1 + sum(shape.count(None) for shape, _ in given.types))

    found = if_exp(weft.greater(count, 0), first, none) if isinstance(count, TracedArray) else first()
    extents = iter(found[1:])
    made = []
    for shape, dtype in given.types:
        whole = [next(extents) if extent is None else extent for extent in shape]
        made.append(writable(weft.zeros((count, *whole), dtype=dtype), count, *state))
    return made


def _known(value: Any) -> tuple[int | None, ...]:
    return tuple(None if isinstance(extent, TracedArray) else extent for extent in value.shape)


def _append(rows: list[list[Any]], values: Numbers[Any]) -> None:
    for row, value in zip(rows, values, strict=True):
        call(attr(row, "append"), value)


def _stacked(row: list[Any]) -> Any:
    """What turns have given, as rows of an array: `np.stack` takes no empty list."""
    return call(np.array, resolve_grown_list(row))


def _staged_while(
    count: Any, test: Any, carried: tuple[Any, ...], names: int, body: Graph, node: Visit
) -> tuple[Any, ...]:
    """A loop that what it computes ends; what its turns give grows lists."""
    state = tuple(map(as_array, carried))
    turn: Any = np.int64(0)
    going = test
    rows: list[list[Any]] = [[] for _ in range(names)]

    def goes_on() -> Any:
        return going if count is None else weft.logical_and(weft.less(turn, count), going)

    def take_turn() -> None:
        nonlocal state, turn, going
        found = [as_array(value) for value in node.applied(body, (turn, going, *state))]
        going, state = _scalar(found[0]), tuple(found[1 : len(state) + 1])
        turn = turn + np.int64(1)
        _append(rows, found[1 + len(state) :])

    while_(goes_on, take_turn, None)
    return (*state, *map(_stacked, rows))


@rule("Scan", since=9)
def scan(
    *values: Any,
    body: Graph,
    num_scan_inputs: int,
    scan_input_axes: Numbers[int] | None = None,
    scan_input_directions: Numbers[int] | None = None,
    scan_output_axes: Numbers[int] | None = None,
    scan_output_directions: Numbers[int] | None = None,
    node: Visit,
) -> Any:
    """A graph for each place along an axis of its inputs, which hands a state on."""
    state, scanned = values[: len(values) - num_scan_inputs], values[len(values) - num_scan_inputs :]
    directions = list(scan_input_directions or (0,) * num_scan_inputs)
    axes = list(scan_input_axes or (0,) * num_scan_inputs)
    rows = []
    for x, axis, is_reversed in zip(scanned, axes, directions, strict=True):
        line = weft.moveaxis(weft.asarray(x), normal_axis(axis, x.ndim), 0)
        rows.append(weft.flip(line, axis=0) if is_reversed else line)
    names = len(body.outputs) - len(state)
    state, made = scanned_rows(
        lambda carried, parts: node.applied(body, (*carried, *parts)),
        tuple(map(as_array, state)),
        rows,
        names,
    )
    if len(made) < names:
        made = [_nothing(output) for output in body.outputs[len(state) :]]
    results = []
    for place, row in enumerate(made):
        row = weft.flip(row, axis=0) if (scan_output_directions or (0,) * len(made))[place] else row
        axis = (scan_output_axes or (0,) * len(made))[place]
        results.append(weft.moveaxis(row, 0, normal_axis(axis, row.ndim)))
    return (*state, *results)


def scanned_rows(
    step: Callable[[tuple[Any, ...], list[Any]], list[Any]],
    state: tuple[Any, ...],
    rows: list[Any],
    names: int,
) -> tuple[tuple[Any, ...], list[Any]]:
    """The state after a step for each row, and what the steps give besides, as rows; nothing, if there are no rows."""
    count = rows[0].shape[0]
    if isinstance(count, TracedArray) or count > _UNROLLED:
        return _in_turns(
            count, lambda i, carried: step(carried, [item(row, (i,)) for row in rows]), state, names
        )
    columns: list[list[Any]] = []
    for place in range(count):
        found = [as_array(value) for value in step(state, [row[place] for row in rows])]
        columns.append(found[len(state) :])
        state = tuple(found[: len(state)])
    return state, [weft.stack(list(column)) for column in zip(*columns, strict=True)]
