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
from .rules import Need


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
                every = [whole_region(shape) for shape in site.use.results[:1]] or [()]
                if site.is_kept:  # where it is computed, it is checked
                    self._wanted[site.results[0]] += every
                    continue
                regions = every
            if not regions:
                continue
            found = [site.rule.needs(site.use, region) for region in merged(regions)]
            self._needs[site.number] = found
            for need in found:
                for value, region in zip(site.operands, need.operands, strict=True):
                    if region is not None:
                        self._wanted[value].append(region)

    def _is_leaf(self, value: int) -> bool:
        return value not in self._own and self._program.is_leaf(value)

    def layout(self) -> Layout:
        """The steps in program order."""
        program, made = self._program, dict[int, list[tuple[Region, int]]]()
        inputs: list[Wanted] = []
        for value, regions in sorted(self._wanted.items()):
            if regions and self._is_leaf(value):
                made[value] = []
                for region in merged(regions):
                    made[value].append((region, len(inputs)))
                    inputs.append(Wanted(value, region))
        steps: list[Step] = []
        numbers: list[int] = []
        count = len(inputs)

        def part(value: int, region: Region) -> Part:
            outer, source = next((r, s) for r, s in made[value] if contains(r, region))
            return Part(source, inside(outer, region))

        for number in sorted(self._needs):
            site = program.sites[number]
            for need in self._needs[number]:
                operands = tuple(
                    None if region is None else part(value, region)
                    for value, region in zip(site.operands, need.operands, strict=True)
                )
                place = None
                if need.way == "arange":
                    place = len(numbers)
                    numbers.append(need.produced[0][0])
                attributes = tuple(need.attributes.items())
                steps.append(Step(number, need.way, attributes, operands, place, extents(need.produced)))
                for value in site.results:
                    if not self._is_leaf(value):
                        made.setdefault(value, []).append((need.produced, count))
                    count += 1
        results: list[Part] = []
        for target in self._targets:
            if isinstance(target, Wanted):
                results.append(part(target.value, target.region))
                continue
            site = program.sites[target.site]
            given = tuple(part(v, r) for v, r in zip(site.operands, target.operands, strict=True))
            assert site.op_class is not None
            for way in WAYS[site.op_class].parts:
                steps.append(Step(target.site, f"part {way}", (), given, None, ()))
                results.append(Part(count, None))
                count += 1
        shapes = tuple((wanted.value, extents(wanted.region)) for wanted in inputs)
        return Layout(
            Steps(shapes, len(numbers), tuple(steps), tuple(results)), tuple(inputs), tuple(numbers)
        )


__all__ = ["Layout", "Part", "Step", "Steps", "Target", "Wanted", "WantedPart", "layout_of"]
