"""weft compiles Python functions over NumPy arrays to native code.

`@weft.function` records a function once per signature into MLIR, optimises it and runs it as machine code;
`weft.*` is also an array namespace (Python Array API 2025.12 with NumPy's names) that works on NumPy arrays and
inside compiled functions alike.
"""

from __future__ import annotations

import importlib.machinery
import sys as _sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .backend.cpu.memory.result_pool import release_memory
    from .backend.cpu.threads.count import get_num_threads, set_num_threads
    from .dialect.errors import (
        ArtifactError,
        ArtifactWarning,
        AxisError,
        BatchingError,
        CacheWarning,
        CommunicationError,
        ConcreteValueError,
        ControlFlowError,
        ConversionError,
        ConversionWarning,
        DeadlockError,
        DeviceError,
        DeviceMemoryError,
        DifferentiationError,
        DivergenceError,
        FallbackWarning,
        GatherWarning,
        InternalError,
        LayoutError,
        LeakedArrayError,
        LinkError,
        MissingPackageError,
        NotPortable,
        OverlapError,
        PartitionError,
        PassError,
        ProfileError,
        PythonNumberError,
        RefusedOperation,
        RemoteError,
        RetracingWarning,
        TraceRecursionError,
        TraceSizeError,
        TransferWarning,
        UnrollingWarning,
        UnsupportedAttributeError,
        UnsupportedDtypeError,
        UnsupportedError,
        WeftError,
        WeftIndexError,
        WeftTypeError,
        WeftValueError,
        WeftWarning,
    )
    from .frontend import dask, data, distributed, onnx, summary
    from .frontend.artifacts.export import build
    from .frontend.artifacts.export.exporting import export
    from .frontend.artifacts.from_stablehlo import from_stablehlo
    from .frontend.artifacts.from_text import from_mlir
    from .frontend.artifacts.loading import Model, load
    from .frontend.artifacts.saving import save
    from .frontend.autograph.api import autograph
    from .frontend.autograph.loop_hints import range, unroll
    from .frontend.autograph.marks import do_not_convert
    from .frontend.autograph.tensor_array import TensorArray
    from .frontend.batching.vmap import vmap
    from .frontend.calls.eager_calls import eager, run_functions_eagerly
    from .frontend.control_flow.branches import cond, switch
    from .frontend.control_flow.loops import fori_loop, while_loop
    from .frontend.control_flow.scans import map, scan
    from .frontend.devices import DeviceArray, device_put, devices, stream, synchronize
    from .frontend.eval_shape import eval_shape
    from .frontend.function import Function, function
    from .frontend.gradients.custom import checkpoint, custom_gradient
    from .frontend.gradients.jacobians import hessian, jacobian
    from .frontend.gradients.products import jvp, vjp
    from .frontend.gradients.tape import GradientTape
    from .frontend.gradients.transforms import grad, stop_gradient, value_and_grad
    from .frontend.notebooks.extension import load_ipython_extension
    from .frontend.numpy_api.constants import constant
    from .frontend.profiling.profile import profile
    from .frontend.runtime_values.effects import print, py_call, trace_print
    from .frontend.settings import settings
    from .frontend.signature.signature import TensorSpec
    from .frontend.signature.traced_value import ArrayHolder
    from .frontend.tracing.init_scope import init_scope
    from .frontend.tracing.questions import is_recording, is_traced, is_tracing, static_shape
    from .frontend.variables.state import load_state, save_state, state
    from .frontend.variables.variable import Variable
    from .namespace import *  # noqa: F403  (the generated stub alone)

__version__ = "0.1.0"

_EXPORTS: dict[str, str] = {
    "function": ".frontend.function",
    "save": ".frontend.artifacts.saving",
    "load": ".frontend.artifacts.loading",
    "Model": ".frontend.artifacts.loading",
    "build": ".frontend.artifacts.export",
    "export": ".frontend.artifacts.export.exporting",
    "from_mlir": ".frontend.artifacts.from_text",
    "from_stablehlo": ".frontend.artifacts.from_stablehlo",
    "onnx": ".frontend",
    "dask": ".frontend",
    "data": ".frontend",
    "distributed": ".frontend",
    "summary": ".frontend",
    "Function": ".frontend.function",
    "grad": ".frontend.gradients.transforms",
    "value_and_grad": ".frontend.gradients.transforms",
    "GradientTape": ".frontend.gradients.tape",
    "custom_gradient": ".frontend.gradients.custom",
    "checkpoint": ".frontend.gradients.custom",
    "vjp": ".frontend.gradients.products",
    "jvp": ".frontend.gradients.products",
    "jacobian": ".frontend.gradients.jacobians",
    "hessian": ".frontend.gradients.jacobians",
    "stop_gradient": ".frontend.gradients.transforms",
    "constant": ".frontend.numpy_api.constants",
    "Variable": ".frontend.variables.variable",
    "state": ".frontend.variables.state",
    "save_state": ".frontend.variables.state",
    "load_state": ".frontend.variables.state",
    "eager": ".frontend.calls.eager_calls",
    "run_functions_eagerly": ".frontend.calls.eager_calls",
    "TensorArray": ".frontend.autograph.tensor_array",
    "autograph": ".frontend.autograph.api",
    "do_not_convert": ".frontend.autograph.marks",
    "range": ".frontend.autograph.loop_hints",
    "unroll": ".frontend.autograph.loop_hints",
    "cond": ".frontend.control_flow.branches",
    "switch": ".frontend.control_flow.branches",
    "while_loop": ".frontend.control_flow.loops",
    "fori_loop": ".frontend.control_flow.loops",
    "scan": ".frontend.control_flow.scans",
    "vmap": ".frontend.batching.vmap",
    "map": ".frontend.control_flow.scans",
    "settings": ".frontend.settings",
    "DeviceArray": ".frontend.devices",
    "device_put": ".frontend.devices",
    "devices": ".frontend.devices",
    "load_ipython_extension": ".frontend.notebooks.extension",
    "stream": ".frontend.devices",
    "synchronize": ".frontend.devices",
    "TensorSpec": ".frontend.signature.signature",
    "ArrayHolder": ".frontend.signature.traced_value",
    "eval_shape": ".frontend.eval_shape",
    "init_scope": ".frontend.tracing.init_scope",
    "is_recording": ".frontend.tracing.questions",
    "is_traced": ".frontend.tracing.questions",
    "is_tracing": ".frontend.tracing.questions",
    "static_shape": ".frontend.tracing.questions",
    "release_memory": ".backend.cpu.memory.result_pool",
    "get_num_threads": ".backend.cpu.threads.count",
    "set_num_threads": ".backend.cpu.threads.count",
    "profile": ".frontend.profiling.profile",
    "print": ".frontend.runtime_values.effects",
    "py_call": ".frontend.runtime_values.effects",
    "trace_print": ".frontend.runtime_values.effects",
    "OverlapError": ".dialect.errors",
    "UnsupportedAttributeError": ".dialect.errors",
    "UnsupportedDtypeError": ".dialect.errors",
    "TraceSizeError": ".dialect.errors",
    "LayoutError": ".dialect.errors",
    "ConcreteValueError": ".dialect.errors",
    "ControlFlowError": ".dialect.errors",
    "PassError": ".dialect.errors",
    "RefusedOperation": ".dialect.errors",
    "WeftError": ".dialect.errors",
    "WeftTypeError": ".dialect.errors",
    "WeftValueError": ".dialect.errors",
    "WeftIndexError": ".dialect.errors",
    "AxisError": ".dialect.errors",
    "UnsupportedError": ".dialect.errors",
    "DifferentiationError": ".dialect.errors",
    "DivergenceError": ".dialect.errors",
    "BatchingError": ".dialect.errors",
    "DeviceError": ".dialect.errors",
    "DeviceMemoryError": ".dialect.errors",
    "LeakedArrayError": ".dialect.errors",
    "ArtifactError": ".dialect.errors",
    "LinkError": ".dialect.errors",
    "MissingPackageError": ".dialect.errors",
    "NotPortable": ".dialect.errors",
    "PartitionError": ".dialect.errors",
    "ProfileError": ".dialect.errors",
    "PythonNumberError": ".dialect.errors",
    "GatherWarning": ".dialect.errors",
    "CommunicationError": ".dialect.errors",
    "RemoteError": ".dialect.errors",
    "DeadlockError": ".dialect.errors",
    "TraceRecursionError": ".dialect.errors",
    "InternalError": ".dialect.errors",
    "ConversionError": ".dialect.errors",
    "WeftWarning": ".dialect.errors",
    "TransferWarning": ".dialect.errors",
    "ArtifactWarning": ".dialect.errors",
    "CacheWarning": ".dialect.errors",
    "ConversionWarning": ".dialect.errors",
    "RetracingWarning": ".dialect.errors",
    "FallbackWarning": ".dialect.errors",
    "UnrollingWarning": ".dialect.errors",
}
"""What is here besides the array namespace, by module; all of it is loaded on first use."""


if not TYPE_CHECKING:  # which knows all names, by namespace.pyi

    def __getattr__(name: str) -> Any:
        module = _EXPORTS.get(name)
        if module is not None:
            value = getattr(importlib.import_module(module, __name__), name)
        elif name.startswith("__") and name not in ("__array_api_version__", "__array_namespace_info__"):
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        else:
            namespace = importlib.import_module(".frontend.numpy_api", __name__)
            value = namespace.lookup(name, _EXPORTS, _as_method)
        globals()[name] = value
        return value

    def _as_method(name: str) -> str:
        concrete = importlib.import_module(".frontend.calls.concrete", __name__).ConcreteFunction
        if hasattr(__getattr__("Function"), name):
            return f", but compiled functions have: write f.{name}(...)"
        if hasattr(concrete, name):
            return f", but concrete functions have: write f.get_concrete_function(...).{name}(...)"
        return ""

    class _Modules:
        """Finds the modules among the names, so that users write `from weft.distributed import P`."""

        NAMES = frozenset({"dask", "data", "distributed", "fft", "linalg", "onnx", "summary"})

        @classmethod
        def find_spec(cls, name: str, path: Any = None, target: Any = None) -> Any:
            """A spec for what Python has not found in the folder."""
            package, _, own = name.rpartition(".")
            return (
                importlib.machinery.ModuleSpec(name, cls)
                if package == __name__ and own in cls.NAMES
                else None
            )

        @classmethod
        def create_module(cls, spec: Any) -> Any:
            """The module that has the name."""
            module = __getattr__(spec.name.rpartition(".")[2])
            vars(module)  # loads one that waits for its first use
            spec.loader_state = module.__spec__
            return module

        @classmethod
        def exec_module(cls, module: Any) -> None:
            """It is there, and stays what it is."""
            module.__spec__ = module.__spec__.loader_state

    _sys.meta_path.append(_Modules)


def __dir__() -> list[str]:
    namespace = importlib.import_module(".frontend.numpy_api", __name__)
    return sorted({*globals(), *_EXPORTS, *namespace.names()})


__all__ = [
    "ArrayHolder",
    "ArtifactError",
    "ArtifactWarning",
    "AxisError",
    "BatchingError",
    "CacheWarning",
    "CommunicationError",
    "ConcreteValueError",
    "ControlFlowError",
    "ConversionError",
    "ConversionWarning",
    "DeadlockError",
    "DeviceArray",
    "DeviceError",
    "DeviceMemoryError",
    "DifferentiationError",
    "DivergenceError",
    "FallbackWarning",
    "Function",
    "GatherWarning",
    "GradientTape",
    "InternalError",
    "LayoutError",
    "LeakedArrayError",
    "LinkError",
    "MissingPackageError",
    "Model",
    "NotPortable",
    "OverlapError",
    "PartitionError",
    "PassError",
    "ProfileError",
    "PythonNumberError",
    "RefusedOperation",
    "RemoteError",
    "RetracingWarning",
    "TensorArray",
    "TensorSpec",
    "TraceRecursionError",
    "TraceSizeError",
    "TransferWarning",
    "UnrollingWarning",
    "UnsupportedAttributeError",
    "UnsupportedDtypeError",
    "UnsupportedError",
    "Variable",
    "WeftError",
    "WeftIndexError",
    "WeftTypeError",
    "WeftValueError",
    "WeftWarning",
    "autograph",
    "build",
    "checkpoint",
    "cond",
    "constant",
    "custom_gradient",
    "dask",
    "data",
    "device_put",
    "devices",
    "distributed",
    "do_not_convert",
    "eager",
    "eval_shape",
    "export",
    "fori_loop",
    "from_mlir",
    "from_stablehlo",
    "function",
    "get_num_threads",
    "grad",
    "hessian",
    "init_scope",
    "is_recording",
    "is_traced",
    "is_tracing",
    "jacobian",
    "jvp",
    "load",
    "load_ipython_extension",
    "load_state",
    "map",
    "onnx",
    "print",
    "profile",
    "py_call",
    "range",
    "release_memory",
    "run_functions_eagerly",
    "save",
    "save_state",
    "scan",
    "set_num_threads",
    "settings",
    "state",
    "static_shape",
    "stop_gradient",
    "stream",
    "summary",
    "switch",
    "synchronize",
    "trace_print",
    "unroll",
    "value_and_grad",
    "vjp",
    "vmap",
    "while_loop",
]
