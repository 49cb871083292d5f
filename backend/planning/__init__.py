"""Where every value of a function lies in memory, once its kernels are outlined: it becomes calls on buffers."""

from ...dialect.imports import load_on_first_use

load_on_first_use(__name__, "buffer_rotation", "sizes_function")
