"""Blocks that a trace records into: the function's own, and those of staged branches and loops."""

from __future__ import annotations

from collections.abc import Iterator

from ...dialect.mlir import Block, Operation, ir


class Section:
    """A part of what a region records; going back to where it begins erases it as a whole.

    What remembers an SSA value remembers the section that defines it, too: the value can be used as long as that can.
    """

    __slots__ = ("is_erased", "region")

    def __init__(self, region: Region) -> None:
        self.region = region
        self.is_erased = False

    @property
    def is_usable(self) -> bool:
        """Whether values defined here can be used at this point of the recording."""
        return not self.is_erased and self.region.is_open


class Region:
    """A block and its place among the blocks around it."""

    __slots__ = ("_hoisted", "_last", "_sections", "block", "clock", "is_open", "is_over", "loop", "parent")

    def __init__(self, block: Block, parent: Region | None, is_loop: bool = False, clock: int = 0) -> None:
        self.block = block
        self.clock = clock
        """How many writes were recorded before."""
        self.parent = parent
        self.loop: Region | None = self if is_loop else None if parent is None else parent.loop
        """The innermost loop body around what is recorded here."""
        self.is_open = True
        """Whether values defined here can be used, if not erased: the region, or one inside it, is being recorded."""
        self.is_over = False
        """Whether it will not be recorded into again."""
        self._last: Operation | None = None
        self._hoisted: Operation | None = None
        self._sections = [Section(self)]

    @property
    def section(self) -> Section:
        """What is being recorded now, since the last point to go back to."""
        return self._sections[-1]

    def begin_section(self) -> int:
        """Make this a point to go back to; returns the number that `erase_section` takes."""
        self._sections.append(Section(self))
        return len(self._sections) - 1

    def erase_section(self, number: int, last: Operation | None) -> None:
        """Erase what was recorded since a section began behind an op, and begin it again."""
        for section in self._sections[number:]:
            section.is_erased = True
        self._sections[number:] = [Section(self)]
        self.erase_behind(last)

    def drop(self) -> None:
        """Take note that all that was recorded here is erased."""
        for section in self._sections:
            section.is_erased = True

    @property
    def sections_around(self) -> tuple[Section, ...]:
        """What is being recorded now in the region and in those around it: if one is erased, so is this point."""
        around = () if self.parent is None else self.parent.sections_around
        return (self.section, *around)

    def hoist(self, operation: Operation) -> None:
        """Let an op that was put at the begin of the block stay there, whatever is erased."""
        if self._hoisted is None:
            self._hoisted = operation

    def last_operation(self) -> Operation | None:
        """The op that was recorded last; looked for behind the one that was found before, as blocks are lists."""
        for operation in self.operations_behind(self._last):
            self._last = operation
        return self._last

    def operations_behind(self, operation: Operation | None) -> Iterator[Operation]:
        """The ops that follow one of the block's, for None all that was not put at its begin."""
        if operation is None:
            operation = self._hoisted
        if operation is None:
            operation = ir.InsertionPoint.at_block_begin(self.block).ref_operation
            if operation is None:
                return
            yield operation
        while (operation := ir.InsertionPoint.after(operation).ref_operation) is not None:
            yield operation

    def erase_behind(self, operation: Operation | None) -> None:
        """Erase the ops that follow one of the block's, for None all that was not put at its begin."""
        for following in reversed(list(self.operations_behind(operation))):
            following.erase()
        self._last = operation

    def erase(self, operation: Operation) -> None:
        """Erase an op of the block."""
        if self._last is not None and self._last == operation:
            self._last = None
        operation.erase()

    def is_inside(self, other: Region) -> bool:
        """Whether this region is another one, or nested in it."""
        region: Region | None = self
        while region is not None:
            if region is other:
                return True
            region = region.parent
        return False
