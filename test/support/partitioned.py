"""Functions over split arrays on simulated ranks, whose programs are interpreted, beside NumPy on whole arrays."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import weft
from support.interpreter import interpret
from weft.dialect.mlir import ir
from weft.dialect.register import context
from weft.passes.partition.layouts import Layout
from weft.passes.partition.messages import Message

P = weft.distributed.P


def copied(value: Any) -> Any:
    """Arguments of a call of their own."""
    return np.array(value) if isinstance(value, np.ndarray) else value


def block_of(x: Any, layout: Layout, mesh: Any, rank: int) -> Any:
    """What a rank has of an array."""
    if not any(layout):
        return x
    region = weft.distributed.ShardedArray([], np.shape(x), layout, mesh).region(rank)
    return x[tuple(slice(along.start, along.stop) for along in region)]


def check(
    f: Callable[..., Any],
    args: Sequence[Any],
    specs: Sequence[Any],
    mesh: Any,
    *,
    rtol: float = 1e-10,
    atol: float = 1e-12,
) -> tuple[Message, ...]:
    """Compare results and written arguments on all ranks with NumPy's; returns what was sent."""
    wanted_args = list(map(copied, args))
    with np.errstate(all="ignore"):
        wanted = f(*wanted_args)
    step = weft.distributed.partition(f, mesh)
    given_args = [
        weft.distributed.scatter(x, spec, mesh) if any(spec) else copied(x)
        for x, spec in zip(args, specs, strict=True)
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", weft.GatherWarning)
        concrete = step.get_concrete_function(*given_args)
        _, leaves, *_ = step._flat(tuple(given_args), {})
    ranks = concrete._ranks
    with context():
        modules = [ir.Module.parse(rank.text) for rank in ranks]
    program = concrete._program
    arrays = [*leaves, *(extra.fetch() for extra in program.extra)]
    given = []
    for number, module in enumerate(modules):
        values = []
        for place in program.sources:
            value = arrays[place]
            values.append(value.blocks[number] if hasattr(value, "blocks") else np.array(value))
        given.append((module, program.symbol, values))
    outputs = [
        _with_joined(list(found), outputs, ranks[0].layouts, mesh)
        for outputs in [mesh.run(interpret, given)]
        for found in outputs
    ]
    for rank, found in enumerate(outputs):
        for place, after in zip(program.sources, given[rank][2], strict=True):
            if place < len(args) and isinstance(args[place], np.ndarray):
                layout = getattr(arrays[place], "layout", ())
                np.testing.assert_allclose(
                    after, block_of(wanted_args[place], layout, mesh, rank), rtol, atol
                )
        built = program.result.build(program.result.with_places(list(found)), wanted_args)
        pairs = zip(_flat(built), _flat(wanted), program.result.leaves, strict=True)
        for mine, theirs, leaf in pairs:
            part = _block_like(theirs, mine, leaf, ranks[rank].layouts, mesh, rank)
            assert np.asarray(mine).dtype == np.asarray(theirs).dtype
            np.testing.assert_allclose(mine, part, rtol, atol, err_msg=f"rank {rank} of {mesh}")
    return ranks[0].messages


def _block_like(whole: Any, mine: Any, leaf: Any, layouts: Sequence[Layout], mesh: Any, rank: int) -> Any:
    """What a rank is to have of a result; of one that may be an argument, what has the shape of what it has."""
    position = getattr(leaf, "position", None)
    if position is not None:
        if _is_chosen(layouts[position]):
            return whole
        return block_of(whole, layouts[position], mesh, rank)
    fitting = [layout for layout in layouts if len(layout) == np.ndim(whole) and not _is_chosen(layout)]
    parts = [block_of(whole, layout, mesh, rank) for layout in fitting]
    return next((part for part in parts if np.shape(part) == np.shape(mine)), whole)


def _is_chosen(layout: Layout) -> bool:
    """Whether only the run tells which blocks there are."""
    return any(split is not None and not split.bounds for split in layout)


def _with_joined(found: list[Any], outputs: Sequence[Any], layouts: Sequence[Layout], mesh: Any) -> list[Any]:
    """The results of a rank, with all that ranks have in place of blocks of which only the run tells the lengths."""
    for number, layout in enumerate(layouts):
        for dim, split in enumerate(layout):
            if split is not None and not split.bounds:
                places: dict[int, Any] = {}
                for rank, output in enumerate(outputs):
                    places.setdefault(mesh.place(rank, split.axis), output[number])
                found[number] = np.concatenate([places[place] for place in sorted(places)], axis=dim)
    return found


def _flat(value: Any) -> list[Any]:
    if isinstance(value, (tuple, list)):
        return [leaf for item in value for leaf in _flat(item)]
    return [] if value is None else [value]


__all__ = ["P", "block_of", "check", "copied"]
