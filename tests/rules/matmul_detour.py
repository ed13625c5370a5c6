import torch

basis, values, target = torch.randn(8, 8), torch.rand(8) + 0.5, torch.randn(8, 3)
left, sizes, right = torch.linalg.svd(basis)

scaled = basis @ torch.diag(values.rsqrt())  # expect: matmul-detour "makes a whole matrix to scale with: multiply, m * a"
scaled = left @ torch.diag(sizes) @ right  # expect: matmul-detour
scaled = torch.diag(values) @ basis  # expect: matmul-detour "a[:, None] * m"
solution = torch.inverse(basis) @ target  # expect: matmul-detour "use torch.linalg.solve(basis, target)"
distance = ((basis[:, None, :] - target.T[None, :, :]) ** 2).sum(-1).sqrt()  # expect: matmul-detour "torch.cdist"
distance = torch.sqrt((basis.unsqueeze(1) - target.T.unsqueeze(0)).pow(2).sum(dim=-1))  # expect: matmul-detour

# From here on everything is right.
scaled = basis * values
diagonal = basis @ torch.diag(basis)
solution = torch.linalg.solve(basis, target)
inverse = torch.inverse(basis)
solution = inverse @ target
product = target.T @ torch.inverse(basis)
distance = torch.cdist(basis, target.T)
squares = ((basis[:, None, :] - target.T[None, :, :]) ** 2).sum(-1)
length = ((basis - basis.mean(0)) ** 2).sum(-1).sqrt()


def unknown(a, b):
    return a @ torch.diag(b)
