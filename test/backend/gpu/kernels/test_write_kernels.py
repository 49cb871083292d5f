"""What no program may reach in the pass that writes device kernels."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from weft.backend.gpu.kernels.write_kernels import _own_memory
from weft.dialect.errors import InternalError
from weft.dialect.mlir import Module, Operation, ir
from weft.dialect.register import context

_KERNEL = """
gpu.module @device {
  llvm.func @kernel_7() attributes {gpu.kernel} {
    llvm.return
  }
}
func.func private @kernel_7(%x: memref<f32>, %y: memref<4xf32>) {
  %one = arith.constant 1 : index
  %unused = memref.load %x[] : memref<f32>
  LOAD
  gpu.launch_func @device::@kernel_7 blocks in (%one, %one, %one) threads in (%one, %one, %one)
    args(ARGUMENTS)
  return
}
"""
"""A kernel of the host that has read memory of the device, in vain or for its launch."""


@pytest.fixture(autouse=True)
def own_context() -> Iterator[None]:
    """Let MLIR know the dialects."""
    with context(), ir.Location.unknown():
        yield


def _function(load: str, arguments: str) -> tuple[Module, Operation]:
    text = _KERNEL.replace("LOAD", load).replace("ARGUMENTS", arguments)
    module = ir.Module.parse(f"module attributes {{gpu.container_module}} {{ {text} }}")
    return module, module.body.operations[1].operation


def test_a_launch_that_takes_what_the_host_has_loaded() -> None:
    module, function = _function("%n = memref.load %x[] : memref<f32>", "%n : f32, %y : memref<4xf32>")
    with pytest.raises(InternalError, match="a launch of the kernel kernel_7 takes what the host has loaded"):
        _own_memory(function)
    assert "gpu.launch_func" in str(module)


def test_what_was_loaded_in_vain_is_gone() -> None:
    module, function = _function("", "%x : memref<f32>, %y : memref<4xf32>")
    _own_memory(function)
    assert "memref.load" not in str(module)
    assert "gpu.launch_func" in str(module)
