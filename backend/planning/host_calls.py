"""Calls of Python in a planned function: `func.call @host.3` becomes a call of the one way back into Python.

    weft_host_call(record, tensors)

The record holds the number of the site, as it does for an error. The called function sets it back to 0 when all went
well, and the caller exits when it did not; always, if an exception is all that it is called for. `tensors` points to
words on the stack: for every operand and then every result its address, and its extents as far as its type does not
tell them.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...dialect.callbacks import COLLECTIVES
from ...dialect.host_calls import callback_of, declared_callback, native_name, only_raises, signature_of
from ...dialect.mlir import Module, Operation, Value, dialect, ir
from ...dialect.records import dataclass
from ...dialect.types import TensorType
from ...passes.index_arithmetic import Extent, IndexArithmetic
from .failures import FailureSites, find
from .names import HOST_CALL
from .plan import HostSite
from .shapes import static_shape


@dataclass(frozen=True)
class Placed:
    """A tensor that Python reads or writes: its memory and its sizes."""

    memref: Value
    extents: Sequence[Extent]

    def words(self) -> list[Extent | None]:
        """What the run time must be told: None for the address, then the sizes that the type does not tell."""
        shape = static_shape(self.memref.type)
        unknown = [extent for extent, known in zip(self.extents, shape, strict=True) if known is None]
        return [None, *unknown]


class HostCalls:
    """Writes the calls of Python in the planned functions of a module."""

    def __init__(self, module: Module, failures: FailureSites, *, is_native: bool) -> None:
        """`is_native` says that functions of the backend may be called instead of those of Python."""
        self._module = module
        self._failures = failures
        self._signatures: dict[int, tuple[list[TensorType], list[TensorType]]] = {}
        self._declarations: list[Operation] = []
        self._raising: set[int] = set()
        self._native: dict[int, str] = {}
        for view in module.body.operations:
            callback = declared_callback(view.operation)
            if callback is not None:
                self._signatures[callback] = signature_of(view.operation)
                self._declarations.append(view.operation)
                if only_raises(view.operation):
                    self._raising.add(callback)
                native = native_name(view.operation)
                if native is not None and is_native:
                    self._native[callback] = native
        self._is_declared = False

    def lower(
        self, op: Operation, tensors: Sequence[Placed], words: Value, record: Value, builder: IndexArithmetic
    ) -> None:
        """Make the code that calls Python and exits when it raised; `tensors` are operands, then results."""
        callback = callback_of(op)
        assert callback is not None
        operands, results = self._signatures[callback]
        site = HostSite(callback, tuple(operands), tuple(results), str(op.location))
        arith, memref = dialect("arith"), dialect("memref")
        word = ir.IntegerType.get_signless(64)
        position = 0
        takes_addresses = callback in self._native and callback < COLLECTIVES
        for placed in tensors:
            for known in [None] if takes_addresses else placed.words():
                value = memref.extract_aligned_pointer_as_index(placed.memref) if known is None else known
                stored = arith.index_cast(word, builder.value(value))
                memref.store(stored, words, [builder.value(position)])
                position += 1
        if callback in self._native:
            status = self._call_native(self._native[callback], words)
            if callback >= COLLECTIVES:
                is_left = arith.cmpi(arith.CmpIPredicate.ne, status, arith.constant(word, 0))
                with ir.InsertionPoint(dialect("scf").IfOp(is_left).then_block):
                    self._call_python(callback, site, words, record)
                    dialect("scf").YieldOp([])
            return
        self._call_python(callback, site, words, record)

    def _call_python(self, callback: int, site: HostSite, words: Value, record: Value) -> None:
        arith, memref, word = dialect("arith"), dialect("memref"), ir.IntegerType.get_signless(64)
        self._failures.begin(site, record)
        pointers = [
            arith.index_cast(word, memref.extract_aligned_pointer_as_index(m)) for m in (record, words)
        ]
        self._declare()
        dialect("func").CallOp([], HOST_CALL, pointers)
        if callback in self._raising:
            self._failures.exit()
        else:
            self._failures.propagate(record)

    def _call_native(self, name: str, words: Value) -> Value:
        """Call a function of the backend, which never fails; that for collectives tells whether Python is needed."""
        word = ir.IntegerType.get_signless(64)
        self._failures.declare(name, [word], [word])
        address = dialect("arith").index_cast(word, dialect("memref").extract_aligned_pointer_as_index(words))
        return dialect("func").CallOp([word], name, [address]).result

    def words(self, function: Operation) -> Value | None:
        """Room on the stack for the longest list of words that a function needs, at the current insertion point."""
        calls = [op for op in find(function, "func.call") if callback_of(op) is not None]
        longest = max((sum(map(_word_count, [*op.operands, *op.results])) for op in calls), default=None)
        if longest is None:
            return None
        words = ir.MemRefType.get([max(1, longest)], ir.IntegerType.get_signless(64))
        return dialect("memref").alloca(words, [], [])

    def finish(self) -> None:
        """Erase the declarations of the Python functions, which nobody calls any more."""
        for declaration in self._declarations:
            declaration.erase()

    def _declare(self) -> None:
        if not self._is_declared:
            word = ir.IntegerType.get_signless(64)
            with ir.InsertionPoint(self._module.body):
                dialect("func").FuncOp(HOST_CALL, ([word, word], []), visibility="private")
            self._is_declared = True


def _word_count(tensor: Value) -> int:
    return 1 + static_shape(tensor.type).count(None)
