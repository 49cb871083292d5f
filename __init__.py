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
    from .namespace import *  # noqa: F403  (the generated stub alone)

__version__ = "0.1.0"

_NAMES = {
    ".backend.cpu.memory.result_pool": "release_memory",
    ".backend.cpu.threads.count": "get_num_threads set_num_threads",
    ".dialect.errors": """
        ArtifactError ArtifactWarning AxisError BatchingError CacheWarning CommunicationError
        ConcreteValueError ControlFlowError ConversionError ConversionWarning DeadlockError DeviceError
        DeviceMemoryError DifferentiationError DivergenceError FallbackWarning GatherWarning InternalError
        LayoutError LeakedArrayError LinkError MissingPackageError NotPortable OverlapError PartitionError
        PassError ProfileError PythonNumberError RefusedOperation RemoteError RetracingWarning
        TraceRecursionError TraceSizeError TransferWarning UnrollingWarning UnsupportedAttributeError
        UnsupportedDtypeError UnsupportedError WeftError WeftIndexError WeftTypeError WeftValueError
        WeftWarning
        """,
    ".frontend": "dask data distributed onnx summary",
    ".frontend.artifacts.export": "build",
    ".frontend.artifacts.export.exporting": "export",
    ".frontend.artifacts.from_stablehlo": "from_stablehlo",
    ".frontend.artifacts.from_text": "from_mlir",
    ".frontend.artifacts.loading": "Model load",
    ".frontend.artifacts.saving": "save",
    ".frontend.autograph.api": "autograph",
    ".frontend.autograph.loop_hints": "range unroll",
    ".frontend.autograph.marks": "do_not_convert",
    ".frontend.autograph.tensor_array": "TensorArray",
    ".frontend.batching.vmap": "vmap",
    ".frontend.calls.eager_calls": "eager run_functions_eagerly",
    ".frontend.control_flow.branches": "cond switch",
    ".frontend.control_flow.loops": "fori_loop while_loop",
    ".frontend.control_flow.scans": "map scan",
    ".frontend.devices": "DeviceArray device_put devices stream synchronize",
    ".frontend.eval_shape": "eval_shape",
    ".frontend.function": "Function function",
    ".frontend.gradients.custom": "checkpoint custom_gradient",
    ".frontend.gradients.jacobians": "hessian jacobian",
    ".frontend.gradients.products": "jvp vjp",
    ".frontend.gradients.tape": "GradientTape",
    ".frontend.gradients.transforms": "grad stop_gradient value_and_grad",
    ".frontend.notebooks.extension": "load_ipython_extension",
    ".frontend.numpy_api.constants": "constant",
    ".frontend.profiling.profile": "profile",
    ".frontend.runtime_values.effects": "print py_call trace_print",
    ".frontend.settings": "settings",
    ".frontend.signature.signature": "TensorSpec",
    ".frontend.signature.traced_value": "ArrayHolder",
    ".frontend.tracing.init_scope": "init_scope",
    ".frontend.tracing.questions": "is_recording is_traced is_tracing static_shape",
    ".frontend.variables.state": "load_state save_state state",
    ".frontend.variables.variable": "Variable",
}
"""What is here besides the array namespace, by module; all of it is loaded on first use."""

_EXPORTS = {name: module for module, names in _NAMES.items() for name in names.split()}


if not TYPE_CHECKING:  # which knows all names, by namespace.pyi
    __all__ = sorted(_EXPORTS)

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
