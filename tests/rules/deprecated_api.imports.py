"""Whole files whose imports can be mended: the import goes with everything that it brings."""

from functorch import grad, vmap as mapped  # expect: deprecated-api; deprecated-api
from torch import ger  # expect: deprecated-api
from torch import nn
from torch.cuda import amp
from torch.cuda.amp import GradScaler, autocast  # expect: deprecated-api; deprecated-api
from torch.nn.functional import relu, upsample  # expect: deprecated-api
from torch.utils import _pytree as trees
from torch.utils._pytree import _register_pytree_node, tree_map  # expect: deprecated-api


def train(model, batch, enabled):
    scaler = GradScaler(enabled=enabled)  # expect: deprecated-api
    with autocast(enabled):  # expect: deprecated-api
        loss = model(upsample(relu(batch), scale_factor=2)).sum()  # expect: deprecated-api
    with amp.autocast():  # expect: deprecated-api
        loss = loss + ger(batch[0], batch[1]).sum()
    scaler.scale(loss).backward()


slopes = mapped(grad(nn.Linear(2, 2)))  # expect: deprecated-api; deprecated-api
_register_pytree_node(slice, lambda s: ([s.start], None), lambda parts, _: slice(*parts))  # expect: deprecated-api
trees._register_pytree_node(range, None, None)  # expect: deprecated-api
tree_map(nn.Identity(), [1])
