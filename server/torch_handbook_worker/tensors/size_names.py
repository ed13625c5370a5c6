"""Which names are those of sizes, and which numbers stand for them while torch decides something."""

from __future__ import annotations

import re

SIZE = re.compile(
    r"dim|channel|feature|hidden|width|classes|embed|embd|planes|vocab|d_model|n_in|n_out|inp|oup|in_|out_|_size$|^size$|head_|heads?$|"
    r"n_head|patch|mlp|chans|resolution|image|img|latents$|(?:num|n)_(?:tokens|queries|slots|points|joints)$|seq_len"
)
NOT_SIZE = re.compile(
    r"kernel|stride|padding|dilation|ratio|layers|depth|groups|drop|window|factor|_fn|act|norm|bias|rate|eps|batch_size|^in_place|"
    r"stages|blocks|indices|type|mode|init|scale|pool|multi|use_|with_|is_|no_|index"
)
# What is called so outside of a constructor is a tensor, an array or a picture itself: `image / 255`, `hidden_states * 2`.
DATA = re.compile(
    r"^(?!(?:num|n|nb|no|in|out|d|dim|max)_)(?:\w*_)?(?:image|img|feature|feat|hidden|hidden_state|embedding|embed|embd|emb|patch)(?:e?s)?$"
)
# A number that is no size of an input, but that sizes are computed with: it is free, too, where nobody says it.
MEASURE = re.compile(r"kernel|stride|groups|window|^k$|^s$|^g$|reduction|growth")
# What stands for some of them: by these can be divided, and images are larger.
WITNESSES = (
    (re.compile(r"(?:num_|n_|^)heads?$|nhead"), 12), (re.compile(r"dim_head|head_dim"), 60), (re.compile(r"patch|window"), 16),
    (re.compile(r"kernel|^k$"), 3), (re.compile(r"stride|^s$"), 2), (re.compile(r"groups|^g$"), 4), (re.compile("reduction"), 8),
    (re.compile("image|img|resolution"), 4032),
)  # fmt: skip


def is_size(name: str) -> bool:
    """Whether a parameter or an option of this name is a size."""
    return bool(SIZE.search(name)) and not NOT_SIZE.search(name)


def is_measure(name: str) -> bool:
    """Whether it is a size, or a number that sizes are computed with."""
    return is_size(name) or bool(MEASURE.search(name))


def is_number(name: str, kind: str) -> bool:
    """Whether a value of this name is one of these numbers, and not what sizes are sizes of."""
    return is_measure(name) and (kind == "int" or not DATA.search(name))


def witness_of(name: str) -> int:
    """The number that stands for a size of this name; 0 where any may."""
    return next((number for pattern, number in WITNESSES if pattern.search(name)), 0)
