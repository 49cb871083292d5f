"""What a schedule is, on every machine: one way of writing some work, what it takes, and how one is chosen."""
