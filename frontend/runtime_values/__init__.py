"""Values that are known when the program runs only, and are no arrays: strings, objects, results, effects."""
