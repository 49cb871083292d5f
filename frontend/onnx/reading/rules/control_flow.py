"""Branches and loops: what arrays decide is staged, as Python's `if` and `while` are in converted code."""

from __future__ import annotations

from collections.abc import Sequence as Numbers
from typing import Any

import numpy as np

from ....autograph.loop_hints import range as staged_range
from ....autograph.operators.calls.calls import call
from ....autograph.operators.objects.access import attr, set_item
from ....autograph.operators.statements.expressions import if_exp
from ....autograph.operators.statements.for_loops import for_
from ....autograph.operators.statements.statements import while_
from ....autograph.operators.values.resolve_grown_lists import resolve_grown_list
from ....tracing.array import TracedArray
from ..graphs import Graph
from ..namespace import item, weft, writable
from ..sizes import as_array
from ..table import Refused, Visit, rule
from .shapes import normal_axis, part


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


def _by_python(
    count: Any, test: Any, carried: tuple[Any, ...], names: int, body: Graph, node: Visit
) -> tuple[Any, ...] | None:
    """The loop, if Python can tell each time whether it goes on; None if what decides is computed."""
    state: tuple[Any, ...] = carried
    rows: list[list[Any]] = [[] for _ in range(names)]
    turn = 0
    while (count is None or turn < int(count)) and bool(test):
        found = node.applied(body, (np.int64(turn), np.asarray(test), *state))
        test, state = found[0], tuple(found[1 : len(state) + 1])
        for row, value in zip(rows, found[1 + len(state) :], strict=True):
            row.append(as_array(value))
        if isinstance(as_array(test), TracedArray):
            return None
        test = np.asarray(as_array(test)).reshape(())
        turn += 1
    return (
        *_wrapped(state),
        *(weft.stack(row) if row else _nothing(body, place, node) for place, row in enumerate(rows)),
    )


def _nothing(body: Graph, place: int, node: Visit) -> Any:
    """No rows of an output."""
    output = body.outputs[
        len(body.outputs) - 1 - 0 - (len(body.outputs) - 1 - place - (len(body.inputs) - 1))
    ]
    shape = [extent if isinstance(extent, int) else 0 for extent in output.shape or ()]
    return weft.zeros((0, *shape), dtype=output.dtype or np.float32)


def _wrapped(state: Numbers[Any]) -> tuple[Any, ...]:
    return tuple(state)


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
    state = tuple(as_array(value) for value in carried)
    if not names:

        def body_(i: Any) -> None:
            nonlocal state
            found = node.applied(body, (weft.asarray(i), np.True_, *state))
            state = tuple(as_array(value) for value in found[1:])

        for_(staged_range(count), body_)
        return state
    rows = _rows(count, state, body, node)

    def with_rows(i: Any) -> None:
        nonlocal state
        found = [as_array(value) for value in node.applied(body, (weft.asarray(i), np.True_, *state))]
        state = tuple(found[1 : len(state) + 1])
        for row, value in zip(rows, found[1 + len(state) :], strict=True):
            set_item(row, i, value)

    for_(staged_range(count), with_rows)
    return (*state, *rows)


def _rows(count: Any, state: tuple[Any, ...], body: Graph, node: Visit) -> list[Any]:
    """Room for what each turn gives besides what it carries."""
    found = [as_array(value) for value in node.applied(body, (np.int64(0), np.True_, *state))]
    made = []
    for value in found[1 + len(state) :]:
        made.append(writable(weft.zeros((count, *value.shape), dtype=value.dtype), value, count))
    return made


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
        for row, value in zip(rows, found[1 + len(state) :], strict=True):
            call(attr(row, "append"), value)

    while_(goes_on, take_turn, None)
    return (*state, *(call(np.stack, resolve_grown_list(row)) for row in rows))


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
    state, made = scanned_rows(
        lambda carried, parts: node.applied(body, (*carried, *parts)), tuple(map(as_array, state)), rows
    )
    results = []
    for place, row in enumerate(made):
        row = weft.flip(row, axis=0) if (scan_output_directions or (0,) * len(made))[place] else row
        axis = (scan_output_axes or (0,) * len(made))[place]
        results.append(weft.moveaxis(row, 0, normal_axis(axis, row.ndim)))
    return (*state, *results)


def scanned_rows(step: Any, state: tuple[Any, ...], rows: list[Any]) -> tuple[tuple[Any, ...], list[Any]]:
    """The state after a step for each row, and what the steps give besides, as rows."""
    count = rows[0].shape[0]
    if isinstance(count, int) and count <= _UNROLLED:
        columns: list[list[Any]] = []
        for place in range(count):
            found = [as_array(value) for value in step(state, [row[place] for row in rows])]
            columns.append(found[len(state) :])
            state = tuple(found[: len(state)])
        return state, [weft.stack(list(column)) for column in zip(*columns, strict=True)]
    first = [as_array(value) for value in step(state, [row[0] for row in rows])]
    made = []
    for value in first[len(state) :]:
        made.append(writable(weft.zeros((count, *value.shape), dtype=value.dtype), value, count))

    def body(i: Any) -> None:
        nonlocal state
        found = [as_array(value) for value in step(state, [item(row, (i,)) for row in rows])]
        state = tuple(found[: len(state)])
        for room, value in zip(made, found[len(state) :], strict=True):
            set_item(room, i, value)

    for_(staged_range(count), body)
    return state, made


__all__ = ["part", "scanned_rows"]
