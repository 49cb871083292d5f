"""Indices of arrays: how they are read, the views and selections they make, broadcasting."""
