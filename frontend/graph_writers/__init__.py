"""What writers of other graph formats share: the walk over a module, and the ops that are written in others."""
