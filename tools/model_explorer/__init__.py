"""Programs in Model Explorer, Google's viewer of graphs: `model-explorer --extensions=weft.tools.model_explorer`."""
