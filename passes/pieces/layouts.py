"""What a piece computes: the steps from the regions that it is given to those that are wanted.

The steps say nothing of where a block lies, so that pieces with blocks of the same shapes are one program. What depends
on the place comes in as a number.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

from .partials import WAYS
from .programs import Program, Site
from .regions import Region, contains, extents, inside, merged, whole_region
from .rule import Need


class Wanted(NamedTuple):
    """A region of a value."""

    value: int
    region: Region


class WantedPart(NamedTuple):
    """What a reduction gives for regions of its operands."""

    site: int
    operands: tuple[Region, ...]


Target: TypeAlias = "Wanted | WantedPart"


class Part(NamedTuple):
    """What a step takes: the result of another one, or a part of that."""

    source: int
    bounds: tuple[tuple[int, int], ...] | None


class Step(NamedTuple):
    """One op of a piece."""

    site: int
    way: str
    attributes: tuple[tuple[str, Any], ...]
    operands: tuple[Part | None, ...]
    number: int | None
    """Which of the numbers that tell places it takes."""
    shape: tuple[int, ...]


class Steps(NamedTuple):
    """A piece; equal ones are one program."""

    inputs: tuple[tuple[int, tuple[int, ...]], ...]
    """Values that come from outside, with the shapes of what comes of them."""
    numbers: int
    """How many numbers come besides."""
    steps: tuple[Step, ...]
    results: tuple[Part, ...]


class Layout(NamedTuple):
    """A piece with what it is given."""

    steps: Steps
    inputs: tuple[Wanted, ...]
    numbers: tuple[int, ...]


def layout_of(
    program: Program, targets: Sequence[Target], own: int | None = None, with_checks: bool = False
) -> Layout:
    """What it takes to compute the targets; checks are those of the whole program.

    `own` is the op whose results are computed here, though they are kept.
    """
    return _Layouts(program, targets, own, program.checks if with_checks else ()).layout()


class _Layouts:
    def __init__(
        self, program: Program, targets: Sequence[Target], own: int | None, checks: Sequence[Site]
    ) -> None:
        self._program = program
        self._own = set() if own is None else set(program.sites[own].results)
        self._targets = targets
        self._wanted: dict[int, list[Region]] = defaultdict(list)
        self._needs: dict[int, list[Need]] = {}
        self._checks = {site.number for site in checks}
        self._made: dict[int, list[tuple[Region, int]]] = defaultdict(list)
        """Where regions of values are: among the inputs, and the results of the steps behind them."""
        self._inputs: list[Wanted] = []
        self._numbers: list[int] = []
        self._steps: list[Step] = []
        self._count = 0
        self._spread()

    def _spread(self) -> None:
        """From what is wanted to what that needs."""
        program = self._program
        for target in self._targets:
            if isinstance(target, Wanted):
                self._wanted[target.value].append(target.region)
            else:
                operands = program.sites[target.site].operands
                for value, region in zip(operands, target.operands, strict=True):
                    self._wanted[value].append(region)
        for site in reversed(program.sites):
            regions = [r for value in site.results for r in self._wanted[value] if not self._is_leaf(value)]
            if site.number in self._checks and not regions:
                every: list[Region] = [whole_region(shape) for shape in site.use.results[:1]] or [()]
                if site.is_kept:  # where it is computed, it is checked
                    self._wanted[site.results[0]] += every
                    continue
                regions = every
            if not regions:
                continue
            if len(set(site.use.results)) > 1:
                regions = [whole_region(site.use.results[0])]  # it is computed as a whole
            found = [site.rule.needs(site.use, region) for region in merged(regions)]
            self._needs[site.number] = found
            for need in found:
                for value, needed in zip(site.operands, need.operands, strict=True):
                    if needed is not None:
                        self._wanted[value].append(needed)

    def _is_leaf(self, value: int) -> bool:
        return value not in self._own and self._program.is_leaf(value)

    def layout(self) -> Layout:
        """The steps in program order."""
        for value, regions in sorted(self._wanted.items()):
            if regions and self._is_leaf(value):
                for region in merged(regions):
                    self._made[value].append((region, len(self._inputs)))
                    self._inputs.append(Wanted(value, region))
        self._count = len(self._inputs)
        for number in sorted(self._needs):
            for need in self._needs[number]:
                self._add(self._program.sites[number], need)
        results = [part for target in self._targets for part in self._parts_of(target)]
        shapes = tuple((wanted.value, extents(wanted.region)) for wanted in self._inputs)
        steps = Steps(shapes, len(self._numbers), tuple(self._steps), tuple(results))
        return Layout(steps, tuple(self._inputs), tuple(self._numbers))

    def _add(self, site: Site, need: Need) -> None:
        """The step that computes a region of an op's results."""
        operands = tuple(
            None if region is None else self._part(value, region)
            for value, region in zip(site.operands, need.operands, strict=True)
        )
        place = None
        if need.way == "arange":
            place = len(self._numbers)
            self._numbers.append(need.produced[0][0])
        attributes = tuple(need.attributes.items())
        self._steps.append(Step(site.number, need.way, attributes, operands, place, extents(need.produced)))
        for value, shape in zip(site.results, site.use.results, strict=True):
            if not self._is_leaf(value):
                is_alike = shape == site.use.results[0]
                self._made[value].append((need.produced if is_alike else whole_region(shape), self._count))
            self._count += 1

    def _parts_of(self, target: Target) -> list[Part]:
        """What a target is, behind all steps."""
        if isinstance(target, Wanted):
            return [self._part(target.value, target.region)]
        site = self._program.sites[target.site]
        given = tuple(self._part(v, r) for v, r in zip(site.operands, target.operands, strict=True))
        assert site.op_class is not None
        how, found = WAYS[site.op_class], []
        for name in how.parts:
            self._steps.append(Step(target.site, f"part {name}", (), given, None, ()))
            found += [Part(self._count + number, None) for number in range(how.arrays)]
            self._count += how.arrays
        return found

    def _part(self, value: int, region: Region) -> Part:
        outer, source = next((r, s) for r, s in self._made[value] if contains(r, region))
        return Part(source, inside(outer, region))
