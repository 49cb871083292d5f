"""Scientific programs in plain NumPy, with loops as people write them; `catalogue` says how to call each."""
