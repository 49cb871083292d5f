"""What converted statements and expressions do: staged where arrays decide, else as in Python."""
