"""Collectives of compiled code in native code: calls of the MPI library that the process has loaded."""
