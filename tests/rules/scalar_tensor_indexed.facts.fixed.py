import torch
import torch.nn.functional as F

loss = F.mse_loss(torch.randn(3), torch.randn(3))
print(loss.item())  # expect: scalar-tensor-indexed "loss is a single number and cannot be indexed: use loss.item()"
total = torch.randn(3, 4).sum()
print(total.item())  # expect: scalar-tensor-indexed "use total.item()"
print(torch.randn(3)[0, 1])  # expect: shape-mismatch "this index raises IndexError here: too many indices"

# From here on everything is right.
rows = torch.randn(3, 4).sum(0)
print(rows[0], total[None], total[...], rows.data[0])
