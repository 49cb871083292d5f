"""The programs in PyTorch, by the names of the back ends that compute them; compiled; and in Triton."""

from __future__ import annotations

import contextlib
import importlib
import statistics
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .measured import Measured
from .speed import LEAD_BYTES, RUNS, WARM_UP, is_enough

Program = Callable[[Any, Any], Any]
"""A program on torch and its arrays."""


def _attention(torch: Any, a: Any) -> Any:
    return torch.nn.functional.scaled_dot_product_attention(*a, scale=0.125)


def _causal(torch: Any, a: Any) -> Any:
    batched = (array[None, None] for array in a)
    return torch.nn.functional.scaled_dot_product_attention(*batched, scale=0.125, is_causal=True)


def _convolution(torch: Any, a: Any) -> Any:
    images, filters = a[0].permute(0, 3, 1, 2), a[1].permute(3, 2, 0, 1)
    return torch.nn.functional.conv2d(images, filters, padding=1)


_PROGRAMS: dict[str, Program] = {
    "chain": lambda torch, a: (
        torch.tanh(a[0] * a[1] + a[2]) * torch.exp(-a[0] * a[0]) + torch.where(a[0] > 0, a[0], a[0] * 0.1)
    ),
    "add_f16": lambda torch, a: a[0] + a[1],
    "softmax": lambda torch, a: torch.softmax(a[0], -1),
    "softmax_long": lambda torch, a: torch.softmax(a[0], -1),
    "layernorm": lambda torch, a: torch.nn.functional.layer_norm(a[0], a[1].shape, a[1], a[2]),
    "column_sum": lambda torch, a: a[0].sum(0),
    "row_max": lambda torch, a: a[0].amax(1),
    "sum": lambda torch, a: a[0].sum(),
    "mean_squared_error": lambda torch, a: ((a[0] - a[1]) ** 2).mean(),
    "transpose": lambda torch, a: a[0].T.contiguous(),
    "gather": lambda torch, a: a[0][a[1]] * 2,
    "sort": lambda torch, a: torch.sort(a[0], stable=True)[0],
    "running_sum": lambda torch, a: torch.cumsum(a[0], 0),
    "bincount": lambda torch, a: torch.bincount(a[0], minlength=256),
    "product_f32": lambda torch, a: a[0] @ a[1],
    "product_tf32": lambda torch, a: a[0] @ a[1],
    "product_f16": lambda torch, a: a[0] @ a[1],
    "product_f16_4096": lambda torch, a: a[0] @ a[1],
    "product_f16_transposed": lambda torch, a: a[0] @ a[1].T,
    "product_bf16": lambda torch, a: a[0] @ a[1],
    "product_token": lambda torch, a: a[0] @ a[1],
    "relu_product": lambda torch, a: torch.relu(a[0] @ a[1] + a[2]),
    "convolution": _convolution,
    "attention_f32": _attention,
    "attention_f16": _attention,
    "attention_bf16": _attention,
    "causal_attention": _causal,
}
NAMES = tuple(_PROGRAMS)
COMPILED = ("chain", "softmax", "layernorm", "mean_squared_error", "relu_product", "softmax_long")
"""Those that compiling makes something else of; each takes it several seconds."""
IN_TRITON = ("softmax", "softmax_long", "product_f16", "product_f16_4096", "product_bf16")
_ATTENTION = {
    "FLASH_ATTENTION": "flash attention",
    "CUDNN_ATTENTION": "cuDNN",
    "EFFICIENT_ATTENTION": "memory-efficient attention",
    "MATH": "products and a softmax",
}
"""Of torch.nn.attention.SDPBackend."""


def measure(name: str, arrays: Sequence[Any]) -> Measured:
    """The program as torch runs it; attention by each back end that takes it, of which the fastest counts."""
    torch = importlib.import_module("torch")
    placed = _placed(torch, arrays)
    program = _PROGRAMS[name]
    torch.backends.cuda.matmul.allow_tf32 = name == "product_tf32"
    if "attention" not in name:
        return Measured(
            {"torch": _seconds(torch, lambda: program(torch, placed))}, {"torch": _backend(torch, name)}
        )
    found: dict[str, float] = {}
    refused: dict[str, float | str] = {}
    attention = importlib.import_module("torch.nn.attention")
    for constant, title in _ATTENTION.items():
        try:
            with attention.sdpa_kernel(getattr(attention.SDPBackend, constant)):
                found[title] = _seconds(torch, lambda: program(torch, placed))
        except Exception as error:  # a back end that does not take these types or shapes, or lacks the memory
            refused[title] = f"{type(error).__name__}: {error}".splitlines()[0][:200]
            torch.cuda.empty_cache()
    if not found:
        raise RuntimeError(f"no back end takes it: {refused}")
    best = min(found, key=found.__getitem__)
    return Measured({"torch": found[best]}, {"torch": best}, {**found, **refused})


def measure_compiled(name: str, arrays: Sequence[Any]) -> Measured:
    """The program behind torch.compile."""
    torch = importlib.import_module("torch")
    placed = _placed(torch, arrays)
    program = _PROGRAMS[name]
    compiled = torch.compile(lambda *a: program(torch, a), fullgraph=True, dynamic=False)
    return Measured(
        {"torch.compile": _seconds(torch, lambda: compiled(*placed))}, {"torch.compile": "inductor"}
    )


def measure_triton(name: str, arrays: Sequence[Any]) -> Measured:
    """The program as a kernel in Triton, whose results are looked at first."""
    torch = importlib.import_module("torch")
    programs = importlib.import_module(".triton_programs", __package__).PROGRAMS
    placed = _placed(torch, arrays)
    found, expected = programs[name](torch, placed).float(), _PROGRAMS[name](torch, placed).float()
    error = float((found - expected).abs().max() / expected.abs().max())
    if not error < 0.01:
        raise RuntimeError(f"the kernel in Triton is off by {error:.2g}")
    return Measured({"triton": _seconds(torch, lambda: programs[name](torch, placed))}, {"triton": "Triton"})


def _placed(torch: Any, arrays: Sequence[Any]) -> list[Any]:
    """Tensors on the card; bfloat16, which torch does not take of NumPy, by its bits."""
    placed = []
    for array in arrays:
        is_half = array.dtype.name == "bfloat16"
        tensor = torch.from_numpy(np.array(array.view(np.int16) if is_half else array)).cuda()
        placed.append(tensor.view(torch.bfloat16) if is_half else tensor)
    return placed


def _backend(torch: Any, name: str) -> str:
    """What computes a program in torch, as far as torch tells."""
    if "product" in name:
        with contextlib.suppress(AttributeError, RuntimeError):
            return {"Cublas": "cuBLAS", "Cublaslt": "cuBLASLt"}[
                str(torch.backends.cuda.preferred_blas_library()).rpartition(".")[2]
            ]
        return "cuBLAS"
    if name == "convolution":
        return f"cuDNN {torch.backends.cudnn.version()}" if torch.backends.cudnn.is_available() else "torch"
    return {"sort": "CUB", "running_sum": "CUB"}.get(name, "a kernel of its own")


def _seconds(torch: Any, call: Callable[[], Any]) -> float:
    """The median time between events around a call, behind a copy."""
    one, other = (torch.empty(LEAD_BYTES, dtype=torch.int8, device="cuda") for _ in range(2))
    times: list[float] = []
    for number in range(WARM_UP + RUNS):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        one.copy_(other)
        start.record()
        call()
        end.record()
        end.synchronize()
        if number >= WARM_UP:
            times.append(1e-3 * start.elapsed_time(end))
        if is_enough(times):
            break
    return float(statistics.median(times))


__all__ = ["COMPILED", "IN_TRITON", "NAMES", "measure", "measure_compiled", "measure_triton"]
