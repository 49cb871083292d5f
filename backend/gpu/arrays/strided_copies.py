"""A kernel that copies between views of any strides: written as PTX, for each size of elements and rank."""

from __future__ import annotations

import ctypes
import functools
import threading
from typing import Any

from ..driver.device import Device
from ..driver.modules import Function, Module
from ..driver.streams import Stream
from .description import Description, address_of

_THREADS = 256
_MAX_BLOCKS = 65535
_MOVES = {
    1: ("u8", "%h", 1),
    2: ("u16", "%h", 1),
    4: ("u32", "%r", 1),
    8: ("u64", "%l", 1),
    16: ("v2.u64", "%l", 2),
}
"""How elements of a size are loaded and stored: the type, the kind of register, and how many."""


def copy_views(target: Description, source: Description, device: Device, stream: Stream) -> None:
    """Copy the elements of a view to another of the same shape and dtype; the two do not overlap."""
    extents, strides = _collapsed(target.shape, target.strides, source.strides)
    count = target.size
    if not count:
        return
    kernel = _kernel(device, target.dtype.itemsize, len(extents))
    arguments: list[Any] = [ctypes.c_uint64(address_of(target)), ctypes.c_uint64(address_of(source))]
    arguments.append(ctypes.c_uint64(count))
    arguments += [ctypes.c_uint64(extent) for extent in extents]
    arguments += [ctypes.c_int64(stride) for pair in strides for stride in pair]
    blocks = min(-(-count // _THREADS), _MAX_BLOCKS)
    kernel.launch((blocks, 1, 1), (_THREADS, 1, 1), arguments, stream)


def _collapsed(
    shape: tuple[int, ...], first: tuple[int, ...], second: tuple[int, ...]
) -> tuple[list[int], list[tuple[int, int]]]:
    """The same walk with as few axes as possible: axes that follow each other in both arrays are one."""
    extents: list[int] = []
    strides: list[tuple[int, int]] = []
    for extent, *steps in zip(shape, first, second, strict=True):
        if extent == 1:
            continue
        if extents and all(outer == step * extent for outer, step in zip(strides[-1], steps, strict=True)):
            extents[-1] *= extent
            strides[-1] = (steps[0], steps[1])
        else:
            extents.append(extent)
            strides.append((steps[0], steps[1]))
    return (extents, strides) if extents else ([1], [(0, 0)])


_kernels: dict[tuple[int, int, int], Function] = {}
_lock = threading.Lock()


def _kernel(device: Device, size: int, rank: int) -> Function:
    with _lock:
        key = (id(device), size, rank)
        if key not in _kernels:
            _kernels[key] = Module(device, copy_ptx(size, rank)).function(f"copy_{size}_{rank}")
        return _kernels[key]


@functools.cache
def copy_ptx(size: int, rank: int) -> str:
    """The kernel for elements of so many bytes and arrays of so many axes.

    Its parameters are the two addresses, the number of elements, the extents, and for each axis the two strides. A
    thread copies every element whose number is its own, modulo the number of threads.
    """
    kind, letter, parts = _MOVES[size]
    registers = [f"{letter}{40 + part}" for part in range(parts)]
    value = registers[0] if parts == 1 else "{" + ", ".join(registers) + "}"
    names = ["target", "source", "count", *(f"extent{axis}" for axis in range(rank))]
    names += [f"{which}{axis}" for axis in range(rank) for which in ("to", "from")]
    parameters = ",\n".join(f"  .param .u64 {name}" for name in names)
    loads = "\n".join(f"  ld.param.u64 {_register(names, name)}, [{name}];" for name in names)
    walk = "\n".join(_axis(names, axis) for axis in reversed(range(rank)))
    return f"""//
.version 7.0
.target sm_70
.address_size 64

.visible .entry copy_{size}_{rank}(
{parameters}
)
{{
  .reg .pred %p<2>;
  .reg .b16 %h<48>;
  .reg .b32 %r<48>;
  .reg .b64 %l<48>;
  .reg .b64 %a<{len(names)}>;
{loads}
  cvta.to.global.u64 %a0, %a0;
  cvta.to.global.u64 %a1, %a1;
  mov.u32 %r0, %ctaid.x;
  mov.u32 %r1, %ntid.x;
  mov.u32 %r2, %tid.x;
  mov.u32 %r3, %nctaid.x;
  mul.wide.u32 %l0, %r0, %r1;
  cvt.u64.u32 %l1, %r2;
  add.u64 %l0, %l0, %l1;
  mul.wide.u32 %l2, %r3, %r1;
next:
  setp.ge.u64 %p0, %l0, %a2;
  @%p0 bra done;
  mov.u64 %l3, %l0;
  mov.u64 %l4, %a0;
  mov.u64 %l5, %a1;
{walk}
  ld.global.{kind} {value}, [%l5];
  st.global.{kind} [%l4], {value};
  add.u64 %l0, %l0, %l2;
  bra next;
done:
  ret;
}}
"""


def _register(names: list[str], name: str) -> str:
    return f"%a{names.index(name)}"


def _axis(names: list[str], axis: int) -> str:
    """The number of the element on an axis, and its bytes in both arrays; what is left is for the axes before."""
    extent, to, come = (_register(names, f"{name}{axis}") for name in ("extent", "to", "from"))
    return "\n".join(
        [
            f"  div.u64 %l6, %l3, {extent};",
            f"  mul.lo.u64 %l7, %l6, {extent};",
            "  sub.u64 %l7, %l3, %l7;",
            f"  mad.lo.u64 %l4, %l7, {to}, %l4;",
            f"  mad.lo.u64 %l5, %l7, {come}, %l5;",
            "  mov.u64 %l3, %l6;",
        ]
    )
