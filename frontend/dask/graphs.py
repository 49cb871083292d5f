"""A program in pieces as a graph of Dask: a task for each piece, and trees of those that combine their parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from math import prod
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ...backend.cache.digests import sha256
from ...passes.pieces.emission import text_of_piece
from ...passes.pieces.jobs import Job, PieceOf, jobs_of, output_jobs
from ...passes.pieces.layouts import Layout, Steps, Wanted, layout_of
from ...passes.pieces.programs import Program, constant_of
from ...passes.pieces.regions import Cuts, Region, extents, intersection, size
from ...passes.pieces.rules import block_at
from .tasks import Assembly, Literal, Piece, Source, combine, run_piece, taken

Key: TypeAlias = Any
"""What names a task."""

_SMALL = 8 << 10
"""An array of at most so many bytes is no task of its own."""

_FAN = 8
"""So many parts are combined by one task."""


class Block(NamedTuple):
    """Where a block of an array comes from."""

    key: Key
    item: int | None


class Blocks(NamedTuple):
    """An array that comes to pieces from outside, in blocks."""

    cuts: tuple[Cuts, ...]
    block: Callable[[tuple[int, ...]], Block]
    """The block at a place, which is counted along each axis."""


class PiecePlan(NamedTuple):
    """A piece, ready for a graph."""

    piece: int
    """Which of the programs it runs."""
    layout: Layout
    of: PieceOf


class JobPlan(NamedTuple):
    """A job, ready for a graph."""

    job: Job
    pieces: list[PiecePlan]


class Plan:
    """What a graph for a program holds whatever the arrays are: made once, for any number of calls."""

    def __init__(self, program: Program, name: str) -> None:
        self.program = program
        self.name = name
        self.key = sha256(str(program.module).encode())
        """A name for the whole program: that of its pieces says neither what they take nor where."""
        self.pieces: list[Piece] = []
        self._numbers: dict[Steps, int] = {}
        self.jobs = [self._planned(job, with_checks=False) for job in jobs_of(program)]
        self.outputs = [self._planned(job, with_checks=True) for job in output_jobs(program)]

    def _planned(self, job: Job, with_checks: bool) -> JobPlan:
        own = job.site if job.block is None else None
        made = []
        for of in job.pieces:
            layout = layout_of(self.program, of.targets, own, with_checks)
            made.append(PiecePlan(self._piece(layout.steps), layout, of))
        return JobPlan(job, made)

    def _piece(self, steps: Steps) -> int:
        number = self._numbers.get(steps)
        if number is None:
            number = self._numbers[steps] = len(self.pieces)
            self.pieces.append(Piece.of_text(text_of_piece(self.program, steps, self.name)))
        return number


class GraphBuilder:
    """Makes the tasks of a plan, for the blocks of some arrays."""

    def __init__(self, plan: Plan, token: str, arguments: Sequence[Blocks | np.ndarray[Any, Any]]) -> None:
        self.plan = plan
        self.tasks: dict[Key, Any] = {}
        self._token = token
        self._known: dict[int, Blocks] = {}
        self._small: dict[Key, Literal] = {}
        """Arrays that go along with each task that uses them."""
        self._arrays: dict[int, np.ndarray[Any, Any]] = {}
        self._tables: dict[int, dict[tuple[int, ...], Block]] = {}
        """The blocks of values that were combined."""
        for number, argument in enumerate(arguments):
            if isinstance(argument, Blocks):
                self._known[number] = argument
            else:
                self._arrays[number] = argument

    def name(self, what: str) -> str:
        """The name of some of the tasks; what is in front of the digits is what Dask's pages show."""
        return f"weft-{self.plan.name}{what}-{self._token}"

    def build(self) -> dict[int, Blocks]:
        """Add all tasks; returns the blocks of what is returned."""
        for number, planned in enumerate(self.plan.jobs):
            self._add(planned, str(number))
        for number, planned in enumerate(self.plan.outputs):
            self._add(planned, f"result-{number}")
        return {value: self._blocks_of(value) for value in self.plan.program.outputs}

    def _add(self, planned: JobPlan, number: str) -> None:
        job = planned.job
        keys = [
            self._add_piece(piece, (self.name(f"-{number}"), place))
            for place, piece in enumerate(planned.pieces)
        ]
        if job.block is None:
            self._note_blocks(job, keys)
            return
        parts = planned.pieces[0].of.parts
        level = 0
        while True:
            groups = [keys[first : first + _FAN] for first in range(0, len(keys), _FAN)]
            is_last = len(groups) == 1
            name = self.name(f"-{number}-combined")
            made = []
            for place, group in enumerate(groups):
                key = (name, level, place)
                self.tasks[key] = (combine, Literal(parts), is_last, *group)
                made.append(key)
            keys, level = made, level + 1
            if is_last:
                break
        self._note_combined(job, keys[0])

    def _note_blocks(self, job: Job, keys: list[Key]) -> None:
        """Know where the blocks of values are, of which each piece gives one."""
        for item, value in enumerate(job.values):
            cuts = self.plan.program.values[value].cuts
            counts = [len(axis.points) - 1 for axis in cuts]
            chosen = item if len(job.values) > 1 else None

            def block(
                place: tuple[int, ...], counts: list[int] = counts, chosen: int | None = chosen
            ) -> Block:
                number = 0
                for index, count in zip(place, counts, strict=True):
                    number = number * count + index
                return Block(keys[number], chosen)

            self._known[value] = Blocks(cuts, block)

    def _note_combined(self, job: Job, key: Key) -> None:
        """Know where values are that were combined: all of them, or one block of one."""
        for item, value in enumerate(job.values):
            cuts = self.plan.program.values[value].cuts
            found = Block(key, item if len(job.values) > 1 else None)
            assert job.block is not None
            place = tuple(
                block_at(axis, begin) for axis, (begin, _) in zip(cuts, job.block[: len(cuts)], strict=False)
            )
            if len(place) != len(cuts) or not any(axis.is_split for axis in cuts):
                place = (0,) * len(cuts)
            table = self._tables.setdefault(value, {})
            table[place] = found
            self._known[value] = Blocks(cuts, table.__getitem__)

    def _add_piece(self, planned: PiecePlan, key: Key) -> Key:
        given: dict[Key, int] = {}
        assemblies = tuple(self._assembly(wanted, given) for wanted in planned.layout.inputs)
        # The piece is no task of its own: while a worker waited for it, it would fetch or make more blocks.
        self.tasks[key] = (
            run_piece,
            self.plan.pieces[planned.piece],
            Literal(assemblies),
            Literal(planned.layout.numbers),
            Literal(planned.of.parts),
            *(self._small.get(dependency, dependency) for dependency in given),
        )
        return key

    def _assembly(self, wanted: Wanted, given: dict[Key, int]) -> Assembly:
        """How a region of a value is put together of blocks, whose tasks are added to what is given."""
        type = self.plan.program.values[wanted.value].type
        assert type is not None
        sources = tuple(
            Source(given.setdefault(block.key, len(given)), block.item, place)
            for block, place in self._parts(wanted)
        )
        return Assembly(extents(wanted.region), str(type.dtype), sources)

    def _parts(self, wanted: Wanted) -> list[tuple[Block, Region]]:
        """The blocks, or parts of them, that a region is made of, with their places in it."""
        region = wanted.region
        known = self._known.get(wanted.value)
        if known is None:
            inside = tuple((0, end - begin) for begin, end in region)
            return [(Block(self._data(wanted), None), inside)]
        numbers = [
            range(block_at(axis, begin), block_at(axis, max(begin, end - 1)) + 1)
            for axis, (begin, end) in zip(known.cuts, region, strict=True)
        ]
        found = []
        for place in product(*numbers):
            own = tuple(
                (axis.points[n], axis.points[n + 1]) for axis, n in zip(known.cuts, place, strict=True)
            )
            part = tuple(intersection(one, other) for one, other in zip(own, region, strict=True))
            target = tuple((b - o, e - o) for (b, e), (o, _) in zip(part, region, strict=True))
            found.append((self._part(known.block(place), own, part), target))
        return found

    def _part(self, block: Block, own: Region, part: Region) -> Block:
        """A block, or a task that takes a part of it."""
        if own == part:
            return block
        bounds = tuple((b - o, e - o) for (b, e), (o, _) in zip(part, own, strict=True))
        key = (self.name("-part"), str(block.key), block.item or 0, str(bounds))
        self.tasks[key] = (taken, block.key, block.item, Literal(bounds))
        return Block(key, None)

    def _data(self, wanted: Wanted) -> Key:
        """An array of this process, or a part of it, as a task."""
        array = self._arrays.get(wanted.value)
        if array is None:
            site = self.plan.program.sites[self.plan.program.values[wanted.value].site]
            array = constant_of(site)
        index: Any = (*(slice(*bounds) for bounds in wanted.region), ...)
        is_all = size(wanted.region) == prod(array.shape)
        key = (self.name("-data"), wanted.value, str(wanted.region))
        # What is given now counts: the array may change before the graph is computed.
        part = np.array(array if is_all else array[index])
        if part.nbytes <= _SMALL:
            self._small[key] = Literal(part)
        else:
            self.tasks[key] = part
        return key

    def _blocks_of(self, value: int) -> Blocks:
        known = self._known.get(value)
        if known is not None:
            return known
        # An array of this process that is returned as it is.
        found = self.plan.program.values[value]
        key = self._data(Wanted(value, tuple((0, axis.extent) for axis in found.cuts)))
        if key in self._small:
            self.tasks[key] = self._small[key].value
        return Blocks(tuple(Cuts((0, axis.extent)) for axis in found.cuts), lambda place: Block(key, None))
