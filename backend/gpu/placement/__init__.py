"""What runs on the device and what on the host."""
