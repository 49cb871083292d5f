"""Memory that outlives a call: a pool for results, so that what arrays leave is used again without page faults."""
