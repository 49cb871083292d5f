"""What is no PTX, or more than the emulator knows, is refused with the line and the reason."""

from __future__ import annotations

import re

import numpy as np
import pytest

from support.ptx import HEADER, MEMORY, kernel, run
from weft_emulator.faults import PTXError
from weft_emulator.modules import Module

MODULES = [
    (".target sm_90a\n", "line 1: the text has no .version"),
    (".version 8.6\n", "line 1: the text has no .target"),
    (".version 8.6\n.target sm_1\n", ".target sm_1 is unknown"),
    (f"{HEADER}.global .what x;\n", "line 4: unknown declaration '.global .what x'"),
    (
        f"{HEADER}.visible .kernel k() {{ ret; }}\n",
        "line 4: unknown declaration '.visible .kernel k() { ret'",
    ),
    (f"{HEADER}.visible .entry k(.param what) {{ ret; }}\n", "line 4: unknown parameter '.param what'"),
    (f"{HEADER}.global .u32 x = what;\n", "line 4: 'what' is no number"),
    (f"{HEADER}.visible .entry k() {{ ret;\n", "line 4: a brace is not closed"),
]

INSTRUCTIONS = [
    ("?", "'?' is no instruction"),
    ("frobnicate.b32 %r1, %r2", "the instruction is not known"),
    ("add %r1, %r2, %r3", "add has no type"),
    ("add.s32 %r1, %r2", "add has 2 operands"),
    ("mov.pred %p1, 7", "7 is no predicate"),
    ("mov.b32 %r1, what", "what is neither a register, nor a number, nor a variable"),
    ("mov.b32 what, %r1", "what is no register that can be written"),
    ("ld.global.b32 %r1, %d0", "%d0 is no address"),
    ("ld.global.v2.b32 {%r1}, [%d0]", "1 registers for a vector of 2"),
    ("min.xorsign.abs.f32 %r1, %r2, %r3", "xorsign is not known"),
    ("setp.what.s32 %p1, %r1, %r2", "the comparison what of s32 is not known"),
    ("cvt.what.f32 %r1, %r2", "this conversion is not known"),
    ("shfl.b32 %r1, %r2, %r3, %r4, %r5", "this shuffle is not known"),
    ("vote.sync.what.b32 %r1, %p1, -1", "this vote is not known"),
    ("redux.sync.what.s32 %r1, %r2, -1", "this reduction is not known"),
    ("mma.sync.what {%r1}, {%r2}, {%r3}, {%r4}", "this product of matrices is not known"),
    ("ldmatrix.what {%r1}, [%r2]", "this load of matrices is not known"),
    ("stmatrix.what [%r2], {%r1}", "this store of matrices is not known"),
    ("cp.async.what [%r1], [%d0], 16", "this copy is not known"),
    ("cp.async.ca.shared.global [%r1], [%d0], 5", "asynchronous copies of 5 bytes are not known"),
    ("cp.async.bulk.what [%r1], [%d0], [%r2]", "this copy is not known"),
    ("wgmma.what", "this instruction of warpgroups is not known"),
]


@pytest.mark.parametrize(("text", "message"), MODULES)
def test_modules(text: str, message: str) -> None:
    with pytest.raises(PTXError, match=re.escape(message)):
        Module(text, MEMORY, (9, 0), 13000)


@pytest.mark.parametrize(("instruction", "message"), INSTRUCTIONS)
def test_instructions(instruction: str, message: str) -> None:
    text = kernel(f"    {instruction};\n", 1)
    line = text[: text.index(instruction)].count("\n") + 1
    with pytest.raises(PTXError, match=rf"^line {line}: .*{re.escape(message)}$"):
        run(text, [np.zeros(4)])


def test_loads_behind_the_parameters() -> None:
    body = "    mov.b64 %d1, k_0;\n    ld.param.b64 %d2, [%d1+8];\n"
    with pytest.raises(PTXError, match="a load behind the 8 bytes of parameters"):
        run(kernel(body, 1), [np.zeros(4)])
