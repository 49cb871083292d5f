"""The workloads written for each candidate, in the way its own manual would: one file per candidate.

A file has a table `PROGRAMS` from the name of a workload to a function of its NumPy arguments, which returns a call
without arguments that computes the result and waits for it; `to_numpy` brings a result back. Whatever a candidate
likes to have done beforehand (arrays on its device, weights stacked) is done before the call is returned.
"""
