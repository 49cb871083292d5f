"""Code for named machines: its instructions, and its numbers where this machine can run it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from support.elementary import REFERENCES, SPECIAL, TWO_OPERANDS, compiled, samples, ulps
from support.interpreted import text_of
from weft.backend.planning.names import ALLOWED
from weft.backend.target import compiling_for, host, named, names, why_not_here
from weft.dialect.errors import UnsupportedError, WeftValueError
from weft.tools import weft_opt

Array = np.ndarray[Any, Any]

REGISTERS = {
    "x86-64": r"%xmm\d",
    "x86-64-v2": r"%xmm\d",
    "x86-64-v3": r"%ymm\d",
    "x86-64-v4": r"%zmm\d",
    "aarch64+neon": r"\bv\d+\.(?:4s|2d)",
}
HERE = [name for name in REGISTERS if not why_not_here(named(name))]
SYMBOL = re.compile(r"\$(\w+)@GOT\b|\b(?:callq?|bl)\s+(\w+)")
MEMORY = {"memset", "memcpy", "memmove"}


def chain(x: Any, y: Any) -> Any:
    return np.tanh(x * y) + np.exp(-x * x) * np.sin(y) + np.where(x > 0, x, 0)


def powers(x: Any, y: Any) -> Any:
    return np.abs(x) ** y + np.arctan2(x, y) + np.cbrt(x) + np.log1p(y * y)


def product(x: Any, y: Any) -> Any:
    return np.maximum(x @ y + 1, 0)


def sums(x: Any, y: Any) -> Any:
    return np.sum(x * y, axis=-1), np.max(x, axis=0), np.mean((x - y) ** 2)


def integers(x: Any, y: Any) -> Any:
    return (
        x.astype(np.int32) * 3 + (y.astype(np.int32) & 7),
        x.astype(np.int64),
        np.sum(y.astype(np.int32), axis=0),
    )


def half(x: Any, y: Any) -> Any:
    return (x.astype(np.float16) + y.astype(np.float16)).astype(np.float32)


PROGRAMS = [chain, powers, product, sums, integers, half]


def operands(dtype: str) -> tuple[Array, Array]:
    generator = np.random.default_rng(0)
    x, y = generator.uniform(-3, 3, (2, 37, 37)).astype(dtype)
    return x, y


@pytest.mark.sampled
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("program", [chain, powers, product, sums])
@pytest.mark.parametrize("target", REGISTERS)
def test_kernels_are_vector_code_without_calls(target: str, program: Callable[..., Any], dtype: str) -> None:
    text = text_of(program, *operands(dtype), stage="asm", target=target)
    assert len(re.findall(REGISTERS[target], text)) > 20
    called = {name for pair in SYMBOL.findall(text) for name in pair}
    assert not called & (ALLOWED - MEMORY)
    wider = {"x86-64": "[yz]mm", "x86-64-v2": "[yz]mm", "x86-64-v3": "zmm"}.get(target)
    assert wider is None or not re.search(rf"%{wider}\d", text)


@pytest.mark.parametrize("target", ["x86-64-v3", "x86-64-v4", "aarch64+neon"])
def test_products_are_fused_where_they_can_be(target: str) -> None:
    text = text_of(product, *operands("float32"), stage="asm", target=target)
    vector = r"fmla\s+v\d+\.4s" if target.startswith("aarch64") else r"vfmadd\w+ps\s.*%[yz]mm"
    assert len(re.findall(vector, text)) > 8


@pytest.mark.sampled
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("target", HERE)
def test_programs_give_the_same_numbers(target: str, program: Callable[..., Any], dtype: str) -> None:
    x, y = operands(dtype)
    got, wanted = weft.function(target=target)(program)(x, y), program(x, y)
    tolerance = 1e-5 if dtype == "float32" else 1e-12
    for one, other in zip(got, wanted, strict=True) if isinstance(wanted, tuple) else [(got, wanted)]:
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance)


@pytest.mark.sampled
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", REFERENCES)
@pytest.mark.parametrize("target", [name for name in HERE if named(name).vector_bytes < host().vector_bytes])
def test_functions_are_right_to_two_ulps(target: str, name: str, dtype: str) -> None:
    x = [np.concatenate([np.array(SPECIAL, dtype), samples(dtype)[::8]])] * (1 + (name in TWO_OPERANDS))
    if len(x) == 2:
        x[1] = np.random.default_rng(1).permutation(x[1])
    result = np.empty_like(x[0])
    with compiling_for(target):
        compiled(name, dtype, len(result))(*x, result)
    with np.errstate(all="ignore"):
        exact = REFERENCES[name](*(value.astype(np.longdouble) for value in x))
    assert ulps(result, exact).max() <= 2
    zeros = (result == 0) & (exact == 0)
    np.testing.assert_array_equal(np.signbit(result[zeros]), np.signbit(exact[zeros]))


def test_this_machine_has_the_widest_vectors_it_can() -> None:
    assert host().vector_bytes == max(named(name).vector_bytes for name in HERE)


@pytest.mark.parametrize("name", [name for name in names() if named(name).gpu is None])
def test_every_name_can_be_compiled_for(name: str) -> None:
    with compiling_for(name):
        text = text_of(lambda x: x * x, np.ones(64), stage="asm", target=name)
    assert "mul" in text


def test_code_for_another_machine_says_so_when_it_is_called() -> None:
    foreign = "x86-64-v2" if host().triple.startswith("aarch64") else "aarch64"
    function = weft.function(target=foreign)(chain)
    x, y = operands("float32")
    assert function.get_concrete_function(x, y).as_text("asm")
    with pytest.raises(
        UnsupportedError, match=rf"chain was compiled for the target {foreign}, but this machine is"
    ):
        function(x, y)


def test_unknown_names_are_refused() -> None:
    with pytest.raises(WeftValueError, match="there is no target 'pdp-11'; the targets are: native, x86-64"):
        weft.function(target="pdp-11")(chain)
    with pytest.raises(WeftValueError, match="a GPU of this machine is a device: device='cuda'"):
        weft.function(target="cuda")(chain)
    with pytest.raises(
        WeftValueError, match="'aarch64\\+avx2' has the unknown feature 'avx2'; there are: neon"
    ):
        weft.function(target="aarch64+avx2")(chain)
    with pytest.raises(WeftValueError, match="there is no target 'z80'"), weft.settings.scope(target="z80"):
        pass


def test_setting_is_for_functions_without_a_target_of_their_own() -> None:
    x, y = operands("float32")
    with weft.settings.scope(target="x86-64-v3"):
        text = weft.function(chain).get_concrete_function(x, y).as_text("asm")
        own = weft.function(target="aarch64")(chain).get_concrete_function(x, y).as_text("asm")
    assert "%ymm" in text
    assert "fmla" in own


def test_weft_opt_takes_a_target(tmp_path: Any, capfd: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "program.mlir"
    source.write_text(
        "func.func @f(%x: tensor<64xf32>) -> tensor<64xf32> {\n"
        "  %0 = math.exp %x : tensor<64xf32>\n  return %0 : tensor<64xf32>\n}\n"
    )
    written = tmp_path / "program.s"
    flags = ["--convert-elementwise-to-linalg", "--emit=asm", "--target=aarch64", "-o", str(written)]
    assert weft_opt.main([str(source), *flags]) == 0
    assert re.search(r"fmla\s+v\d+\.4s", written.read_text())
    assert weft_opt.main([str(source), "--target=pdp-11"]) == 1
    assert "there is no target 'pdp-11'" in capfd.readouterr().err
