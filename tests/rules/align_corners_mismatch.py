import torch
import torch.nn.functional as F

image = torch.randn(1, 3, 8, 8)
axis = torch.linspace(-1, 1, 8)
y, x = torch.meshgrid(axis, axis, indexing="ij")
grid = torch.stack([x, y], dim=-1)[None]
same = F.grid_sample(image, grid, align_corners=False)  # expect: align-corners-mismatch "linspace(-1, 1) puts -1 and 1 at the centres"
same = F.grid_sample(image, grid, mode="bilinear")  # expect: align-corners-mismatch
moved = F.grid_sample(image, grid + 0.1)  # expect: align-corners-mismatch
theta = torch.eye(2, 3)[None]
turned = F.affine_grid(theta, image.shape, align_corners=True)
out = F.grid_sample(image, turned, align_corners=False)  # expect: align-corners-mismatch "made the grid with align_corners=True: give the same"
other = F.affine_grid(theta, image.shape)
out = F.grid_sample(image, other, align_corners=True)  # expect: align-corners-mismatch "align_corners=False"
rows, columns = torch.meshgrid([torch.linspace(-1.0, 1.0, 4), torch.linspace(-1.0, 1.0, 4)], indexing="ij")
flow_grid = torch.stack((columns, rows), -1).unsqueeze(0).expand(2, -1, -1, -1)
warped = F.grid_sample(image.expand(2, -1, -1, -1), flow_grid, align_corners=False)  # expect: align-corners-mismatch

# From here on everything is right.
same = F.grid_sample(image, grid, align_corners=True)
out = F.grid_sample(image, turned, align_corners=True)
out = F.grid_sample(image, F.affine_grid(theta, image.shape, align_corners=False), align_corners=False)
out = F.grid_sample(image, other)
half = 1 - 1 / 8
edges = torch.linspace(-half, half, 8)
inner = torch.stack(torch.meshgrid(edges, edges, indexing="ij"), -1)[None]
out = F.grid_sample(image, inner.flip(-1), align_corners=False)
axis01 = torch.linspace(0, 1, 8)


def warp(image, grid, aligned):
    return F.grid_sample(image, grid, align_corners=aligned)
