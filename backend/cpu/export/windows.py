"""What code for Windows calls or names, and the C libraries of some compilers do not define."""

from __future__ import annotations

from .instructions import of_instructions

OF_WINDOWS = ("_fltused", "__chkstk")
"""A name where there are floats; what touches the pages of a frame in their order, with its size in RAX."""

_TOUCH = bytes.fromhex(
    "51 50 483d00100000 488d4c2418 7218 4881e900100000 488509 482d00100000 483d00100000 77e8 4829c1 488509 58 59 c3"
)
"""push rcx; push rax; cmp rax, 4096; lea rcx, [rsp+24]; jb last; page: sub rcx, 4096; test [rcx], rcx;
sub rax, 4096; cmp rax, 4096; ja page; last: sub rcx, rax; test [rcx], rcx; pop rax; pop rcx; ret"""


def of_windows_assembly(triple: str) -> str:
    """Definitions of both that give way to others; compilers for AArch64 have the second."""
    text = "@_fltused = weak_odr constant i32 1\n"
    if triple.startswith("x86_64"):
        text += of_instructions("weak_odr void @__chkstk()", _TOUCH, "ret void")
    return text
