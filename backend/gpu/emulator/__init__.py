"""A CUDA driver without a GPU: the functions of libcuda, over an interpreter of PTX that looks for mistakes."""
