"""Instructions in which the threads of a warp take part together: shuffles, votes, reductions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .arithmetic import Maker
from .faults import Fault, PTXError
from .frames import FORMATS, Frame
from .memory import Array
from .operands import Operands, Step, expect, type_of
from .ptx import Instruction

WARP = 32
_BITS = np.uint32(1) << np.arange(WARP, dtype=np.uint32)


def is_whole(frame: Frame) -> bool:
    """Whether all warps are there, with all their threads."""
    return frame.lanes is None


def spread(frame: Frame, values: Array) -> Array:
    """Values by thread of all warps; 0 for threads that are not there."""
    if is_whole(frame):
        return np.broadcast_to(values, (frame.count, *values.shape[1:])).reshape(-1, WARP, *values.shape[1:])
    whole = np.zeros((frame.machine.places["lane"].size, *values.shape[1:]), values.dtype)
    whole[frame.lanes] = values
    return whole.reshape(-1, WARP, *values.shape[1:])


def ballot(frame: Frame, predicate: Array) -> Array:
    """For each thread of a frame the threads of its warp for which a predicate holds, as bits."""
    chosen = spread(frame, np.broadcast_to(predicate, (frame.count,)))
    words = np.where(chosen, _BITS, np.uint32(0)).sum(1, dtype=np.uint32)
    return np.asarray(words[frame.thread_numbers() // WARP])


def check_members(frame: Frame, mask: Array, text: str) -> None:
    """Fault where a thread of an instruction's mask is not there, or one that is there is not in its mask."""
    if is_whole(frame) and mask.ndim == 0 and int(mask) == 0xFFFFFFFF:
        return
    mask = np.broadcast_to(mask, (frame.count,))
    here = ballot(frame, np.ones(frame.count, np.bool_))
    alive = np.where(frame.machine.alive().reshape(-1, WARP), _BITS, np.uint32(0)).sum(1, dtype=np.uint32)
    missing = mask & ~here & alive[frame.thread_numbers() // WARP]
    if missing.any():
        raise Fault(f"{text}: threads of the mask are not there: {frame.who(missing != 0)}")
    own = _BITS[frame.thread_numbers() % WARP]
    if (mask & own == 0).any():
        raise Fault(f"{text}: a thread that is not in its own mask: {frame.who(mask & own == 0)}")


# Shuffles


def _sources(mode: str, lane: Array, by: Array, clamp: Array) -> tuple[Array, Array]:
    """The lane that each lane reads from, and whether it is within bounds."""
    segment, last = (clamp >> 8) & 31, clamp & 31
    highest = (lane & segment) | (last & ~segment)
    lowest = lane & segment
    if mode == "bfly":
        source = lane ^ by
    elif mode == "idx":
        source = lowest | (by & ~segment)
    else:
        source = lane - by if mode == "up" else lane + by
    inside = source >= highest if mode == "up" else source <= highest
    return np.where(inside, source, lane), inside


def _shfl(i: Instruction, o: Operands) -> Step:
    expect(i, 4, 5)
    mode = next((modifier for modifier in i.modifiers if modifier in ("bfly", "idx", "up", "down")), None)
    if mode is None:
        raise PTXError("this shuffle is not known")
    first, _, second = i.operands[0].partition("|")
    a, by, clamp = (
        o.read(operand, kind) for operand, kind in zip(i.operands[1:4], ("b32", "s32", "s32"), strict=True)
    )
    mask = o.read(i.operands[4], "u32") if len(i.operands) == 5 else o.read("-1", "u32")
    d = o.write(first, "b32")
    p = o.write(second, "pred") if second else -1
    fixed = None
    if not any(o.is_register(operand) for operand in i.operands[2:4]):
        numbers = [np.array(o.integer(operand)) & 0x1FFF for operand in i.operands[2:4]]
        fixed = _sources(mode, np.arange(WARP), numbers[0], numbers[1])

    def run(frame: Frame) -> None:
        v = frame.values
        check_members(frame, v[mask], i.text)
        if fixed is not None and is_whole(frame):
            source, inside = fixed
            v[d].reshape(-1, WARP)[...] = spread(frame, v[a])[:, source]
            if second:
                v[p].reshape(-1, WARP)[...] = inside
            return
        thread = frame.thread_numbers()
        lane = thread % WARP
        source, inside = _sources(mode, lane, v[by].astype(np.int64) & 31, v[clamp].astype(np.int64) & 0x1FFF)
        here = ballot(frame, np.ones(frame.count, np.bool_))
        absent = (here >> source.astype(np.uint32)) & np.uint32(1) == 0
        if absent.any():
            raise Fault(f"{i.text}: reads from a thread that is not there: {frame.who(absent)}")
        v[d][...] = spread(frame, v[a])[thread // WARP, source]
        if second:
            v[p][...] = inside

    return run


# Votes


def _vote(i: Instruction, o: Operands) -> Step:
    expect(i, 2, 3)
    mode = next((modifier for modifier in i.modifiers if modifier in ("all", "any", "uni", "ballot")), None)
    if mode is None:
        raise PTXError("this vote is not known")
    a, negated = o.negated(i.operands[1])
    mask = o.read(i.operands[2] if len(i.operands) == 3 else "-1", "u32")
    d = o.write(i.operands[0], "b32" if mode == "ballot" else "pred")

    def run(frame: Frame) -> None:
        v = frame.values
        check_members(frame, v[mask], i.text)
        predicate = ~v[a] if negated else v[a]
        votes = ballot(frame, predicate) & v[mask]
        against = ballot(frame, ~np.asarray(predicate)) & v[mask]
        v[d][...] = {
            "ballot": votes,
            "any": votes != 0,
            "all": against == 0,
            "uni": (votes == 0) | (against == 0),
        }[mode]

    return run


def _activemask(i: Instruction, o: Operands) -> Step:
    d = o.write(i.operands[0], "b32")

    def run(frame: Frame) -> None:
        frame.values[d][...] = ballot(frame, np.ones(frame.count, np.bool_))

    return run


def _match(i: Instruction, o: Operands) -> Step:
    expect(i, 3)
    kind = type_of(i)
    first, _, second = i.operands[0].partition("|")
    a, mask = o.read(i.operands[1], kind), o.read(i.operands[2], "u32")
    d, p = o.write(first, "b32"), o.write(second, "pred") if second else -1
    every = "all" in i.modifiers

    def run(frame: Frame) -> None:
        v = frame.values
        check_members(frame, v[mask], i.text)
        values = spread(frame, v[a])
        here = spread(frame, np.ones(frame.count, np.bool_))
        same = (values[:, :, None] == values[:, None, :]) & here[:, None, :]
        words = np.where(same, _BITS, np.uint32(0)).sum(2, dtype=np.uint32)
        thread = frame.thread_numbers()
        found = words[thread // WARP, thread % WARP] & v[mask]
        if every:
            agree = found == ballot(frame, np.ones(frame.count, np.bool_)) & v[mask]
            found = np.where(agree, found, np.uint32(0))
            if second:
                v[p][...] = agree
        v[d][...] = found

    return run


_REDUCTIONS: dict[str, Callable[..., Any]] = {
    "add": np.add,
    "min": np.minimum,
    "max": np.maximum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}


def _redux(i: Instruction, o: Operands) -> Step:
    expect(i, 3)
    kind = type_of(i)
    name = next((modifier for modifier in i.modifiers if modifier in _REDUCTIONS), None)
    if name is None or FORMATS[kind].kind == "f":
        raise PTXError("this reduction is not known")
    ufunc: Any = _REDUCTIONS[name]
    a, mask, d = o.read(i.operands[1], kind), o.read(i.operands[2], "u32"), o.write(i.operands[0], kind)

    def run(frame: Frame) -> None:
        v = frame.values
        check_members(frame, v[mask], i.text)
        warp = frame.thread_numbers() // WARP
        starts = np.flatnonzero(np.r_[True, warp[1:] != warp[:-1]])
        values = np.broadcast_to(v[a], (frame.count,))
        totals = ufunc.reduceat(values, starts, dtype=values.dtype)
        v[d][...] = np.repeat(totals, np.diff(np.r_[starts, frame.count]))

    return run


def _elect(i: Instruction, o: Operands) -> Step:
    first, _, second = i.operands[0].partition("|")
    mask = o.read(i.operands[1], "u32")
    d, p = o.write(first, "b32"), o.write(second, "pred")

    def run(frame: Frame) -> None:
        v = frame.values
        check_members(frame, v[mask], i.text)
        chosen = np.broadcast_to(v[mask], (frame.count,)) & ballot(frame, np.ones(frame.count, np.bool_))
        lowest = np.bitwise_count((chosen & (~chosen + np.uint32(1))) - np.uint32(1)).astype(np.int64)
        v[d][...] = lowest
        v[p][...] = frame.thread_numbers() % WARP == lowest

    return run


def _bar(i: Instruction, o: Operands) -> Step:
    """bar.warp.sync: the threads of its mask wait for each other, which they do at every instruction here."""
    if "warp" not in i.modifiers or "sync" not in i.modifiers:
        raise PTXError("this barrier is not known")
    expect(i, 1)
    mask = o.read(i.operands[0], "u32")

    def run(frame: Frame) -> None:
        check_members(frame, frame.values[mask], i.text)

    return run


MAKERS: dict[str, Maker] = {
    "bar": _bar,
    "barrier": _bar,
    "shfl": _shfl,
    "vote": _vote,
    "activemask": _activemask,
    "match": _match,
    "redux": _redux,
    "elect": _elect,
}

__all__ = ["MAKERS", "WARP", "ballot", "check_members", "is_whole", "spread"]
