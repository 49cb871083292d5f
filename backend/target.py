"""The machine that code is made for: everything that code generation asks about it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any

from ..dialect.errors import WeftValueError
from ..dialect.imports import uncollected
from ..dialect.records import dataclass, replace
from .cache.processor import processor as processor_here
from .processors.description import Processor
from .processors.families import family_of
from .processors.gpu_figures import FIGURES, PRODUCTS, GpuFigures


@dataclass(frozen=True)
class Gpu:
    """What schedules of device kernels ask of a GPU."""

    multiprocessors: int
    """Of the chip that is most used; grids are cut by it, so that runs repeat on every chip of an architecture."""
    shared_bytes: int
    """What a block may ask for, in bytes."""
    asynchronous_copies: bool
    """Whether there is cp.async, and mma.sync for bfloat16."""
    warpgroups: bool = False
    """Whether four warps multiply together (wgmma), and one thread copies boxes of arrays (TMA)."""
    rows_of_doubles: int = 0
    """Of an instruction by which tensor cores multiply f64 (mma.sync), faster than others; 0 where there is none."""
    warp: int = 32
    max_threads: int = 1024
    """Of a block."""
    registers: int = 65536
    """Of a multiprocessor, for all of its threads."""
    libraries: frozenset[str] = frozenset()
    """Those whose routines may be called: they are there where the code will run, with Python."""
    float32_products: str = "float32"
    """What factors of float32 are rounded to before tensor cores multiply them: one of `gpu_figures.PRODUCTS`."""
    figures: GpuFigures = GpuFigures()
    """How long it takes for what placement weighs."""


@dataclass(frozen=True)
class Target:
    """A machine, as LLVM names it and as schedules see it."""

    name: str
    triple: str
    cpu: str
    features: str
    vector_bytes: int
    """The size of a vector register."""
    vector_registers: int
    fused_multiply_add: bool
    """Whether a * b + c with one rounding is an instruction."""
    exponent_instructions: bool
    """Whether exponents are taken apart and put together by instructions (AVX-512)."""
    half_conversions: bool
    """Whether float16 is converted by instructions."""
    rounding_instructions: bool
    """Whether floats are rounded to whole numbers by instructions."""
    processor: Processor = Processor("a processor that is not named")
    """What its caches are like and what pays on it."""
    needs: frozenset[str] | None = frozenset()
    """Features that the processor must have to run the code; None where they are not known."""
    gpu: Gpu | None = None
    """Of kernels for a GPU; all else here is then about the code inside of them."""
    host: str = "native"
    """The machine that launches the kernels, where they are for a GPU."""

    @property
    def wide_integers(self) -> bool:
        """Whether vectors of 64-bit integers are multiplied and shifted by instructions: AVX-512 has them, too."""
        return self.exponent_instructions


_V3 = frozenset(["avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"])
_V4 = _V3 | frozenset(["avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"])
_V2 = frozenset(["sse4.1", "sse4.2", "ssse3", "popcnt", "cx16"])

_LEVELS = {"x86-64": frozenset[str](), "x86-64-v2": _V2, "x86-64-v3": _V2 | _V3, "x86-64-v4": _V2 | _V4}
"""The levels of the x86-64 psABI, and what they add to SSE2."""

_CPUS = {
    "x86-64-v2": "nehalem westmere sandybridge ivybridge silvermont goldmont",
    "x86-64-v3": "haswell broadwell skylake alderlake raptorlake znver1 znver2 znver3",
    "x86-64-v4": "skylake-avx512 cascadelake cooperlake cannonlake icelake-client icelake-server tigerlake rocketlake"
    " sapphirerapids emeraldrapids graniterapids znver4 znver5",
    "aarch64": "cortex-a53 cortex-a55 cortex-a57 cortex-a72 cortex-a76 cortex-a78 cortex-x1 neoverse-n1 neoverse-n2"
    " neoverse-v1 neoverse-v2 ampere1 apple-m1 apple-m2 apple-m3 apple-m4",
}
"""Processors by the instructions that weft uses of them."""

_SYSTEMS = {
    "x86-64": {
        "linux": "x86_64-unknown-linux-gnu",
        "macos": "x86_64-apple-macosx11.0.0",
        "windows": "x86_64-pc-windows-msvc",
    },
    "aarch64": {
        "linux": "aarch64-unknown-linux-gnu",
        "macos": "arm64-apple-macosx11.0.0",
        "windows": "aarch64-pc-windows-msvc",
    },
}
"""The systems that can be named behind a processor, by LLVM's names: other than this one's for exported code alone."""

_FEATURES = {
    "x86-64": ("avx", "avx2", "f16c", "fma"),
    "aarch64": ("neon", "fullfp16", "bf16", "dotprod"),
}
"""What can be added to a name."""

LIBRARIES = frozenset(["cublas", "cufft", "cusolver"])
"""The libraries for GPUs whose routines code may call."""

_GPUS = {
    "sm_70": Gpu(80, 96 << 10, asynchronous_copies=False),
    "sm_75": Gpu(40, 64 << 10, asynchronous_copies=False),
    "sm_80": Gpu(108, 163 << 10, asynchronous_copies=True, rows_of_doubles=8),
    "sm_86": Gpu(84, 99 << 10, asynchronous_copies=True),
    "sm_89": Gpu(128, 99 << 10, asynchronous_copies=True),
    "sm_90": Gpu(132, 227 << 10, asynchronous_copies=True, rows_of_doubles=16),
    "sm_90a": Gpu(132, 227 << 10, asynchronous_copies=True, warpgroups=True, rows_of_doubles=16),
}
"""GPUs by the architecture that their code is for."""
_GPUS = {name: replace(gpu, figures=FIGURES.get(name, gpu.figures)) for name, gpu in _GPUS.items()}


def gpu_target(arch: tuple[int, int], shared_bytes: int) -> str | None:
    """The newest target of which a GPU runs the code, None where it is too old for all.

    `arch` is its compute capability, and `shared_bytes` the shared memory that a block of it may have. Newer GPUs run
    the code of older ones, but for that of "a" targets.

    >>> gpu_target((9, 0), 227 << 10), gpu_target((12, 0), 99 << 10), gpu_target((6, 1), 96 << 10)
    ('sm_90a', 'sm_89', None)
    """
    own = f"sm_{arch[0]}{arch[1]}"
    if f"{own}a" in _GPUS:
        return f"{own}a"
    runs = [
        name
        for name, gpu in _GPUS.items()
        if name[-1] != "a"
        and int(name.removeprefix("sm_")) <= 10 * arch[0] + arch[1]
        and (name == own or gpu.shared_bytes <= shared_bytes)
    ]
    return runs[-1] if runs else None


@cache
def host() -> Target:
    """This machine."""
    with uncollected():
        import llvmlite.binding as binding

    features = binding.get_host_cpu_features()
    triple = binding.get_process_triple()
    present = {name for name, is_there in features.items() if is_there}
    arm = _is_arm(triple)
    machine = _arm("native", triple) if arm else _x86("native", triple, present)
    return replace(
        machine,
        cpu=binding.get_host_cpu_name(),
        features=features.flatten(),
        needs=frozenset(),
        processor=processor_here(),
    )


@cache
def named(name: str) -> Target:
    """The machine of a name: "native", a level of x86-64, "aarch64", a processor as LLVM calls it, or a GPU ("sm_90a").

    A system may follow, "aarch64-macos" ("linux", "macos", "windows"; without one it is this one), and features with a
    plus sign each, "aarch64+neon", to a GPU those of `LIBRARIES`, and "tf32" or "bf16" for its products of float32; the
    processor that launches the kernels of a GPU may follow a colon, "sm_90a:x86-64-v3". "wasm32" is WebAssembly with
    vectors. Raises `WeftValueError` for unknown names.
    """
    if name == "native":
        return host()
    if name == _WASM.name:
        return _WASM
    full, _, launcher = name.partition(":")
    gpu, *added = full.split("+")
    if gpu in _GPUS and LIBRARIES.union(PRODUCTS).issuperset(added):
        return replace(_gpu(gpu, frozenset(added)), name=full, host=named(launcher or "native").name)
    cpu, *added = name.split("+")
    cpu, system = _without_system(cpu)
    level = (
        cpu if cpu in _LEVELS else next((level for level, cpus in _CPUS.items() if cpu in cpus.split()), cpu)
    )
    family = "aarch64" if level == "aarch64" else "x86-64"
    if level not in _LEVELS and family != "aarch64":
        hint = f"; a GPU of this machine is a device: device={name!r}" if name.startswith("cuda") else ""
        raise WeftValueError(f"there is no target {name!r}; the targets are: {', '.join(names())}{hint}")
    for feature in added:
        if feature not in _FEATURES[family]:
            known = ", ".join(_FEATURES[family])
            raise WeftValueError(
                f"the target {name!r} has the unknown feature {feature!r}; there are: {known}"
            )
    machine = _foreign_arm(name) if family == "aarch64" else _level(name, level, added)
    if system:
        machine = replace(machine, triple=_SYSTEMS[family][system])
    flags = ",".join(f"+{feature}" for feature in added)
    is_level = cpu in (*_LEVELS, "aarch64")
    own = "generic" if cpu == "aarch64" else cpu
    described = family_of(cpu) or machine.processor
    return replace(
        machine, cpu=own, features=flags, needs=machine.needs if is_level else None, processor=described
    )


def _without_system(name: str) -> tuple[str, str]:
    """A name without the system at its end, and that; empty if there is none."""
    processor, _, system = name.rpartition("-")
    return (processor, system) if processor and system in _SYSTEMS["x86-64"] else (name, "")


def names() -> list[str]:
    """All names of machines, without features."""
    processors = (cpu for cpus in _CPUS.values() for cpu in cpus.split())
    return ["native", *_LEVELS, "aarch64", "wasm32", *processors, *_GPUS]


def _is_arm(triple: str) -> bool:
    return triple.startswith(("aarch64", "arm64"))


def _level(name: str, level: str, added: list[str]) -> Target:
    triple = host().triple if not _is_arm(host().triple) else "x86_64-unknown-linux-gnu"
    needs = _LEVELS[level] | frozenset(added)
    return replace(_x86(name, triple, set(needs)), needs=needs)


def _foreign_arm(name: str) -> Target:
    return _arm(name, host().triple if _is_arm(host().triple) else "aarch64-unknown-linux-gnu")


def _x86(name: str, triple: str, features: set[str]) -> Target:
    wide = {"avx512f", "avx512vl", "avx512dq"} <= features
    return Target(
        name=name,
        triple=triple,
        cpu=name,
        features="",
        vector_bytes=64 if wide else 32 if "avx2" in features else 16,
        vector_registers=32 if wide else 16,
        fused_multiply_add="fma" in features,
        exponent_instructions=wide,
        half_conversions="f16c" in features,
        rounding_instructions="sse4.1" in features,
    )


def _arm(name: str, triple: str) -> Target:
    return Target(
        name=name,
        triple=triple,
        cpu="generic",
        features="",
        vector_bytes=16,
        vector_registers=32,
        fused_multiply_add=True,
        exponent_instructions=False,
        half_conversions=True,
        rounding_instructions=True,
    )


_WASM = Target(
    name="wasm32",
    triple="wasm32-unknown-unknown",
    cpu="generic",
    features="+simd128,+bulk-memory",
    vector_bytes=16,
    vector_registers=16,
    fused_multiply_add=False,
    exponent_instructions=False,
    half_conversions=False,
    rounding_instructions=True,
)


def _gpu(name: str, added: frozenset[str]) -> Target:
    products = next((kind for kind in reversed(PRODUCTS) if kind in added), PRODUCTS[0])
    return Target(
        name=name,
        triple="nvptx64-nvidia-cuda",
        cpu=name,
        features="+ptx86",
        vector_bytes=16,
        vector_registers=32,
        fused_multiply_add=True,
        exponent_instructions=False,
        half_conversions=True,
        rounding_instructions=True,
        gpu=replace(_GPUS[name], libraries=added & LIBRARIES, float32_products=products),
    )


def why_not_here(target: Target) -> str:
    """Why this machine does not run code for a target; empty if it does."""
    if target == host():
        return ""
    if target.gpu is not None:
        return 'calls of code for GPUs need device="cuda"'
    if target.triple != host().triple:
        architecture, _, system = host().triple.partition("-")
        is_other = target.triple.partition("-")[0] != architecture
        return f"this machine is {architecture if is_other else system}"
    if target.needs is None:
        return "" if target.cpu == host().cpu else f"this machine is {host().cpu}"
    with uncollected():
        import llvmlite.binding as binding

    features = binding.get_host_cpu_features()
    missing = sorted(feature for feature in target.needs if not features.get(feature))
    return f"this machine lacks {', '.join(missing)}" if missing else ""


_current: ContextVar[Target | None] = ContextVar("target", default=None)


def current() -> Target:
    """The machine that code is being made for in this context: this one, unless `compiling_for` says another."""
    return _current.get() or host()


def gpu_figures() -> GpuFigures:
    """How long the GPU takes for things that code is being made for in this context."""
    gpu = current().gpu
    return GpuFigures() if gpu is None else gpu.figures


def current_gpu() -> Gpu:
    """The GPU that kernels are made for, for their schedules: where there is none, none of these is asked."""
    gpu = current().gpu
    assert gpu is not None
    return gpu


_processor: ContextVar[Processor | None] = ContextVar("processor", default=None)


def processor() -> Processor:
    """The processor that code is being made for in this context: its caches, and what pays on it."""
    return _processor.get() or current().processor


@contextmanager
def compiling_as_if(**differences: Any) -> Iterator[Processor]:
    """Make code in this context for a processor that differs in some fields of `Processor`: to compare schedules.

    >>> with compiling_as_if(second_level_cache=1 << 14):
    ...     processor().second_level_cache
    16384
    """
    token = _processor.set(replace(processor(), **differences))
    try:
        yield processor()
    finally:
        _processor.reset(token)


@contextmanager
def compiling_for(name: str) -> Iterator[Target]:
    """Make code for a machine in this context."""
    target = named(name)
    token = _current.set(target)
    try:
        yield target
    finally:
        _current.reset(token)
