"""What a user touches: `weft.function` and how it traces, keys and calls; the array namespace; settings; messages."""
