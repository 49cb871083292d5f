"""How kernels are spread over threads: one way of writing them a file."""
