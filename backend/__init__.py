"""From linalg to code that runs: `cpu` makes machine code for this machine."""
