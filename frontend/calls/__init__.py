"""A call of a compiled function: its specialisation, the native path, and why a function is traced again."""
