"""Our own dialect: its classes are registered when it is defined, and no module needs to be searched for."""
