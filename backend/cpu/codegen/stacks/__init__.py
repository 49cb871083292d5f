"""Stacks of small problems, side by side in the lanes of vectors: what library loops compute one after the other."""
