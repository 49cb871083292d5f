"""What of the function is a kernel, and where every value lies in memory: the function becomes calls on buffers."""

from ...dialect.imports import load_on_first_use

load_on_first_use(__name__, "buffer_rotation", "sizes_function")
