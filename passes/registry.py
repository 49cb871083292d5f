"""Which weft passes there are, by name; their modules are imported when a pass is asked for."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from ..dialect.errors import InternalError
from ..dialect.op import Op
from ..dialect.ops.batching import Lane, Lanes
from ..dialect.ops.contraction import Matmul
from ..dialect.ops.distributed import (
    AllGather,
    AllReduce,
    AllToAll,
    BroadcastRank,
    RankBarrier,
    ReduceScatter,
    SendReceive,
    StartSendReceive,
)
from ..dialect.ops.indexing import Gather, Scatter
from ..dialect.ops.reductions import Sum
from ..dialect.ops.shape import Stretch
from ..dialect.ops.slicing import SliceUpdate
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


def entry(place: str, *ops: type[Op] | str) -> Entry:
    """The entry of a pass that rewrites some ops: of weft's, or, by their names, of upstream's.

    >>> entry("weft.passes.nowhere:Nothing", Stretch, "scf.for").ops == {"weft.stretch", "scf.for"}
    True
    """
    return Entry(place, frozenset(op if isinstance(op, str) else op.mlir_name() for op in ops))


PassTable = Mapping[str, Entry]
"""The passes by their names; rooms above have tables of their own."""

PASSES: PassTable = MappingProxyType(
    {
        "block-dot-products": entry(f"{__package__}.raising.block_dot_products:BlockDotProducts", "scf.for"),
        "check-loops-first": entry(
            f"{__package__}.control_flow.check_loops_first:CheckLoopsFirst", "scf.for"
        ),
        "check-ranks": entry(
            f"{__package__}.ranks.check_ranks:CheckRanks",
            *(AllGather, AllReduce, AllToAll, BroadcastRank),
            *(RankBarrier, ReduceScatter, SendReceive, StartSendReceive),
        ),
        "combine-exactly": entry(
            f"{__package__}.ranks.combine_exactly:CombineExactly", AllReduce, ReduceScatter
        ),
        "convert-weft-to-linalg": entry(f"{__package__}.lowering.convert_weft_to_linalg:ConvertWeftToLinalg"),
        "forward-extents": entry(f"{__package__}.control_flow.forward_extents:ForwardExtents"),
        "fuse-siblings": entry(f"{__package__}.fusion.fuse_siblings:FuseSiblings", "linalg.generic"),
        "fuse-updates": entry(f"{__package__}.fusion.fuse_updates:FuseUpdates", SliceUpdate),
        "gather-convolutions": entry(
            f"{__package__}.algebra.gather_convolutions:GatherConvolutions", Matmul, Sum
        ),
        "optimize-gradients": entry(f"{__package__}.differentiation.optimize_gradients:OptimizeGradients"),
        "raise-loops": entry(f"{__package__}.raising.raise_loops:RaiseLoops", "scf.for"),
        "read-inserted": entry(f"{__package__}.fusion.read_inserted:ReadInserted", "tensor.insert_slice"),
        "read-first": entry(f"{__package__}.fusion.read_first:ReadFirst"),
        "read-through": entry(f"{__package__}.fusion.read_through:ReadThrough", Gather),
        "weft-batch": entry(f"{__package__}.batching.batch:Batch", Lane, Lanes),
        "weft-differentiate": entry(f"{__package__}.differentiation.differentiate:Differentiate"),
        "generalize-products": entry(
            f"{__package__}.fusion.generalize_products:GeneralizeProducts", "linalg.contract"
        ),
        "guard-extracts": entry(f"{__package__}.guarding.guard_extracts:GuardExtracts", "tensor.extract"),
        "guard-sizes": entry(f"{__package__}.guarding.guard_sizes:GuardSizes"),
        "hoist-checks": entry(f"{__package__}.control_flow.hoist_checks:HoistChecks"),
        "hoist-invariants": entry(f"{__package__}.control_flow.hoist_invariants:HoistInvariants"),
        "hoist-products": entry(f"{__package__}.raising.hoist_products:HoistProducts", "scf.for"),
        "if-to-select": entry(f"{__package__}.control_flow.if_to_select:IfToSelect"),
        "optimize-control-flow": entry(f"{__package__}.control_flow.optimize:OptimizeControlFlow"),
        "overlap-messages": entry(f"{__package__}.ranks.overlap_messages:OverlapMessages", SendReceive),
        "promote-refs": entry(f"{__package__}.cells.promote_refs:PromoteRefs"),
        "propagate-conditions": entry(f"{__package__}.control_flow.propagate_conditions:PropagateConditions"),
        "prove-extents": entry(f"{__package__}.control_flow.prove_extents:ProveExtents"),
        "gather-windows": entry(
            f"{__package__}.raising.gather_windows:GatherWindows", "scf.for", Scatter, SliceUpdate
        ),
        "make-room-first": entry(f"{__package__}.control_flow.make_room_first:MakeRoomFirst"),
        "check-numbers-behind": entry(f"{__package__}.control_flow.check_numbers_behind:CheckNumbersBehind"),
        "check-sums-behind": entry(
            f"{__package__}.control_flow.check_sums_behind:CheckSumsBehind", "scf.for"
        ),
        "prove-no-overflow": entry(f"{__package__}.control_flow.prove_no_overflow:ProveNoOverflow"),
        "prove-bounds": entry(f"{__package__}.control_flow.prove_bounds:ProveBounds"),
        "simplify-carried-values": Entry(
            f"{__package__}.control_flow.simplify_carried_values:SimplifyCarriedValues"
        ),
        "mark-distinct-bodies": entry(f"{__package__}.lowering.mark_distinct_bodies:MarkDistinctBodies"),
        "sink-exits": entry(f"{__package__}.control_flow.sink_exits:SinkExits"),
        "skip-fills": entry(f"{__package__}.fusion.skip_fills:SkipFills", Scatter, SliceUpdate),
        "stretch-operands": entry(f"{__package__}.fusion.stretch_operands:StretchOperands", Stretch),
        "transpose-columns": entry(
            f"{__package__}.raising.transpose_columns:TransposeColumns", "scf.for", "scf.if", "scf.while"
        ),
        "unroll-loops": entry(f"{__package__}.control_flow.unroll_loops:UnrollLoops"),
        "weft-fold": entry(f"{__package__}.algebra.fold_constants:FoldConstants"),
        "weft-fuse-elementwise": entry(f"{__package__}.fusion.fuse_elementwise:FuseElementwise"),
        "weft-inline": entry(f"{__package__}.control_flow.inline_calls:InlineCalls", "func.call"),
        "weft-partition": entry(f"{__package__}.partition.partition:Partition"),
        "weft-simplify": entry(f"{__package__}.algebra.simplify:SimplifyAlgebra"),
        "while-to-for": entry(f"{__package__}.control_flow.while_to_for:WhileToFor"),
    }
)


def load_pass(name: str, table: PassTable = PASSES) -> type[Pass]:
    """Import the class of a pass.

    >>> load_pass("weft-fold").summary
    'replace pure ops whose operands are all constants by constants, unless a result has too many elements'
    """
    place = table[name].place
    pass_class = _class_at(place)
    if pass_class.name != name:
        raise InternalError(f"{place} is called {pass_class.name}, but registered as {name}")
    return pass_class


@cache
def _class_at(place: str) -> type[Pass]:
    module_name, _, class_name = place.partition(":")
    found: type[Pass] = getattr(importlib.import_module(module_name), class_name)
    return found
