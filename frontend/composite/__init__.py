"""Arrays of dates, durations and records: what stands for them in a trace, and what NumPy's functions mean on them."""
