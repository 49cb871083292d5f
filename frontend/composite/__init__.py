"""Arrays of dates, durations and records: what stands for them in a trace, and what NumPy's functions mean on them."""

from ...dialect.imports import load_on_first_use

load_on_first_use(__name__, "times", "units")
