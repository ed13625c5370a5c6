import torch

stars = torch.tensor([0.5, 1.5, 2.5])
rounded = torch.round(stars)  # expect: round-half-to-even "stars has halves, and round takes them to the even number (0.5 becomes 0)"
rounded = stars.round().long()  # expect: round-half-to-even
votes = torch.tensor([1, 3, 5])
middle = torch.round(votes / 2)  # expect: round-half-to-even "0.5 becomes 0"
counts = torch.randint(0, 10, (4,))
half = counts * 0.5
steps = torch.round(half)  # expect: round-half-to-even
wide = (counts / 2).round().int()  # expect: round-half-to-even


def grade(points):
    return points.round()  # expect: round-half-to-even "2.5 becomes 2"


grade(torch.tensor([1.2, 2.5]))

# From here on everything is right.
rounded = torch.floor(stars + 0.5)
rounded = torch.round(torch.tensor([0.4, 1.6]))
rounded = torch.round(torch.tensor([1.5, 3.5]))
cents = torch.round(stars, decimals=2)
scaled = torch.round(torch.rand(3) * 255)
third = torch.round(counts / 3)
whole = torch.round(torch.rand(4) / 2)
number = round(2.5)
exact = (counts * 2.0).round()


def unknown(x):
    return x.round()
