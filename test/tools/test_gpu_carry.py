"""The compilers in archives for a machine that cannot fetch them: what is left out of them."""

from __future__ import annotations

import importlib.util
import tarfile
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def carry() -> Any:
    """The script, which is in no package."""
    spec = importlib.util.spec_from_file_location("carry", ROOT / "bench" / "gpu" / "carry.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_what_weft_needs_is_read_of_its_description(carry: Any) -> None:
    assert carry.required("torch-mlir").startswith("torch-mlir==")
    assert carry.required("llvmlite").startswith("llvmlite>=")


def test_what_is_not_used_is_left_out(carry: Any, tmp_path: Path) -> None:
    tree = tmp_path / "files"
    for name in (
        "torch_mlir/ir.py",
        "torch_mlir/_mlir_libs/torch-mlir-opt",
        "torch_mlir/_mlir_libs/include/a/b.h",
    ):
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text("text")
    carry.make_small(tree)
    carry.write_archive(tree, tmp_path / "archive.tar.xz")
    with tarfile.open(tmp_path / "archive.tar.xz") as archive:
        assert [member.name for member in archive if member.isfile()] == ["torch_mlir/ir.py"]
