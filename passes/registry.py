"""Which weft passes there are, by name; their modules are imported when a pass is asked for."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from ..dialect.errors import InternalError
from ..dialect.imports import uncollected
from .base import Pass

PassTable = Mapping[str, str]
"""From the name of a pass to where its class is, `module:Class`; rooms above have tables of their own."""

PASSES: PassTable = MappingProxyType(
    {
        "batch-iterations": f"{__package__}.control_flow.batch_iterations:BatchIterations",
        "block-dot-products": f"{__package__}.control_flow.block_dot_products:BlockDotProducts",
        "check-arrays-first": f"{__package__}.control_flow.check_arrays_first:CheckArraysFirst",
        "convert-weft-to-linalg": f"{__package__}.lowering.convert_weft_to_linalg:ConvertWeftToLinalg",
        "forward-extents": f"{__package__}.control_flow.forward_extents:ForwardExtents",
        "fuse-updates": f"{__package__}.fusion.fuse_updates:FuseUpdates",
        "gather-convolutions": f"{__package__}.algebra.gather_convolutions:GatherConvolutions",
        "optimize-gradients": f"{__package__}.differentiation.optimize_gradients:OptimizeGradients",
        "read-inserted": f"{__package__}.fusion.read_inserted:ReadInserted",
        "read-first": f"{__package__}.fusion.read_first:ReadFirst",
        "weft-differentiate": f"{__package__}.differentiation.differentiate:Differentiate",
        "generalize-products": f"{__package__}.fusion.generalize_products:GeneralizeProducts",
        "hoist-checks": f"{__package__}.control_flow.hoist_checks:HoistChecks",
        "hoist-invariants": f"{__package__}.control_flow.hoist_invariants:HoistInvariants",
        "hoist-products": f"{__package__}.control_flow.hoist_products:HoistProducts",
        "if-to-select": f"{__package__}.control_flow.if_to_select:IfToSelect",
        "optimize-control-flow": f"{__package__}.control_flow.optimize:OptimizeControlFlow",
        "promote-refs": f"{__package__}.cells.promote_refs:PromoteRefs",
        "propagate-conditions": f"{__package__}.control_flow.propagate_conditions:PropagateConditions",
        "prove-extents": f"{__package__}.control_flow.prove_extents:ProveExtents",
        "gather-sums": f"{__package__}.control_flow.gather_sums:GatherSums",
        "gather-windows": f"{__package__}.control_flow.gather_windows:GatherWindows",
        "prove-bounds": f"{__package__}.control_flow.prove_bounds:ProveBounds",
        "remove-repeated-checks": f"{__package__}.control_flow.remove_repeated_checks:RemoveRepeatedChecks",
        "simplify-carried-values": f"{__package__}.control_flow.simplify_carried_values:SimplifyCarriedValues",
        "mark-distinct-bodies": f"{__package__}.lowering.mark_distinct_bodies:MarkDistinctBodies",
        "sink-exits": f"{__package__}.control_flow.sink_exits:SinkExits",
        "stretch-operands": f"{__package__}.fusion.stretch_operands:StretchOperands",
        "thread-branches": f"{__package__}.control_flow.thread_branches:ThreadBranches",
        "transpose-columns": f"{__package__}.control_flow.transpose_columns:TransposeColumns",
        "unroll-loops": f"{__package__}.control_flow.unroll_loops:UnrollLoops",
        "weft-fold": f"{__package__}.algebra.fold_constants:FoldConstants",
        "weft-fuse-elementwise": f"{__package__}.fusion.fuse_elementwise:FuseElementwise",
        "weft-inline": f"{__package__}.control_flow.inline_calls:InlineCalls",
        "weft-simplify": f"{__package__}.algebra.simplify:SimplifyAlgebra",
        "while-to-for": f"{__package__}.control_flow.while_to_for:WhileToFor",
    }
)


def load_pass(name: str, table: PassTable = PASSES) -> type[Pass]:
    """Import the class of a pass.

    >>> load_pass("weft-fold").summary
    'evaluate ops whose operands are all constants'
    """
    pass_class = _class_at(table[name])
    if pass_class.name != name:
        raise InternalError(f"{table[name]} is called {pass_class.name}, but registered as {name}")
    return pass_class


@cache
def _class_at(place: str) -> type[Pass]:
    module_name, _, class_name = place.partition(":")
    with uncollected():
        module = importlib.import_module(module_name)
    found: type[Pass] = getattr(module, class_name)
    return found
