"""What of the function is a kernel, and where every value lies in memory: the function becomes calls on buffers."""
