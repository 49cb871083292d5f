"""The table of the ops of weft that are written in other ones, and what all writers are written in.

A writer gets the operands and attributes of an op by its fields, as `Op.evaluate` does, and a builder: an emitter of
`dialect/emitter.py`, so that what a format has not is written in other ops of weft: `b.exp(x)`. A format has a table of
its own in front of the one here.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import ChainMap
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from typing import Any, ClassVar, TypeAlias, TypeVar

import numpy as np

from ...dialect.dtypes import kind
from ...dialect.emitter import Emitter, Extent, Tensor
from ...dialect.mlir import Location, ir
from ...dialect.op import Op

BOOL = np.dtype(np.bool_)
SINGLE = np.dtype(np.float32)

Writer: TypeAlias = Callable[..., "Tensor | Sequence[Tensor]"]
Writers: TypeAlias = MutableMapping[str, Writer]

COMMON: Writers = {}
"""The ops that are written in others, whatever the format, by their names."""

W = TypeVar("W", bound=Writer)


class Unsaid(Exception):
    """What a format cannot say; the message says why."""


class GraphBuilder(Emitter):
    """Makes ops of a format for those of weft."""

    language: ClassVar[str]
    """What the format is called."""
    writers: ClassVar[Writers]

    def __init__(self) -> None:
        self.location: Location = ir.Location.unknown()

    def emit(self, op_class: type[Op], operands: list[Tensor], attributes: dict[str, Any]) -> list[Tensor]:
        """Write an op of weft."""
        writer = self.writers.get(op_class.name)
        if writer is None:
            raise Unsaid(f"is none of {self.language}")
        found = writer(self, *op_class.group_operands(operands), **attributes)
        return [found] if isinstance(found, Tensor) else list(found)

    def number(self, value: Any, dtype: Any) -> Tensor:
        """A scalar."""
        return self.array(np.asarray(value, dtype))

    @abstractmethod
    def same(self, name: str, /, *operands: Tensor) -> Tensor:
        """The result of an op of the format on elements that has the type of its operands, which are broadcast."""

    @abstractmethod
    def array(self, value: Any) -> Tensor:
        """A constant."""

    @abstractmethod
    def convert(self, x: Tensor, dtype: np.dtype[Any]) -> Tensor:
        """x in another dtype, for numbers that this has; integers wrap."""

    @abstractmethod
    def quotient(self, x: Tensor, y: Tensor) -> Tensor:
        """Integers divided towards zero, where y is neither 0 nor -1."""

    @abstractmethod
    def rest(self, x: Tensor, y: Tensor) -> Tensor:
        """What is left of a division towards zero; y is neither 0 nor -1 where they are integers."""

    # Shapes

    def spread(self, *operands: Tensor) -> list[Tensor]:
        """Operands in the shape to which they broadcast."""
        if all(operand.shape == operands[0].shape for operand in operands):
            return list(operands)
        extents = self.common_extents(*operands)
        return [self.broadcast(operand, extents) for operand in operands]

    def common_extents(self, *operands: Tensor) -> list[Extent]:
        """The extents to which operands broadcast."""
        rank = max(operand.rank for operand in operands)
        extents: list[Extent] = [1] * rank
        for operand in operands:
            for axis, extent in enumerate(operand.shape, rank - operand.rank):
                if extents[axis] == 1 and extent != 1:
                    extents[axis] = self.extent(operand, axis - rank + operand.rank)
        return extents

    @abstractmethod
    def placed(self, x: Tensor, extents: Sequence[Extent], axes: Sequence[int]) -> Tensor:
        """x in a shape of which its axes are some."""

    @abstractmethod
    def joined(self, parts: Sequence[Tensor], axis: int) -> Tensor:
        """Tensors one behind the other."""

    # Regions

    @abstractmethod
    def branches(
        self, condition: Tensor, types: Sequence[Any], sides: Sequence[Callable[[], Sequence[Tensor]]]
    ) -> list[Tensor]:
        """What the first side gives where a condition holds, else the second one."""

    @abstractmethod
    def counted(
        self,
        bounds: Sequence[Tensor],
        start: Sequence[Tensor],
        types: Sequence[Any],
        body: Callable[[Tensor, Sequence[Tensor]], Sequence[Tensor]],
    ) -> list[Tensor]:
        """A loop from the first bound to before the second one in steps; its body gets the counter and values."""

    @abstractmethod
    def repeated(
        self,
        start: Sequence[Tensor],
        types: tuple[Sequence[Any], Sequence[Any]],
        test: Callable[[Sequence[Tensor]], Sequence[Tensor]],
        body: Callable[[Sequence[Tensor]], Sequence[Tensor]],
    ) -> list[Tensor]:
        """A loop: what a test hands on, behind whether to go on, the body makes values of for the next test.

        `types` are those of what the test gets, and of what it hands on; the result is what it hands on in the end.
        """


def shared_with(own: Writers) -> Writers:
    """The table of a format: its own writers, then those that all share."""
    return ChainMap(own, COMMON)


class Register:
    """Registers functions as writers: `@writer("add")`, in a table."""

    def __init__(self, own: Writers) -> None:
        self._own = own

    def __call__(self, *names: str) -> Callable[[W], W]:
        """Register a function as the writer of some ops."""

        def register(function: W) -> W:
            self._own.update(dict.fromkeys(names, function))
            return function

        return register

    def rows(self, **writers: Writer) -> None:
        """Register the writers of ops that are one expression each."""
        self._own.update(writers)

    def plain(self, names: Mapping[str, str]) -> None:
        """Register ops of elements that have their operands' type, under the names that a format has for them."""

        def writer_of(name: str) -> Writer:
            return lambda b, *operands: b.same(name, *operands)

        self._own.update({own: writer_of(name) for own, name in names.items()})


writer = Register(COMMON)


def of(b: GraphBuilder, x: Tensor, value: float) -> Tensor:
    """A number of the dtype of another."""
    return b.number(value, x.dtype)


def require_real(x: Tensor) -> None:
    """Refuse complex numbers."""
    if kind(x.dtype) == "c":
        raise Unsaid(f"has no form for {x.dtype.name}")


def require_known(*operands: Tensor) -> None:
    """Refuse sizes that are known at run time only."""
    for operand in operands:
        if None in operand.shape:
            raise Unsaid(f"has no form for {operand.type}, whose sizes are known when it runs only")
