"""What a user touches: `weft.function` and how it traces, keys and calls; the array namespace; settings; messages."""

import importlib
from types import ModuleType

from ..backend.cpu.threads.limits import heed_threadpoolctl
from ..dialect.imports import load_on_first_use, when_imported

load_on_first_use(__name__, "dask", "data", "distributed", "onnx", "summary")
heed_threadpoolctl()


def _take(module: ModuleType) -> None:
    """Let functions take the arrays of another package, which was just imported."""
    importlib.import_module(".dask", __name__).take_arrays_of(module)


for _package in ("dask.array", "xarray"):
    when_imported(_package, _take)
