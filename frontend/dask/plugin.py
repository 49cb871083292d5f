"""Compiled code for the workers of a cluster."""
