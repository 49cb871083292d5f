"""What of a function is a kernel: ops that share loops become functions of their own, and the rest calls them."""
