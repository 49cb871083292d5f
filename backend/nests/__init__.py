"""What a loop nest computes, whoever writes its code."""
