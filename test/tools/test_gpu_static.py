"""The page of what kernels take: read from PTX, and from what NVIDIA's assembler says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.scripts_of_bench import script_of_bench
from weft.backend.gpu.machine.assembler import find_assembler


@pytest.fixture(scope="module")
def static() -> Iterator[Any]:
    """The script, which is in no package."""
    with script_of_bench("static") as module:
        yield module


KERNELS = """
.visible .entry one(
	.param .u64 .ptr .global .align 1 one_param_0
)
.reqntid 128, 2
{
	.reg .b32 %r<3>;
	ld.global.nc.v4.b32 {%r1, %r2}, [%rd1];
	ld.global.b16 %rs1, [%rd1];
	{
	cp.async.bulk.tensor.2d.shared::cluster.global.tile [%r1], [%rd1];
}
	ret;
}
.visible .entry two()
{
	ret;
}
"""


def test_kernels_are_found_with_their_threads_and_all_of_their_text(static: Any) -> None:
    (one, threads, body), (two, few, short) = static.kernels_in(KERNELS)
    assert (one, threads, two, few) == ("one", 256, "two", 1)
    assert "cp.async.bulk.tensor" in body
    assert body.count("ret;") == short.count("ret;") == 1
    assert [static.bytes_of(load) for load in ("ld.global.nc.v4.b32", "ld.global.b16")] == [16, 2]


@pytest.mark.parametrize(
    ("threads", "registers", "shared", "blocks"),
    [(256, 186, 0, 1), (128, 32, 0, 16), (32, 16, 0, 32), (1024, 32, 120 << 10, 1), (256, 64, 40 << 10, 4)],
)
def test_blocks_that_fit(static: Any, threads: int, registers: int, shared: int, blocks: int) -> None:
    assert static.blocks_of(threads, registers, shared) == blocks


@pytest.mark.skipif(find_assembler() is None, reason="there is no ptxas")
def test_a_page_of_a_program(static: Any, tmp_path: Path) -> None:
    assert static.main(["--to", str(tmp_path / "page.md"), "--only", "add_f16", "transpose"]) == 0
    rows = [line for line in (tmp_path / "page.md").read_text().splitlines() if "kernel_0" in line]
    assert [row.split(" | ")[0] for row in rows] == ["| add_f16", "| transpose"]
    assert [row.split(" | ")[-2:] for row in rows] == [["1", "0 |"]] * 2  # launches, and reads of the host


def test_nothing_is_written_without_an_assembler(
    static: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(static, "find_assembler", lambda: None)
    assert static.main(["--to", str(tmp_path / "page.md")]) == 1
    assert "there is no ptxas" in capsys.readouterr().err
    assert not (tmp_path / "page.md").exists()
