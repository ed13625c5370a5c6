import torch
from torch import nn
from torch.export import Dim, export

model = nn.Linear(3, 1)
program = torch.export.export(model, (torch.randn(8, 3),))  # expect: export-static-batch "takes inputs of exactly these sizes"
program.module()(torch.randn(16, 3))
other = export(model, args=(torch.randn(8, 3),))
example = torch.randn(4, 3)
third = export(model, (example,))  # expect: export-static-batch
third.module()(torch.randn(2, 3))
fourth = export(model, (torch.zeros(1, 3),))  # expect: export-static-batch

# Right: the axes that may vary are named, or sizes are not known here.
batch = Dim("batch")
right = export(model, (torch.randn(8, 3),), dynamic_shapes=({0: batch},))
right.module()(torch.randn(16, 3))


def unknown(model, inputs, **options):
    return export(model, inputs), export(model, (torch.randn(8, 3),), **options)
