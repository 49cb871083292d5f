"""Compiled functions for other programs: libraries, headers and manifests."""
