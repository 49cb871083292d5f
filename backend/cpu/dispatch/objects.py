"""Types whose instances native code knows: one word of C before the attributes of Python.

Python cannot make them by a class statement alone: their base says with `__vectorcalloffset__` where an instance has
the function that is called for it, or reserves the word for the address of a table.
"""

from __future__ import annotations

import ctypes
import sys
from typing import TYPE_CHECKING, Any

from ....dialect.errors import InternalError
from ..native_python.layout import HAS_VECTORCALL, TYPE_FLAGS, WORDS

_T_PYSSIZET, _READONLY = 19, 1
_TP_MEMBERS = 72
_DEFAULT, _BASE = 1 << 18, 1 << 10
_IS_METHOD = 1 << 17


def is_supported() -> bool:
    """Whether native code may look into the objects of this Python."""
    return (
        sys.implementation.name == "cpython"
        and ctypes.sizeof(ctypes.c_void_p) == 8
        and object.__basicsize__ == 16  # without a lock they are larger, and in some builds for debugging
    )


class _Member(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("type", ctypes.c_int),
        ("offset", ctypes.c_ssize_t),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


class _Slot(ctypes.Structure):
    _fields_ = (("slot", ctypes.c_int), ("function", ctypes.c_void_p))


class _Spec(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("size", ctypes.c_int),
        ("item_size", ctypes.c_int),
        ("flags", ctypes.c_uint),
        ("slots", ctypes.POINTER(_Slot)),
    )


_kept: list[Any] = []
"""What CPython refers to as long as the types live."""


def _make_type(name: str, members: list[_Member]) -> Any:
    """A type whose instances have one word of C."""
    table = (_Member * (len(members) + 1))(*members)
    slots = (_Slot * 2)(_Slot(_TP_MEMBERS, ctypes.addressof(table)))
    spec = _Spec(name.encode(), WORDS + 8, 0, _DEFAULT | _BASE, slots)
    _kept.extend([table, slots, spec])
    make = ctypes.pythonapi.PyType_FromSpec
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p]
    return make(ctypes.addressof(spec))


if TYPE_CHECKING or not is_supported():

    class FastCallable:
        """Base of classes whose instances are called through the native function in `_vectorcall`.

        While it is 0, or where a subclass is not `mark_callable`, calls go to `__call__` as always.
        """

        __slots__ = ("_vectorcall",)
        _vectorcall: int

    class NativeTable:
        """Base of classes whose instances tell native code the address of a table of words."""

        __slots__ = ("address",)
        address: int
else:
    FastCallable = _make_type(
        "weft.backend.cpu.dispatch.objects.FastCallable",
        [
            _Member(b"__vectorcalloffset__", _T_PYSSIZET, WORDS, _READONLY, None),
            _Member(b"_vectorcall", _T_PYSSIZET, WORDS, 0, None),
        ],
    )
    NativeTable = _make_type(
        "weft.backend.cpu.dispatch.objects.NativeTable",
        [_Member(b"address", _T_PYSSIZET, WORDS, 0, None)],
    )


def mark_callable(kind: type, *, is_method: bool = False) -> None:
    """Let CPython look at `_vectorcall` in instances of a class, which Python's own classes do not inherit.

    `is_method` says that `instance.attribute(x)` may call `attribute(instance, x)` without binding first.
    """
    if not is_supported():
        return
    flags = ctypes.c_ulong.from_address(id(kind) + TYPE_FLAGS)
    if flags.value != kind.__flags__:
        raise InternalError("types of this Python have an unknown layout")
    flags.value |= HAS_VECTORCALL | (_IS_METHOD if is_method else 0)


def slot_offset(kind: type, name: str) -> int:
    """Where instances of a class keep an attribute of its `__slots__`."""
    member = ctypes.c_size_t.from_address(id(vars(kind)[name]) + 40)  # PyMemberDescrObject.d_member
    return ctypes.c_ssize_t.from_address(member.value + _Member.offset.offset).value
