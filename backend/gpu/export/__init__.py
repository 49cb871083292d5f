"""Programs for a GPU as libraries with an interface of C: the driver is found when they are opened."""
