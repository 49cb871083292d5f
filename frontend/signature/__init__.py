"""What a call is specialised on: the structure and the types of the arguments."""
