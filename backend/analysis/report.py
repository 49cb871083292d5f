"""Analyses as text: they are asked for like the text of a stage, also of a function that another process compiled."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from ...dialect.errors import InternalError
from ...dialect.mlir import Module
from ...dialect.sizes import text_of
from ...dialect.types import TensorType
from ..planning.arena import Slot, Workspace
from ..planning.buffers import plan_buffers
from ..planning.outlining.outline import OutlineKernels
from ..planning.packing import FOREVER
from ..planning.plan import Plan
from .cost import Example, count, user_line
from .requests import MEMORY, parts_of


def report(module: Module, request: str) -> str:
    """An analysis of a module at stage "linalg", which is used up, as JSON."""
    OutlineKernels().run(module, Counter())
    kind, name, *examples = parts_of(request)
    if kind == MEMORY:
        return json.dumps(_memory(module, name))
    known = [Example(name, tuple(shape), value) for name, shape, value in examples[0]]
    return json.dumps(asdict(count(module, name, known)), default=_terms)


def _terms(size: Any) -> list[list[Any]]:
    """A size that is a formula: its products, with the texts of what is multiplied."""
    return [[factor, *map(text_of, product)] for product, factor in size.terms.items()]


def _memory(module: Module, name: str) -> Mapping[str, Any]:
    """Where everything lies that a function plans at compile time."""
    workspaces: dict[str, Workspace] = {}
    plan = next((plan for plan in plan_buffers(module, workspaces) if plan.name == name), None)
    if plan is None:
        raise InternalError(f"the module to analyse has no function {name}")
    workspace = workspaces[name]
    return {
        "arguments": [_bytes(type) for type in plan.inputs],
        "results": [_result_bytes(plan, index) for index in range(len(plan.results))],
        "workspace": plan.workspace,
        "blocks": plan.blocks + len(plan.on_heap),
        "copies": plan.copies,
        "buffers": [_buffer(slot, workspace.now) for slot in workspace.slots],
    }


def _result_bytes(plan: Plan, index: int) -> int | None:
    return None if index in plan.on_heap else _bytes(plan.results[index])


def _bytes(type: TensorType) -> int | None:
    return None if type.size is None else type.size * type.dtype.itemsize


def _buffer(slot: Slot, end: int) -> Mapping[str, Any]:
    return {
        "where": "workspace" if slot.holder is None else f"result {slot.holder}",
        "offset": 0 if slot.holder is not None else slot.offset,
        "bytes": slot.size,
        "start": slot.start,
        "end": end + 1 if slot.end == FOREVER else slot.end,
        "line": user_line(str(slot.location)),
    }
