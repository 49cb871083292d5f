"""Collectives: what all ranks of a mesh do together, in the order of the program.

Each rank runs the program on arrays of its own. `over` names the axes of the mesh along which ranks work together, with
commas between; all of them where it is empty. The ranks of such a group count from 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from ..batching import alike, without_results
from ..collectives import REDUCTIONS, Collective, current_member, perform, perform_reduction
from ..emitter import Emitter, Tensor
from ..errors import WeftTypeError, WeftValueError
from ..op import (
    Array,
    Attributes,
    Bool,
    Case,
    Cost,
    Effect,
    ExtentSource,
    Int,
    Op,
    Operand,
    Operands,
    SafeOp,
    String,
    TensorType,
    axis_of,
    no_source,
)

_NUMBER = TensorType((), np.dtype(np.int64))


class Together(Op, family="distributed", cost=Cost.EXPENSIVE):
    """Base of what ranks do together: all of them, in the same order."""

    opaque = True
    effects = (Effect.CONTROL,)
    extent_source = axis_of(0)

    @classmethod
    def is_speculatable(cls, operands: Sequence[TensorType], results: Sequence[TensorType]) -> bool:
        """The others would wait."""
        return False


class AllReduce(Together, name="all_reduce"):
    """Combine the elements at a place of all ranks; all get the result."""

    x: Operand
    reduction: String
    over: String
    cases: ClassVar[tuple[Case, ...]] = (
        Case(((3, 4),), {"reduction": "sum", "over": ""}),
        Case(((),), {"reduction": "max", "over": ""}),
        Case(((0, 2),), {"reduction": "min", "over": ""}),
        Case(((5,),), {"reduction": "prod", "over": ""}),
    )
    batching = alike

    @staticmethod
    def vjp(b: Emitter, g: Tensor, x: Tensor, y: Tensor, reduction: str, over: str) -> Tensor:
        """All ranks have the same cotangent, and it is that of what each of them has given, by what this counts."""
        if reduction == "sum":
            return g
        if reduction == "prod":
            return b.conj(_others(b, x, y, over)) * g
        hits, count = _shares(b, x, y, over)
        made: Tensor = b.select(hits, g / count, 0)
        return made

    @staticmethod
    def jvp(b: Emitter, t: Tensor, x: Tensor, y: Tensor, reduction: str, over: str) -> Tensor:
        """The sum of the tangents of all ranks, by what they count."""
        if reduction == "prod":
            t = _others(b, x, y, over) * t
        if reduction in ("sum", "prod"):
            made: Tensor = b.all_reduce(t, reduction="sum", over=over)
            return made
        hits, count = _shares(b, x, y, over)
        total: Tensor = b.all_reduce(b.select(hits, t, 0), reduction="sum", over=over)
        return total / count

    @staticmethod
    def infer(x: TensorType, reduction: str, over: str) -> TensorType:
        require_reduction("weft.all_reduce", x, reduction)
        return x

    @staticmethod
    def evaluate(x: Array, reduction: str, over: str) -> Array:
        return perform_reduction(Collective("all_reduce", over, reduction), x)


def _shares(b: Emitter, x: Tensor, y: Tensor, over: str) -> tuple[Tensor, Tensor]:
    """Where a rank has the extreme element, and how many have: these share its derivative."""
    hits = b.select(b.isnan(y), b.isnan(x), x.equals(y))
    return hits, b.all_reduce(b.converted(hits, y.dtype), reduction="sum", over=over)


def _others(b: Emitter, x: Tensor, y: Tensor, over: str) -> Tensor:
    """The product of what the other ranks have: by a division only where nothing is zero."""
    is_zero = x.equals(0)
    zeros = b.all_reduce(b.converted(is_zero, np.dtype(np.int64)), reduction="sum", over=over)
    rest = b.all_reduce(b.select(is_zero, 1, x), reduction="prod", over=over)
    of_zero = b.select(b.logical_and(is_zero, zeros.equals(1)), rest, 0)
    made: Tensor = b.select(zeros.equals(0), y / b.select(is_zero, 1, x), of_zero)
    return made


def _of_all(b: Emitter, part: Tensor, x: Tensor, over: str) -> Tensor:
    """What all ranks have of what was scattered of x, in parts as x has them."""
    extent = b.extent(x, 0)
    ranks, count = ((), extent) if isinstance(extent, int) else ((extent,), -1)
    made: Tensor = b.all_gather(part, *ranks, over=over, count=count)
    return made


class AllGather(Together, name="all_gather"):
    """The tensors of all ranks, one after the other along a new first axis; all get the result."""

    x: Operand
    ranks: Operands
    over: String
    count: Int
    """How many ranks there are; -1 where the operand tells."""
    cases: ClassVar[tuple[Case, ...]] = (
        Case(((3, 4),), {"over": "", "count": 1}),
        Case(((),), {"over": "", "count": 1}),
    )
    linear = ("x",)

    @staticmethod
    def transpose(
        b: Emitter, g: Tensor, x: Tensor, ranks: tuple[Tensor, ...], over: str, count: int
    ) -> Tensor:
        """What all ranks say of this one's part."""
        made: Tensor = b.reduce_scatter(g, reduction="sum", over=over)
        return made

    @staticmethod
    def infer(x: TensorType, ranks: tuple[TensorType, ...], over: str, count: int) -> TensorType:
        if tuple(ranks) != (_NUMBER,) * (count == -1) or (count < 1 and count != -1):
            raise WeftValueError(
                f"weft.all_gather gathers from {count} ranks; -1 stands for the one operand behind the first"
            )
        return x.with_shape((None if count == -1 else count, *x.shape))

    @staticmethod
    def evaluate(x: Array, ranks: tuple[Array, ...], over: str, count: int) -> Array:
        require_count("weft.all_gather", over, int(ranks[0]) if ranks else count)
        return perform(Collective("all_gather", over), x)

    @staticmethod
    def extent_source(types: Sequence[TensorType], attributes: Attributes, axis: int) -> ExtentSource:
        return (0, axis - 1) if axis else (1, -1)


class Scattered(Together):
    """Base of what takes a part for each rank, along the first axis."""

    x: Operand

    @staticmethod
    def require_parts(what: str, x: TensorType) -> None:
        """Raise WeftTypeError for a scalar."""
        if not x.rank:
            raise WeftTypeError(f"{what} takes a part for each rank along the first axis, which {x} has not")


class ReduceScatter(Scattered, name="reduce_scatter"):
    """Combine the parts at a rank's place of the tensors of all ranks; the rank gets the result."""

    reduction: String
    over: String
    cases: ClassVar[tuple[Case, ...]] = (
        Case(((1, 4),), {"reduction": "sum", "over": ""}),
        Case(((1,),), {"reduction": "max", "over": ""}),
    )

    @staticmethod
    def vjp(b: Emitter, g: Tensor, x: Tensor, y: Tensor, reduction: str, over: str) -> Tensor:
        """Each part goes to one rank, whose cotangent comes back by what was given for it counts."""
        g = _of_all(b, g, x, over)
        if reduction == "sum":
            return g
        y = _of_all(b, y, x, over)
        if reduction == "prod":
            return b.conj(_others(b, x, y, over)) * g
        hits, count = _shares(b, x, y, over)
        made: Tensor = b.select(hits, g / count, 0)
        return made

    @staticmethod
    def jvp(b: Emitter, t: Tensor, x: Tensor, y: Tensor, reduction: str, over: str) -> Tensor:
        """The sum of the tangents of all ranks, by what they count."""
        if reduction == "prod":
            t = _others(b, x, _of_all(b, y, x, over), over) * t
        elif reduction != "sum":
            hits, count = _shares(b, x, _of_all(b, y, x, over), over)
            t = b.select(hits, t / count, 0)
        made: Tensor = b.reduce_scatter(t, reduction="sum", over=over)
        return made

    @staticmethod
    def infer(x: TensorType, reduction: str, over: str) -> TensorType:
        Scattered.require_parts("weft.reduce_scatter", x)
        require_reduction("weft.reduce_scatter", x, reduction)
        return x.with_shape(x.shape[1:])

    @staticmethod
    def evaluate(x: Array, reduction: str, over: str) -> Array:
        require_count("weft.reduce_scatter", over, len(x))
        return perform_reduction(Collective("reduce_scatter", over, reduction), x)

    @staticmethod
    def extent_source(types: Sequence[TensorType], attributes: Attributes, axis: int) -> ExtentSource:
        return 0, axis + 1


class AllToAll(Scattered, name="all_to_all"):
    """Send part k to rank k; the result has the parts that were received, in the order of the ranks."""

    over: String
    cases: ClassVar[tuple[Case, ...]] = (Case(((1, 4),), {"over": ""}), Case(((1,),), {"over": ""}))
    linear = ("x",)

    @staticmethod
    def transpose(b: Emitter, g: Tensor, x: Tensor, over: str) -> Tensor:
        """Send the parts back."""
        made: Tensor = b.all_to_all(g, over=over)
        return made

    @staticmethod
    def infer(x: TensorType, over: str) -> TensorType:
        Scattered.require_parts("weft.all_to_all", x)
        return x

    @staticmethod
    def evaluate(x: Array, over: str) -> Array:
        require_count("weft.all_to_all", over, len(x))
        return perform(Collective("all_to_all", over), x)


class BroadcastRank(Together, name="broadcast_rank"):
    """The tensor of one rank, on all of them."""

    x: Operand
    root: Int
    over: String
    cases: ClassVar[tuple[Case, ...]] = (
        Case(((3, 4),), {"root": 0, "over": ""}),
        Case(((),), {"root": 0, "over": ""}),
    )
    batching = alike
    linear = ("x",)

    @staticmethod
    def transpose(b: Emitter, g: Tensor, x: Tensor, root: int, over: str) -> Tensor:
        """What the others have given is not used."""
        made: Tensor = b.select(b.rank(over=over).equals(root), g, 0)
        return made

    @staticmethod
    def infer(x: TensorType, root: int, over: str) -> TensorType:
        if root < 0:
            raise WeftValueError(f"weft.broadcast_rank: there is no rank {root}")
        return x

    @staticmethod
    def evaluate(x: Array, root: int, over: str) -> Array:
        return perform(Collective("broadcast", over, number=root), x)


class SendReceive(Together, name="send_receive"):
    """Send a tensor to the rank `shift` above, and give what that `shift` below has sent; zeros where there is none."""

    x: Operand
    shift: Int
    wraps: Bool
    """Whether the last rank sends to the first one."""
    over: String
    cases: ClassVar[tuple[Case, ...]] = (
        Case(((3, 4),), {"shift": 1, "wraps": False, "over": ""}),
        Case(((2,),), {"shift": -1, "wraps": True, "over": ""}),
        Case(((),), {"shift": 0, "wraps": False, "over": ""}),
    )
    batching = alike
    linear = ("x",)

    @staticmethod
    def transpose(b: Emitter, g: Tensor, x: Tensor, shift: int, wraps: bool, over: str) -> Tensor:
        """The other way round."""
        made: Tensor = b.send_receive(g, shift=-shift, wraps=wraps, over=over)
        return made

    @staticmethod
    def infer(x: TensorType, shift: int, wraps: bool, over: str) -> TensorType:
        return x

    @staticmethod
    def evaluate(x: Array, shift: int, wraps: bool, over: str) -> Array:
        return perform(Collective("send_receive", over, number=shift, wraps=wraps), x)


class StartSendReceive(Together, name="start_send_receive"):
    """Begin `send_receive`, and do not wait: gives what `finish_send_receive` takes, once, in the same block."""

    x: Operand
    shift: Int
    wraps: Bool
    over: String
    recorded = False
    underived = "it is made of weft.send_receive when derivatives are known"

    @staticmethod
    def infer(x: TensorType, shift: int, wraps: bool, over: str) -> TensorType:
        return _NUMBER

    @staticmethod
    def evaluate(x: Array, shift: int, wraps: bool, over: str) -> Array:
        asked = Collective("start_send_receive", over, number=shift, wraps=wraps)
        return np.asarray(current_member().start(asked, x))

    @staticmethod
    def require_uses(op: Any) -> None:
        """Nothing is to be done with a message but to wait for it."""
        uses = list(op.results[0].uses)
        if len(uses) > 1 or any(use.owner.name != FinishSendReceive.mlir_name() for use in uses):
            raise WeftTypeError("is for one weft.finish_send_receive, and for nothing else")


class FinishSendReceive(Together, name="finish_send_receive"):
    """Wait for what was begun; gives what was received, which is nowhere else to be read."""

    message: Operand
    x: Operand
    """What was sent: the result is like it."""
    over: String
    recorded = False
    underived = StartSendReceive.underived
    extent_source = axis_of(1)

    @staticmethod
    def infer(message: TensorType, x: TensorType, over: str) -> TensorType:
        if message != _NUMBER:
            raise WeftTypeError(f"weft.finish_send_receive takes a message, not {message}")
        return x

    @staticmethod
    def evaluate(message: Array, x: Array, over: str) -> Array:
        return current_member().finish(Collective("finish_send_receive", over), int(message))

    @staticmethod
    def require_uses(op: Any) -> None:
        """What it waits for has begun before it, as often as it runs."""
        owner = op.operands[0].owner
        started = getattr(owner, "operation", None)
        if started is None or started.name != StartSendReceive.mlir_name() or started.block != op.block:
            raise WeftTypeError("waits for what no weft.start_send_receive of its block has begun")


class RankBarrier(Together, name="rank_barrier"):
    """Wait until all ranks are there."""

    over: String
    results = 0

    @staticmethod
    def infer(over: str) -> None:
        return None

    @staticmethod
    def evaluate(over: str) -> tuple[Array, ...]:
        perform(Collective("barrier", over), np.zeros((), np.int8))
        return ()


class RequireSame(Together, name="require_same"):
    """Raise where ranks have different tensors, on meshes whose ranks ask each other; others take it for granted."""

    x: Operand
    over: String
    results = 0
    batching = without_results

    @staticmethod
    def infer(x: TensorType, over: str) -> None:
        return None

    @staticmethod
    def evaluate(x: Array, over: str) -> tuple[Array, ...]:
        perform(Collective("require_same", over), x)
        return ()


class AboutRanks(SafeOp, family="distributed", cost=Cost.CHEAP):
    """Base of what tells where the program runs; it is known when it runs, and no constant of it."""

    over: String
    cases: ClassVar[tuple[Case, ...]] = (Case((), {"over": ""}),)
    opaque = True
    extent_source = staticmethod(no_source)

    @staticmethod
    def infer(over: str) -> TensorType:
        return _NUMBER


class Rank(AboutRanks, name="rank"):
    """The number of the rank that runs the program."""

    @staticmethod
    def evaluate(over: str) -> Array:
        return np.asarray(np.int64(current_member().place_in(over)[0]))


class RankCount(AboutRanks, name="rank_count"):
    """How many ranks run the program."""

    @staticmethod
    def evaluate(over: str) -> Array:
        return np.asarray(np.int64(current_member().place_in(over)[1]))


class OfRanks(SafeOp, family="distributed", cost=Cost.FREE):
    """Base of the ops that are the identity, and say whether a value is the same on all ranks."""

    x: Operand
    over: String
    cases: ClassVar[tuple[Case, ...]] = (Case(((2, 3),), {"over": ""}), Case(((),), {"over": ""}))
    opaque = True
    batching = alike
    linear = ("x",)
    extent_source = axis_of(0)

    @staticmethod
    def transpose(b: Emitter, g: Tensor, x: Tensor, over: str) -> Tensor:
        """The identity."""
        return g

    @staticmethod
    def infer(x: TensorType, over: str) -> TensorType:
        return x

    @staticmethod
    def evaluate(x: Array, over: str) -> Array:
        return x


class Vary(OfRanks, name="vary"):
    """The operand, the same on all ranks, as a value of each rank: its cotangent is the sum over the ranks."""

    @staticmethod
    def transpose(b: Emitter, g: Tensor, x: Tensor, over: str) -> Tensor:
        """The sum of what all ranks say."""
        made: Tensor = b.all_reduce(g, reduction="sum", over=over)
        return made


class Replicated(OfRanks, name="replicated"):
    """The operand, which is the same on all ranks, as the program says."""


class Local(OfRanks, name="local"):
    """The operand, of which each rank has its own, as the program says."""


def require_reduction(what: str, x: TensorType, reduction: str) -> None:
    """Raise WeftValueError for what is no reduction."""
    if reduction not in REDUCTIONS:
        raise WeftValueError(
            f"{what}: there is no reduction {reduction!r}; there are {', '.join(REDUCTIONS)}"
        )


def require_count(what: str, over: str, count: Any) -> None:
    """Raise WeftValueError where there are not so many ranks."""
    ranks = current_member().place_in(over)[1]
    if count != ranks:
        raise WeftValueError(f"{what} was made for {count} ranks, but there are {ranks}")
