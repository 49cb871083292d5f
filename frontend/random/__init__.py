"""NumPy's random generators in compiled code: what stands for one, and what its methods record."""

from ...dialect.imports import load_on_first_use

load_on_first_use(__name__, "making", "run_time_calls")
