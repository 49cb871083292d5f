"""Kernels written for a device: what each becomes, and the launches of it."""
