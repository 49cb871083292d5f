"""What a trace has read from around the function, and how a later call finds out that it changed."""
