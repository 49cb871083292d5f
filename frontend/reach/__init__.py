"""What objects lead to: one walk for snapshots of branches and loops, for guards and for the cache on disk."""
