"""Scaled dot-product attention."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from keras.src import backend

from ..conversion import cast, convert_to_tensor
from .activations import softmax


def dot_product_attention(
    query: Any,
    key: Any,
    value: Any,
    bias: Any = None,
    mask: Any = None,
    scale: float | None = None,
    is_causal: bool = False,
    flash_attention: bool | None = None,
    attn_logits_soft_cap: float | None = None,
) -> Any:
    """Attention of (batch, places, heads, features); fewer heads of keys than of queries serve groups of these.

    The compiler sees the whole of it, so that `flash_attention` asks for nothing else.
    """
    query, key, value = (convert_to_tensor(each) for each in (query, key, value))
    if any(each.ndim != 4 for each in (query, key, value)):
        raise ValueError(
            "`dot_product_attention` only supports 4D inputs. "
            f"Received: query.shape={query.shape}, key.shape={key.shape}, value.shape={value.shape}."
        )
    dtype = backend.result_type(query.dtype, key.dtype, value.dtype)
    query, key, value = (cast(each, dtype) for each in (query, key, value))
    heads, served = query.shape[2], key.shape[2]
    if heads % served:
        raise ValueError(
            "The number of heads of `query` must be a multiple of that of `key` and `value`. "
            f"Received: query.shape={query.shape}, key.shape={key.shape}"
        )
    if served != heads:
        key, value = (np.repeat(each, heads // served, axis=2) for each in (key, value))
    # (batch, heads, places, features), so that both products are products of matrices
    query, value = np.swapaxes(query, 1, 2), np.swapaxes(value, 1, 2)
    wide = backend.result_type(dtype, "float32")  # sums of products of half types have too few digits
    logits = np.matmul(cast(query, wide), cast(np.transpose(key, (0, 2, 3, 1)), wide))
    number = logits.dtype.type
    logits = logits * number(1 / math.sqrt(key.shape[-1]) if scale is None else scale)
    if bias is not None:
        logits = logits + cast(bias, wide)
    if attn_logits_soft_cap is not None:
        cap = number(attn_logits_soft_cap)
        logits = cap * np.tanh(logits / cap)
    seen = _visible(logits, mask, is_causal)
    if seen is not None:
        lowest = number(-0.7 * (65500.0 if dtype == "float16" else 3.38953e38))
        logits = np.where(seen, logits, lowest)
    weights = cast(cast(softmax(logits), dtype), wide)
    return cast(np.swapaxes(np.matmul(weights, cast(value, wide)), 1, 2), dtype)


def _visible(logits: Any, mask: Any, is_causal: bool) -> Any:
    seen = None if mask is None else cast(mask, "bool")
    if is_causal:
        earlier = np.tril(np.ones(logits.shape[-2:], bool))
        seen = earlier if seen is None else np.logical_and(seen, earlier)
    return seen


__all__ = ["dot_product_attention"]
