"""Functions of the weft dialect as graphs of ONNX."""
