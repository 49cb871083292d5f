"""Handles of MLIR that notice when what they stand for is gone: a use of one raises, where the process would die.

The bindings know neither which Python objects stand for what is inside an erased op, nor what a pass of MLIR erases. In
`checked_handles` an erased op is not freed: it leaves its block, lets go of its operands, and stays, so that nothing
else gets its address. A pass of MLIR works on a copy of what is in the module, and the originals are erased: no handle
may be kept over it. The methods and properties of the bindings first ask whether what they are given is still there.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from weft.dialect.mlir import PassManager, ir

_HANDLES = (ir._OperationBase, ir.Value, ir.Block, ir.InsertionPoint)
_CLASSES = (*_HANDLES, ir.Operation, ir.OpView, ir.OpResult, ir.BlockArgument)
_UNCHECKED = frozenset({"_set_invalid", "__init__", "__new__", "__eq__", "__exit__", "context", "current"})
"""What looks at nothing that an erased op owns: whether two handles are one is a matter of their addresses."""

_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
_capsule_of = {
    ir._OperationBase: (vars(ir._OperationBase)["_CAPIPtr"].fget, b"torch_mlir.ir.Operation._CAPIPtr"),
    ir.Value: (vars(ir.Value)["_CAPIPtr"].fget, b"torch_mlir.ir.Value._CAPIPtr"),
    ir.Block: (vars(ir.Block)["_CAPIPtr"].fget, b"torch_mlir.ir.Block._CAPIPtr"),
}


class ErasedHandleError(BaseException):
    """A handle of an op that was erased, or of a value or block of such a one, is used."""


class _Graveyard:
    """What was erased, and the check that it is not used."""

    def __init__(self) -> None:
        self._erased: dict[int, str] = {}
        """The addresses of ops, values and blocks, with what they were."""
        self._kept: list[Any] = []
        """The ops, which are freed in the end."""
        self._is_working = False

    @contextmanager
    def working(self) -> Iterator[None]:
        """Check nothing in here."""
        self._is_working = True
        try:
            yield
        finally:
            self._is_working = False

    def require_alive(self, *handles: Any) -> None:
        """Raise when one of some objects is a handle, or a list with a handle, of what is gone."""
        if self._is_working or not self._erased:
            return
        for handle in handles:
            if isinstance(handle, (list, tuple)):
                self.require_alive(*handle)
            elif isinstance(handle, _HANDLES):
                with self.working():
                    found = handle.block if isinstance(handle, ir.InsertionPoint) else handle
                    was = self._erased.get(_address(found))
                if was is not None:
                    raise ErasedHandleError(f"{type(handle).__name__} of an erased op: {was}")

    def bury(self, operation: Any) -> bool:
        """Take an op out of the program, with all inside it; whether that could be done."""
        with self.working():
            inside = [operation.operation]
            operation.walk(lambda one: (inside.append(one), ir.WalkResult.ADVANCE)[1])
            if len(inside[0].successors):
                return False  # what jumps cannot let go of where it jumps to
            users = [use.owner.name for result in operation.results for use in result.uses]
            if users:
                raise ErasedHandleError(f"{operation.name} is erased, whose results {users} use")
            for one in inside:
                self._note(one)
                for place in range(len(one.operands)):
                    one.operands[place] = _nothing(operation.context)
            self._kept.append(inside[0])
            if operation.parent is not None:
                operation.detach_from_parent()
        return True

    def free(self) -> None:
        """Free what was erased."""
        self._kept.clear()
        self._erased.clear()

    def _note(self, operation: Any) -> None:
        blocks = [block for region in operation.regions for block in region.blocks]
        values = [*operation.results, *(argument for block in blocks for argument in block.arguments)]
        what = f"{operation.name}, {operation.location}"
        self._erased.update(dict.fromkeys(map(_address, (operation, *blocks, *values)), what))


def _address(handle: Any) -> int:
    """Where what a handle stands for lies."""
    kind = next(kind for kind in _capsule_of if isinstance(handle, kind))
    capsule, name = _capsule_of[kind]
    return int(_pointer(capsule(handle), name))


@cache
def _nothing(context: Any) -> Any:
    """A value for ops that use none any more; it is never freed, as some of these are when Python ends."""
    with context, ir.Location.unknown():
        made = ir.Operation.create(
            "builtin.unrealized_conversion_cast", results=[ir.IndexType.get()], ip=False
        )
    value = made.results[0]
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(value))
    return value


@contextmanager
def checked_handles() -> Iterator[None]:
    """Let uses of handles of what was erased raise `ErasedHandleError` in a `with` block."""
    graveyard = _Graveyard()
    run, erase = PassManager.run, vars(ir._OperationBase)["erase"]
    before = [(kind, name, member) for kind in _CLASSES for name, member in vars(kind).items()]
    before = [
        (kind, name, member)
        for kind, name, member in before
        if name not in _UNCHECKED
        and not name.startswith(("_CAPI", "_ODS", "__module", "__doc", "__nb", "__class"))
    ]

    def checked_erase(self: Any) -> None:
        graveyard.require_alive(self)
        if not graveyard.bury(self):
            erase(self)

    def checked_run(self: Any, operation: Any) -> None:
        graveyard.require_alive(operation)
        with graveyard.working():
            old = [view.operation for view in operation.regions[0].blocks[0].operations]
            for one in old:
                one.clone(ir.InsertionPoint(one))
        for one in old:
            if not graveyard.bury(one):
                raise AssertionError(f"{one.name} jumps out of itself")
        run(self, operation)

    try:
        for kind, name, member in before:
            setattr(kind, name, _checked(member, graveyard.require_alive))
        ir._OperationBase.erase = checked_erase
        PassManager.run = checked_run
        yield
    finally:
        for kind, name, member in before:
            setattr(kind, name, member)
        PassManager.run = run
        graveyard.free()


def _checked(member: Any, check: Callable[..., None]) -> Any:
    """A member of a class of the bindings that checks what it is given."""

    def wrap(function: Any) -> Any:
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            check(*args, *kwargs.values())
            return function(*args, **kwargs)

        return wrapper

    if isinstance(member, property):
        return property(*(function and wrap(function) for function in (member.fget, member.fset)))
    if isinstance(member, classmethod):
        return classmethod(wrap(member.__func__))
    return staticmethod(wrap(member)) if type(member).__name__ == "nb_func" else wrap(member)


__all__ = ["ErasedHandleError", "checked_handles"]
