"""Runs packed programs on a GPU: `python3 -m tools.gpu_check DIR`, from the root of the sources.

It needs NumPy, a C compiler and the driver; neither MLIR nor LLVM. Each result is a line of JSON. The parts are
`correct` (small programs give what the processor gives, twice the same), `speed` (medians of large ones beside a copy
of as many bytes, and beside PyTorch where it is installed), and `sanitizer` (`correct` under compute-sanitizer).
"""

from __future__ import annotations

import argparse
import ctypes
import importlib
import importlib.util
import json
import os
import pickle
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
PARTS = ("correct", "sanitizer", "speed")
_LIMITS = {"correct": 240, "sanitizer": 300, "speed": 300}
"""Seconds that a part may take."""
_RUNS = 50
COMPARED = 4096
"""About so many elements of a large result are compared."""

_RUNTIME = r"""
#include <stdint.h>
#include <stdlib.h>
void *weft_allocate(size_t size) { return aligned_alloc(64, (size + 63) / 64 * 64 + 64); }
void weft_free(void *data) { free(data); }
void *_mlir_memref_to_llvm_aligned_alloc(size_t alignment, size_t size) { return weft_allocate(size); }
void _mlir_memref_to_llvm_free(void *data) { free(data); }
void weft_parallel_for(void (*body)(int64_t, int64_t, void *), int64_t trips, int64_t grain, void *context) {
    body(0, trips, context);
}
"""
"""What the host's part of programs calls of weft, for one thread."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the parts; the exit code is 1 if one fails."""
    parser = argparse.ArgumentParser(prog="gpu_check", description=__doc__)
    parser.add_argument("directory", type=Path, help="what bench/gpu/pack.py has written")
    parser.add_argument("--part", choices=PARTS, action="append", help="only this part")
    parser.add_argument("--only", nargs="*", help="names of programs")
    parser.add_argument("--emulator", action="store_true", help="run on the emulator, in the place of a GPU")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.here:
        load_weft()
        code: int = importlib.import_module("weft.tools.gpu_check").run_here(options)
        return code
    codes = [_run_apart(options, part) for part in options.part or PARTS]
    return max(codes)


def _run_apart(options: argparse.Namespace, part: str) -> int:
    """Run a part in a process of its own, which may hang or die."""
    own = [sys.executable, "-m", "tools.gpu_check", str(options.directory), "--here", "--part", part]
    if options.only:
        own += ["--only", *options.only]
    if options.emulator:
        own += ["--emulator"]
    if part == "sanitizer":
        tool = shutil.which("compute-sanitizer")
        if tool is None or options.emulator:
            _say(
                {
                    "part": part,
                    "skipped": "there is no compute-sanitizer" if tool is None else "on the emulator",
                }
            )
            return 0
        own = [tool, "--error-exitcode", "9", "--tool", "memcheck", *own[:-1], "correct"]
    try:
        code = subprocess.run(own, cwd=ROOT, timeout=_LIMITS[part], check=False).returncode
    except subprocess.TimeoutExpired:
        code = 124
    if code:
        _say({"part": part, "failed": f"exit code {code}"})
    return int(code != 0)


def _say(line: Mapping[str, Any]) -> None:
    print(json.dumps(line), flush=True)


# In the process that runs programs


def load_weft() -> None:
    """Make the sources around this file the package `weft`, if it is not installed."""
    if "weft" in sys.modules:
        return
    own = importlib.util.spec_from_file_location(
        "weft", ROOT / "__init__.py", submodule_search_locations=[str(ROOT)]
    )
    assert own is not None
    assert own.loader is not None
    module = importlib.util.module_from_spec(own)
    sys.modules["weft"] = module
    own.loader.exec_module(module)


def run_here(options: argparse.Namespace) -> int:
    """Run a part in this process; relative imports work in it, as the package is there."""
    os.environ["WEFT_CUDA"] = "emulator" if options.emulator else "driver"
    from ..backend.gpu.devices.libraries import choose_library
    from ..backend.gpu.devices.open_devices import open_device

    choose_library(os.environ["WEFT_CUDA"])
    (part,) = options.part
    device = open_device("cuda")
    properties = device.device.properties
    _say(
        {
            "part": part,
            "device": properties.name,
            "target": device.target,
            "driver": device.device.library.version(),
        }
    )
    failed = 0
    for packed in _programs(options.directory, "large" if part == "speed" else "small", options.only):
        line: dict[str, Any] = {"part": part, "program": packed["name"]}
        try:
            line |= (measure if part == "speed" else compare)(packed, device)
        except Exception as error:  # the others are run all the same
            line |= {"ok": False, "error": f"{type(error).__name__}: {error}"}
        failed += not line["ok"]
        _say(line)
    return int(failed > 0)


def _programs(directory: Path, form: str, only: Sequence[str] | None) -> Iterator[dict[str, Any]]:
    for path in sorted(directory.glob(f"*_{form}.pickle")):
        packed = pickle.loads(path.read_bytes())
        if not only or packed["name"] in only:
            yield packed


def make_arguments(
    specs: tuple[tuple[tuple[int, ...], str], ...], seed: int = 0
) -> list[np.ndarray[Any, Any]]:
    """Arrays of shapes and dtypes: normal floats, small integers, truth values."""
    random = np.random.default_rng(seed)
    arrays: list[np.ndarray[Any, Any]] = []
    for shape, dtype in specs:
        kind = np.dtype(dtype).kind
        if kind == "f":
            array: Any = random.standard_normal(shape)
        elif kind == "b":
            array = random.random(shape) < 0.5
        elif kind == "c":
            array = random.standard_normal(shape) + 1j * random.standard_normal(shape)
        else:
            array = random.integers(0, 8, shape)
        arrays.append(np.asarray(array, dtype))
    return arrays


def _executable(packed: Mapping[str, Any], device: Any) -> Any:
    from ..backend.gpu.runtime.executable import DeviceExecutable

    return DeviceExecutable(packed["code"], (), device, link)


def compare(packed: Mapping[str, Any], device: Any) -> dict[str, Any]:
    """Whether two calls give the same bits, and what the processor gives."""
    executable = _executable(packed, device)
    runs = []
    for _ in range(2):
        arguments = make_arguments(packed["specs"])
        results = executable(*arguments)
        runs.append([*results, *(arguments[number] for number in packed["written"])])
    line = _difference(packed, runs[0])
    line["repeats"] = all(a.tobytes() == b.tobytes() for a, b in zip(*runs, strict=True))
    line["ok"] = line["ok"] and line["repeats"]
    return line | {"launches": executable.launches, "reads": executable.reads}


def _difference(packed: Mapping[str, Any], results: Sequence[np.ndarray[Any, Any]]) -> dict[str, Any]:
    """How far results are from those of the processor, relative to the largest of each."""
    worst = 0.0
    for result, shape, expected in zip(results, packed["shapes"], packed["expected"], strict=True):
        if result.shape != tuple(shape):
            return {"ok": False, "error": f"a result of shape {result.shape}, not {tuple(shape)}"}
        flat = result.reshape(-1)
        worst = max(worst, _distance(flat[:: max(1, flat.size // COMPARED)], expected))
    return {"ok": worst <= packed["tolerance"], "difference": worst}


def _distance(found: np.ndarray[Any, Any], expected: np.ndarray[Any, Any]) -> float:
    """The largest difference, relative to the largest number; infinite where one is no number and the other is."""
    if found.dtype != expected.dtype or found.shape != expected.shape:
        return float("inf")
    if found.tobytes() == expected.tobytes() or not found.size:
        return 0.0
    one, other = found.astype(np.complex128), expected.astype(np.complex128)
    if (np.isfinite(one) != np.isfinite(other)).any():
        return float("inf")
    off = np.abs(np.where(one == other, 0, one - other))
    return float(np.nan_to_num(off).max() / (np.nan_to_num(np.abs(other), posinf=0).max() or 1.0))


# Speed


def measure(packed: Mapping[str, Any], device: Any) -> dict[str, Any]:
    """The median time of a call on arrays of the device, and of a copy of as many bytes."""
    from ..backend.gpu.arrays.array import from_host

    executable = _executable(packed, device)
    arguments = [
        from_host(array, device) if array.ndim else array for array in make_arguments(packed["specs"])
    ]
    results = executable(*arguments)
    line = _difference(
        packed, [*map(np.asarray, results), *(np.asarray(arguments[n]) for n in packed["written"])]
    )
    del results
    seconds = _median(lambda: executable(*arguments), device)
    moved = packed["bytes"]
    source, target = (device.memory.allocate(moved // 2, device.stream) for _ in range(2))
    copy = _median(
        lambda: device.memory.copy(target.address, source.address, moved // 2, device.stream), device
    )
    line |= {
        "microseconds": 1e6 * seconds,
        "host_microseconds": 1e6 * _host_time(lambda: executable(*arguments), device),
    }
    line |= {"gigabytes_per_second": 1e-9 * moved / seconds, "speed_of_copy": copy / seconds}
    if packed["flops"]:
        line["teraflops"] = 1e-12 * packed["flops"] / seconds
    peer = _torch_time(packed)
    return (
        line if peer is None else line | {"torch_microseconds": 1e6 * peer, "speed_of_torch": peer / seconds}
    )


def _median(call: Callable[[], Any], device: Any) -> float:
    """The median of the time between two events around a call."""
    from ..backend.gpu.driver.streams import Event

    times = []
    for number in range(_RUNS + 5):
        start, end = (Event(device.device, timing=True) for _ in range(2))
        device.stream.record(start)
        call()
        device.stream.record(end)
        end.synchronize()
        if number >= 5:
            times.append(1e-3 * end.milliseconds_since(start))
    return statistics.median(times)


def _host_time(call: Callable[[], Any], device: Any) -> float:
    """The median time until a call comes back."""
    times = []
    for _ in range(_RUNS):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
        device.wait()
    return statistics.median(times)


_TORCH: dict[str, Callable[[Any, list[Any]], Any]] = {
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
    "product_f32": lambda torch, a: a[0] @ a[1],
    "attention_f32": lambda torch, a: torch.nn.functional.scaled_dot_product_attention(*a, scale=0.125),
    "attention_f16": lambda torch, a: torch.nn.functional.scaled_dot_product_attention(*a, scale=0.125),
    "relu_product": lambda torch, a: torch.relu(a[0] @ a[1] + a[2]),
}
"""The programs in PyTorch."""


def _torch_time(packed: Mapping[str, Any]) -> float | None:
    """The median time of a program in PyTorch, compiled by it; None without PyTorch or without such a program."""
    program = _TORCH.get(packed["name"])
    if program is None or importlib.util.find_spec("torch") is None or os.environ["WEFT_CUDA"] == "emulator":
        return None
    torch = importlib.import_module("torch")
    arrays = [torch.from_numpy(np.array(array)).cuda() for array in make_arguments(packed["specs"])]
    compiled = torch.compile(lambda *a: program(torch, list(a)))
    times: list[float] = []
    for number in range(_RUNS + 5):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        compiled(*arrays)
        end.record()
        end.synchronize()
        if number >= 5:
            times.append(1e-3 * start.elapsed_time(end))
    return float(statistics.median(times))


# The host's part, linked by the C compiler


class SharedCode:
    """An object file as a shared library; what it calls jumps through a table that is filled with addresses."""

    def __init__(self, object_file: bytes, known: Mapping[str, int]) -> None:
        names = sorted(known)
        self._folder = tempfile.TemporaryDirectory(prefix="weft-gpu-")
        folder = Path(self._folder.name)
        (folder / "code.o").write_bytes(object_file)
        (folder / "jumps.s").write_text(_jumps(names))
        library = folder / "code.so"
        _compile([str(folder / "code.o"), str(folder / "jumps.s"), "-o", str(library)])
        self._library = ctypes.CDLL(str(library))
        table = (ctypes.c_uint64 * max(1, len(names))).in_dll(self._library, "weft_known")
        table[: len(names)] = [known[name] for name in names]

    def address(self, name: str) -> int:
        """The address of an exported function."""
        address = ctypes.cast(getattr(self._library, name), ctypes.c_void_p).value
        assert address is not None
        return address


def _jumps(names: Sequence[str]) -> str:
    """Assembly of a function for each name, which jumps to the address at its place in a table."""
    lines = [".text"]
    for number, name in enumerate(names):
        lines += [f".globl {name}", f".hidden {name}", f"{name}:", f"  jmp *weft_table+{8 * number}(%rip)"]
    lines += [
        ".data",
        ".balign 8",
        ".globl weft_known",
        "weft_known:",
        "weft_table:",
        f"  .zero {8 * max(1, len(names))}",
    ]
    return "\n".join([*lines, '.section .note.GNU-stack,"",@progbits', ""])


def _compile(arguments: Sequence[str]) -> None:
    done = subprocess.run(
        ["cc", "-shared", "-fPIC", "-O2", *arguments], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"cc: {done.stderr.strip()}")


_runtime: dict[str, Any] = {}


def _runtime_library() -> Any:
    if not _runtime:
        folder = tempfile.TemporaryDirectory(prefix="weft-gpu-")
        source, library = Path(folder.name) / "runtime.c", Path(folder.name) / "runtime.so"
        source.write_text(_RUNTIME)
        _compile([str(source), "-o", str(library)])
        _runtime.update(folder=folder, library=ctypes.CDLL(str(library)))
    return _runtime["library"]


def link(
    object_file: bytes, exports: Sequence[str], symbols: Sequence[str], known: Mapping[str, int]
) -> SharedCode:
    """The host's part of a program, with what it calls of the C libraries, of weft and of the driver."""
    from ..backend.cpu.lowering.host_calls import host_call_address
    from ..backend.cpu.machine.libraries import library_function
    from ..backend.planning.names import HOST_CALL

    own = _runtime_library()
    addresses = dict(known)
    for name in symbols:
        function = getattr(own, name, None)
        if name == HOST_CALL:
            address: int | None = host_call_address()
        elif function is not None:
            address = ctypes.cast(function, ctypes.c_void_p).value
        else:
            address = library_function(name)
        if address is None:
            raise RuntimeError(f"there is no function {name} on this system")
        addresses[name] = address
    return SharedCode(object_file, addresses)


if __name__ == "__main__":
    sys.exit(main())
