"""What becomes of a program before its kernels are written for a device."""
