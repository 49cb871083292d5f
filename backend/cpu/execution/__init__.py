"""Machine code that runs: symbols, frames of calls, memory it keeps, errors it reports."""
