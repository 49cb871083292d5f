"""Lowerings of the scans ops."""
