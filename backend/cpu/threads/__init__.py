"""The threads that share the work of compiled loops; `count` says how many, `pool` is what compiled code calls."""
