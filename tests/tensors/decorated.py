"""Functions that an unknown decorator has seen: their shapes are those of the body, their graph may be another one."""

import torch


@torch.library.custom_op("example::scaled_sum", mutates_args=())
def scaled_sum(x: torch.Tensor, scale: float) -> torch.Tensor:
    return torch.from_numpy(x.detach().numpy().sum(-1) * scale)


def plain_sum(x):
    return x.detach().sum(-1)


x = torch.ones(2, 3, requires_grad=True)
total = scaled_sum(x, 2.0)  # -> (2)
total.sum().backward()
cut = plain_sum(x)  # -> (2)
cut.sum().backward()  # fails no-grad-fn torch.Tensor.backward
