"""Whole files whose imports can be mended: the import goes with everything that it brings."""

from torch.func import grad, vmap as mapped  # expect: deprecated-api; deprecated-api
import torch
from torch import outer  # expect: deprecated-api
from torch import nn
from torch.cuda import amp
from torch.amp import GradScaler, autocast  # expect: deprecated-api; deprecated-api
from torch.nn.functional import relu, interpolate  # expect: deprecated-api
from torch.utils import _pytree as trees
from torch.utils._pytree import register_pytree_node, tree_map  # expect: deprecated-api


def train(model, batch, enabled):
    scaler = GradScaler("cuda", enabled=enabled)  # expect: deprecated-api
    with autocast("cuda", enabled=enabled):  # expect: deprecated-api
        loss = model(interpolate(relu(batch), scale_factor=2)).sum()  # expect: deprecated-api
    with torch.amp.autocast("cuda"):  # expect: deprecated-api
        loss = loss + outer(batch[0], batch[1]).sum()
    scaler.scale(loss).backward()


slopes = mapped(grad(nn.Linear(2, 2)))  # expect: deprecated-api; deprecated-api
register_pytree_node(slice, lambda s: ([s.start], None), lambda parts, _: slice(*parts))  # expect: deprecated-api
trees.register_pytree_node(range, None, None)  # expect: deprecated-api
tree_map(nn.Identity(), [1])
