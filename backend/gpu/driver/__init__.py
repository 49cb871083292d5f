"""The CUDA driver, called through ctypes: devices, memory, streams and modules.

Which library is called is a parameter: libcuda (`library.load_driver`), or what stands for it.
"""
