"""The operations that Keras asks a backend for, in modules as Keras names them."""
