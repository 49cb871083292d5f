"""Which weft passes there are, by name; their modules are imported when a pass is asked for."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from ..dialect.errors import InternalError
from ..dialect.imports import uncollected
from ..dialect.records import NamedTuple
from .base import Pass


class Entry(NamedTuple):
    """A pass in a table."""

    place: str
    """Where its class is, `module:Class`."""
    ops: frozenset[str] = frozenset()
    """What it rewrites: it leaves modules as they are that have none of these ops, and need not be loaded for them.

    A pass that says nothing runs on all modules.
    """


PassTable = Mapping[str, Entry]
"""The passes by their names; rooms above have tables of their own."""

PASSES: PassTable = MappingProxyType(
    {
        "batch-iterations": Entry(f"{__package__}.control_flow.batch_iterations:BatchIterations"),
        "block-dot-products": Entry(
            f"{__package__}.control_flow.block_dot_products:BlockDotProducts", frozenset({"scf.for"})
        ),
        "check-arrays-first": Entry(
            f"{__package__}.control_flow.check_arrays_first:CheckArraysFirst", frozenset({"scf.for"})
        ),
        "convert-weft-to-linalg": Entry(f"{__package__}.lowering.convert_weft_to_linalg:ConvertWeftToLinalg"),
        "forward-extents": Entry(f"{__package__}.control_flow.forward_extents:ForwardExtents"),
        "fuse-updates": Entry(
            f"{__package__}.fusion.fuse_updates:FuseUpdates", frozenset({"weft.slice_update"})
        ),
        "gather-convolutions": Entry(
            f"{__package__}.algebra.gather_convolutions:GatherConvolutions",
            frozenset({"weft.matmul", "weft.sum"}),
        ),
        "optimize-gradients": Entry(f"{__package__}.differentiation.optimize_gradients:OptimizeGradients"),
        "read-inserted": Entry(
            f"{__package__}.fusion.read_inserted:ReadInserted", frozenset({"tensor.insert_slice"})
        ),
        "read-first": Entry(f"{__package__}.fusion.read_first:ReadFirst"),
        "weft-differentiate": Entry(f"{__package__}.differentiation.differentiate:Differentiate"),
        "generalize-products": Entry(
            f"{__package__}.fusion.generalize_products:GeneralizeProducts", frozenset({"linalg.contract"})
        ),
        "hoist-checks": Entry(f"{__package__}.control_flow.hoist_checks:HoistChecks"),
        "hoist-invariants": Entry(f"{__package__}.control_flow.hoist_invariants:HoistInvariants"),
        "hoist-products": Entry(f"{__package__}.control_flow.hoist_products:HoistProducts"),
        "if-to-select": Entry(f"{__package__}.control_flow.if_to_select:IfToSelect"),
        "optimize-control-flow": Entry(f"{__package__}.control_flow.optimize:OptimizeControlFlow"),
        "promote-refs": Entry(f"{__package__}.cells.promote_refs:PromoteRefs"),
        "propagate-conditions": Entry(f"{__package__}.control_flow.propagate_conditions:PropagateConditions"),
        "prove-extents": Entry(f"{__package__}.control_flow.prove_extents:ProveExtents"),
        "gather-sums": Entry(f"{__package__}.control_flow.gather_sums:GatherSums"),
        "gather-windows": Entry(
            f"{__package__}.control_flow.gather_windows:GatherWindows",
            frozenset({"scf.for", "weft.scatter", "weft.slice_update"}),
        ),
        "prove-bounds": Entry(f"{__package__}.control_flow.prove_bounds:ProveBounds"),
        "remove-repeated-checks": Entry(
            f"{__package__}.control_flow.remove_repeated_checks:RemoveRepeatedChecks"
        ),
        "simplify-carried-values": Entry(
            f"{__package__}.control_flow.simplify_carried_values:SimplifyCarriedValues"
        ),
        "mark-distinct-bodies": Entry(f"{__package__}.lowering.mark_distinct_bodies:MarkDistinctBodies"),
        "sink-exits": Entry(f"{__package__}.control_flow.sink_exits:SinkExits"),
        "stretch-operands": Entry(
            f"{__package__}.fusion.stretch_operands:StretchOperands", frozenset({"weft.stretch"})
        ),
        "thread-branches": Entry(f"{__package__}.control_flow.thread_branches:ThreadBranches"),
        "transpose-columns": Entry(f"{__package__}.control_flow.transpose_columns:TransposeColumns"),
        "unroll-loops": Entry(f"{__package__}.control_flow.unroll_loops:UnrollLoops"),
        "weft-fold": Entry(f"{__package__}.algebra.fold_constants:FoldConstants"),
        "weft-fuse-elementwise": Entry(f"{__package__}.fusion.fuse_elementwise:FuseElementwise"),
        "weft-inline": Entry(
            f"{__package__}.control_flow.inline_calls:InlineCalls", frozenset({"func.call"})
        ),
        "weft-simplify": Entry(f"{__package__}.algebra.simplify:SimplifyAlgebra"),
        "while-to-for": Entry(f"{__package__}.control_flow.while_to_for:WhileToFor"),
    }
)


def load_pass(name: str, table: PassTable = PASSES) -> type[Pass]:
    """Import the class of a pass.

    >>> load_pass("weft-fold").summary
    'evaluate ops whose operands are all constants'
    """
    place = table[name].place
    pass_class = _class_at(place)
    if pass_class.name != name:
        raise InternalError(f"{place} is called {pass_class.name}, but registered as {name}")
    return pass_class


@cache
def _class_at(place: str) -> type[Pass]:
    module_name, _, class_name = place.partition(":")
    with uncollected():
        module = importlib.import_module(module_name)
    found: type[Pass] = getattr(module, class_name)
    return found
