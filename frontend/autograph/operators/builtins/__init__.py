"""Python's builtins and its `math` on traced values."""
