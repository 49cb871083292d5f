"""Calls in converted code: of functions that are converted, too, of others, and of functions that call themselves."""
