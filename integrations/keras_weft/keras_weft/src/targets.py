"""What is told of targets that a model cannot be trained with."""

from __future__ import annotations

from typing import Any

from keras.src import tree


def require_targets(model: Any, y: Any) -> None:
    """Raise ValueError where there is a loss, and nothing to compare with."""
    if y is None and model._compile_loss is not None:
        raise ValueError(
            f"the model {model.name!r} is compiled with a loss, and its data have no targets: pass them, as in "
            "fit(x, y), or compile it without a loss, and let layers call add_loss"
        )


def shapes_that_differ(model: Any, y: Any, y_pred: Any) -> str:
    """The outputs whose targets cannot be broadcast with them, in words; empty where all can.

    Targets of another structure are Keras's to tell.
    """
    outputs, targets = tree.flatten(y_pred), tree.flatten(y)
    if len(outputs) != len(targets) or any(part is None for part in (*outputs, *targets)):
        return ""
    names = [repr(name) for name in getattr(model, "output_names", ())]
    if len(names) != len(outputs):
        names = [f"{number} of the model {model.name!r}" for number in range(len(outputs))]
    shapes = [(_shape_of(output), _shape_of(target)) for output, target in zip(outputs, targets, strict=True)]
    return "; ".join(
        f"the output {name} is of shape {output}, and its targets are of shape {target}"
        for name, (output, target) in zip(names, shapes, strict=True)
        if not _are_alike(output, target)
    )


def _shape_of(array: Any) -> tuple[int | None, ...]:
    return tuple(extent if isinstance(extent, int) else None for extent in array.shape)


def _are_alike(first: tuple[int | None, ...], second: tuple[int | None, ...]) -> bool:
    pairs = zip(reversed(first), reversed(second), strict=False)
    return all(one == other or 1 in (one, other) or None in (one, other) for one, other in pairs)


__all__ = ["require_targets", "shapes_that_differ"]
