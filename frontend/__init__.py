"""What a user touches: `weft.function` and how it traces, keys and calls; the array namespace; settings; messages."""

from ..backend.cpu.threads.limits import heed_threadpoolctl
from ..dialect.imports import load_on_first_use

load_on_first_use(__name__, "data", "distributed", "onnx")
heed_threadpoolctl()
