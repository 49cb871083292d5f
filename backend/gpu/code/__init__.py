"""What is written inside of device kernels, whatever their schedule."""
