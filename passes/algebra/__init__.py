"""The algebra of tensors: constants folded, identities, sums of products that are one op."""
