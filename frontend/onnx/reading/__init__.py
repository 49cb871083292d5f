"""Models of ONNX as functions: each node is a function of the array namespace."""
