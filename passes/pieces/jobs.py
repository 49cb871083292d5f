"""Which pieces a program is cut in: for each array that is kept or returned the parts of it, and what each computes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, product
from math import prod
from typing import Any, NamedTuple

from ...dialect.ops.contraction import Contract, Matmul, parse_spec
from ...dialect.ops.indexing import FindOutOfBounds
from ...dialect.ops.reductions import normalize_axes
from .layouts import Target, Wanted, WantedPart
from .partials import Final, Part
from .programs import Program, Site
from .regions import Cuts, Region, blocks_of, whole, whole_region


class PieceOf(NamedTuple):
    """One piece: what it computes, and what of that is combined with others."""

    targets: tuple[Target, ...]
    parts: tuple[Part, ...]


class Job(NamedTuple):
    """Pieces that are alike: one for each block of some values, or for each block along what is reduced."""

    values: tuple[int, ...]
    """What comes out: all of it, or one block of each value for each piece."""
    block: Region | None
    """The block of a value that is combined; None where each piece gives a block of the values."""
    site: int | None
    """The op whose results are made, if they are kept."""
    pieces: tuple[PieceOf, ...]


def jobs_of(program: Program) -> Iterator[Job]:
    """The jobs of a program, those behind which need the others; reductions of the same blocks go together."""
    depths = _depths(program)
    groups: dict[Any, list[Site]] = {}
    for site in program.sites:
        if not site.is_kept:
            continue
        key: Any = site.number
        if site.is_combined and len(list(blocks_of(_cuts(program, site)))) == 1:
            key = depths[site.results[0]], tuple(axis.points for axis, _ in reduced(program, site))
        groups.setdefault(key, []).append(site)
    for group in sorted(groups.values(), key=lambda sites: max(depths[s.results[0]] for s in sites)):
        if group[0].is_combined:
            for block in blocks_of(_cuts(program, group[0])):
                yield _combined(program, group, block)
        else:
            (site,) = group
            yield _blocks(program, tuple(site.results), site.number)


def output_jobs(program: Program) -> Iterator[Job]:
    """The jobs that compute what is returned, of results with the same blocks together."""
    groups: dict[Any, list[int]] = {}
    for value in dict.fromkeys(program.outputs):
        if not program.is_leaf(value):
            groups.setdefault(tuple(axis.points for axis in program.values[value].cuts), []).append(value)
    for values in groups.values():
        yield _blocks(program, tuple(values), None)


def _blocks(program: Program, values: tuple[int, ...], site: int | None) -> Job:
    cuts = program.values[values[0]].cuts
    if len({tuple(axis.points for axis in program.values[value].cuts) for value in values}) > 1:
        # Results of one op with other shapes: computed as a whole, each is one block.
        targets = tuple(Wanted(value, next(blocks_of(program.values[value].cuts))) for value in values)
        return Job(values, None, site, (PieceOf(targets, ()),))
    pieces = (PieceOf(tuple(Wanted(value, block) for value in values), ()) for block in blocks_of(cuts))
    return Job(values, None, site, tuple(pieces))


def _combined(program: Program, sites: list[Site], block: Region) -> Job:
    axes = [cuts for cuts, _ in reduced(program, sites[0])]
    pieces = []
    for place in product(*(tuple(pairwise(axis.points)) for axis in axes)):
        targets, parts = [], []
        for site in sites:
            # Of a group, each is one block, of a shape of its own.
            own = block if len(sites) == 1 else whole_region(site.use.results[0])
            targets.append(WantedPart(site.number, _operands(program, site, own, place)))
            parts.append(_part(program, site, place))
        pieces.append(PieceOf(tuple(targets), tuple(parts)))
    values = tuple(value for site in sites for value in site.results)
    return Job(values, block, sites[0].number if len(sites) == 1 else None, tuple(pieces))


def _operands(
    program: Program, site: Site, block: Region, place: tuple[tuple[int, int], ...]
) -> tuple[Region, ...]:
    """The regions of the operands that a part reduces, for a block of the result."""
    need = site.rule.needs(site.use, block)
    found = [list(region or ()) for region in need.operands]
    for (_, where), bounds in zip(reduced(program, site), place, strict=True):
        for operand, axis in where:
            found[operand][axis] = bounds
    return tuple(map(tuple, found))


def _part(program: Program, site: Site, place: tuple[tuple[int, int], ...]) -> Part:
    assert site.op_class is not None
    type = program.values[site.results[0]].type
    assert type is not None
    final = Final(type.dtype, site.attributes.get("correction", 0.0))
    return Part(site.op_class.name, prod(end - begin for begin, end in place), place[0][0], final)


def reduced(program: Program, site: Site) -> list[tuple[Cuts, list[tuple[int, int]]]]:
    """What an op reduces: the blocks, and for each of them the operands and axes that have them."""
    operands = site.use.operands
    if site.op_class is Contract:
        labels = parse_spec(site.attributes["spec"])
        gone = dict.fromkeys(label for label in labels[0] + labels[1] if label not in labels[2])
        where = [
            [(number, own.index(label)) for number, own in enumerate(labels[:2]) if label in own]
            for label in gone
        ]
    elif site.op_class is Matmul:
        where = [[(0, len(operands[0]) - 1), (1, len(operands[1]) - 2)]]
    elif site.op_class is FindOutOfBounds:
        where = [[(0, axis)] for axis in range(len(operands[0]))]
    else:
        given = site.attributes["axes"] if "axes" in site.attributes else (site.attributes["axis"],)
        where = [[(0, axis)] for axis in normalize_axes(tuple(given), len(operands[0]))]
    return [(_first_split([operands[number][axis] for number, axis in each]), each) for each in where]


def _first_split(cuts: list[Cuts]) -> Cuts:
    return next((axis for axis in cuts if axis.is_split), whole(cuts[0].extent))


def _cuts(program: Program, site: Site) -> tuple[Cuts, ...]:
    return program.values[site.results[0]].cuts


def _depths(program: Program) -> dict[int, int]:
    """For each value how many kept ones it is computed of, one after the other."""
    depths = dict.fromkeys(range(program.arguments), 0)
    for site in program.sites:
        depth = max((depths[value] for value in site.operands), default=0)
        depths.update(dict.fromkeys(site.results, depth + site.is_kept))
    return depths
