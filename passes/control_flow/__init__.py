"""Passes on scf: branches, loops, the values that loops carry, and the checks inside loops."""
