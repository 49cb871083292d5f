"""Programs over arrays in blocks: cut in pieces that each compute one block of something, of the blocks that needs."""
