"""Lists that grow in staged loops, and containers that hold arrays beside other objects."""
