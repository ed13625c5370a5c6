import torch


class Buffered(torch.utils.data.Dataset):
    def __init__(self, features):
        self.features = torch.tensor(features)  # expect: tensor-copy-construct "features is a tensor already"


data = Buffered(torch.rand(5, 2))
x = torch.ones(3)
y = torch.tensor(x)  # expect: tensor-copy-construct "use x.detach().clone(), or torch.as_tensor"
y = torch.tensor(x.sum(), dtype=torch.float64)  # expect: tensor-copy-construct
y = x.new_tensor(x + 1)  # expect: tensor-copy-construct "x + 1 is a tensor already"


# From here on everything is right.
class Numbers(torch.utils.data.Dataset):
    def __init__(self, features):
        self.features = torch.tensor(features)


data = Numbers([1.0, 2.0])
data = Numbers(torch.rand(3))
y = torch.as_tensor(x)
y = torch.tensor(x.tolist())
y = torch.tensor([1.0, 2.0])
y = torch.tensor(x.shape)
y = x.new_tensor([1.0, 2.0])
y = torch.tensor(x.numpy())


def unknown(values):
    return torch.tensor(values)


def annotated(noise: torch.Tensor):
    return torch.tensor(noise)  # lists are given here, whatever the annotation says


def sizes(count: int) -> torch.Tensor:
    return [(number, number) for number in range(count)]


known = sizes(3)
known = torch.tensor(known)  # so is what the function says that it returns
again = torch.tensor(sizes(3))


class Mixin:
    def before(self):
        self.x = torch.tensor(self.x)  # nothing else says what it was


class Other:
    def __init__(self):
        self.x = torch.zeros(3)

    def again(self):
        return torch.tensor(self.x)  # expect: tensor-copy-construct "self.x is a tensor already"
