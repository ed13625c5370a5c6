import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
once = torch.zeros(3, 4).to(device)


def train(model, frames):
    for _ in range(3):
        noise = torch.randn(64, 16).to(device)  # expect: wasted-copy "torch.randn makes the tensor on the CPU, and it is copied: give device=device"
        mask = torch.ones(64, dtype=torch.bool).cuda()  # expect: wasted-copy
        model(noise, mask)
    channels = frames.permute(0, 3, 1, 2).contiguous()  # expect: wasted-copy "contiguous() copies the tensor"
    return channels.sum(dim=(2, 3)), channels.mean()


def started(device):
    return torch.zeros(1).to(device), torch.ones(2, 3, 64, 64).to(device)  # expect: wasted-copy "torch.zeros"; wasted-copy "torch.ones"


def offsets(a, b):
    points, center = torch.randn(512, 256), torch.randn(1, 256)
    tiled = center.repeat(points.size(0), 1)  # expect: wasted-copy "repeat writes every copy out"
    return points - tiled, torch.bmm(a, b.transpose(1, 2).contiguous())  # expect: wasted-copy


# From here on everything is right.
def right(model, frames, other, a, b):
    for _ in range(3):
        noise = torch.randn(64, 16, device=device)
        cast = torch.zeros(64, 16).to(torch.float16)
        drawn = torch.randn(64, generator=torch.Generator()).to(device)
        data = torch.tensor([1, 2]).to(device)
        model(noise, cast, drawn, data)
    channels = frames.permute(0, 3, 1, 2).contiguous()
    flat = channels.view(-1)
    rows, two = torch.randn(1, 256), torch.randn(2, 256)
    tiled = rows.repeat(8, 1)
    tiled[0] = 0
    doubled = two.repeat(2, 1)
    unknown = other.repeat(2, 1)
    return flat, channels.sum(), tiled, doubled + 1, unknown + 1, torch.bmm(a, b.transpose(1, 2))
