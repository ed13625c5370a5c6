import torch


def motion(before, after):
    return (after - before).abs().max()  # expect: uint8-arithmetic-wraparound "after is uint8"


before = torch.full((4, 4), 12, dtype=torch.uint8)
after = torch.full((4, 4), 10, dtype=torch.uint8)
motion(before, after)
images = torch.randint(0, 256, (2, 3, 8, 8), dtype=torch.uint8)
centred = images - 128  # expect: uint8-arithmetic-wraparound
steps = torch.diff(images)  # expect: uint8-arithmetic-wraparound
error = torch.sub(images[0], images[1])  # expect: uint8-arithmetic-wraparound
other = images[0].sub(images[1]).float()  # expect: uint8-arithmetic-wraparound
frame = (torch.rand(4, 4) * 255).byte()
frame -= before  # expect: uint8-arithmetic-wraparound
late = (frame.to(torch.uint8) - before).to(torch.float32)  # expect: uint8-arithmetic-wraparound


# From here on everything is right.
def motion_of(before, after):
    return (after.int() - before.int()).abs().max()


motion_of(before, after)
centred = images.float() - 128
centred = images - 127.5
inverted = 255 - images
labels = images - 1
shifted = images - images.min()
room = images.max() - images
mixed = images.short() - images[0]
summed = images[0] + images[1]
total = images.sum() - 10
floats = torch.rand(2) - torch.rand(2)


def unknown(a, b):
    return (a - b).abs()
