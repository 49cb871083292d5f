"""The GPU backend: kernels become PTX, and the function that launches them stays native code of the host."""
