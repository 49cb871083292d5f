"""Recording: the trace, its regions, the arrays that stand in for NumPy's, and what they may share memory with."""
