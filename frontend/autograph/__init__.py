"""Python control flow on arrays: the conversion of functions, and the operators that converted code calls."""
