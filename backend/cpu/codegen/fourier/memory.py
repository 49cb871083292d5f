"""Complex numbers in memory, as vectors of neighbours: with the parts of a number side by side, or all parts apart."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from .....dialect.mlir import Type, Value, ir
from .....dialect.records import dataclass
from ....functions.number import Number
from ....nests.emit import Emitter, Index, create, load
from ..stacks.lanes import shuffle
from .complex_numbers import Complex


@dataclass(frozen=True)
class Line(ABC):
    """Complex numbers one after the other."""

    emitter: Emitter
    memory: Value
    """Real numbers along one axis."""
    first: Index = 0
    """Where the first one is."""
    is_exchanged: bool = False
    """Whether the parts of numbers are taken for each other."""
    behind: int = 1
    """How many places after the real part of a number its imaginary part is."""

    @property
    def element(self) -> Type:
        """The type of a part."""
        return self.memory.type.element_type

    def load(self, place: Index, lanes: int) -> Complex:
        """As many neighbours as a vector has lanes."""
        return self._exchanged(self._read(place, lanes))

    def store(self, number: Complex, place: Index) -> None:
        """Write neighbours."""
        self._write(self._exchanged(number), place)

    def load_backwards(self, place: Index, lanes: int) -> Complex:
        """Neighbours from a place back."""
        return _reversed(self.load(self.emitter.subtract(place, lanes - 1), lanes))

    def store_backwards(self, number: Complex, place: Index) -> None:
        """Write neighbours from a place back."""
        self.store(_reversed(number), self.emitter.subtract(place, _lanes(number) - 1))

    def load_for_all(self, place: Index, lanes: int) -> Complex:
        """One number, in all lanes of a vector."""
        type = ir.VectorType.get([lanes], self.element)
        real = self._place(place)
        places = (real, self.emitter.add(real, self.behind))
        parts = (load(self.memory, [self.emitter.value(each)]) for each in places)
        return self._exchanged(
            Complex(*(Number(create("vector.broadcast", [type], [part])) for part in parts))
        )

    @abstractmethod
    def _read(self, place: Index, lanes: int) -> Complex: ...

    @abstractmethod
    def _write(self, number: Complex, place: Index) -> None: ...

    @abstractmethod
    def _place(self, place: Index) -> Index:
        """Where the real part of a number is."""

    def _exchanged(self, number: Complex) -> Complex:
        return number.exchanged() if self.is_exchanged else number

    def _load(self, place: Index, lanes: int) -> Value:
        type = ir.VectorType.get([lanes], self.element)
        return create("vector.load", [type], [self.memory, self.emitter.value(place)])

    def _store(self, vector: Value, place: Index) -> None:
        create("vector.store", [], [vector, self.memory, self.emitter.value(place)])


@dataclass(frozen=True)
class Pairs(Line):
    """Complex numbers whose parts are side by side."""

    def _read(self, place: Index, lanes: int) -> Complex:
        both = self._load(self._place(place), 2 * lanes)
        return Complex(*(Number(shuffle(both, both, range(part, 2 * lanes, 2))) for part in (0, 1)))

    def _write(self, number: Complex, place: Index) -> None:
        lanes = _lanes(number)
        order = [lane // 2 + lane % 2 * lanes for lane in range(2 * lanes)]
        self._store(shuffle(number.real.value, number.imaginary.value, order), self._place(place))

    def _place(self, place: Index) -> Index:
        return self.emitter.add(self.first, self.emitter.multiply(place, 2))


@dataclass(frozen=True)
class Parts(Line):
    """Complex numbers whose imaginary parts are behind a row of real ones."""

    def _read(self, place: Index, lanes: int) -> Complex:
        real = self._place(place)
        imaginary = self.emitter.add(real, self.behind)
        return Complex(Number(self._load(real, lanes)), Number(self._load(imaginary, lanes)))

    def _write(self, number: Complex, place: Index) -> None:
        real = self._place(place)
        self._store(number.real.value, real)
        self._store(number.imaginary.value, self.emitter.add(real, self.behind))

    def _place(self, place: Index) -> Index:
        return self.emitter.add(self.first, place)


def constant_memory(numbers: np.ndarray[Any, Any], element: Type, emitter: Emitter) -> Value:
    """Memory with real numbers that nobody writes.

    It is a constant of bytes, of which LLVM's text is a string: of floats, reading it would take ten times as long.
    """
    kept = np.frombuffer(numbers.astype(f"f{element.width // 8}").tobytes(), np.int8)
    byte = ir.IntegerType.get_signless(8)
    attribute = ir.DenseElementsAttr.get(kept, type=ir.RankedTensorType.get([kept.size], byte))
    tensor = create("arith.constant", [attribute.type], [], {"value": attribute})
    only = {"read_only": ir.UnitAttr.get()}
    memory = create("bufferization.to_buffer", [ir.MemRefType.get([kept.size], byte)], [tensor], only)
    return create("memref.view", [ir.MemRefType.get([numbers.size], element)], [memory, emitter.value(0)])


def _lanes(number: Complex) -> int:
    return int(number.real.type.shape[0])


def _reversed(number: Complex) -> Complex:
    order = range(_lanes(number) - 1, -1, -1)
    parts = (number.real.value, number.imaginary.value)
    return Complex(*(Number(shuffle(part, part, order)) for part in parts))
