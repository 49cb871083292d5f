"""Sorting in vectors: native code that is made once per machine, for processors that compress vectors (AVX-512)."""
