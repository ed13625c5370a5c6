import torch
import torch.nn.functional as F

hits = torch.tensor([3.0, 0.0, 5.0])
tries = torch.tensor([4.0, 0.0, 5.0])
rate = (hits / tries).clamp(0, 1)  # expect: clamp-does-not-remove-nan "hits / tries is NaN in places, and clamp hands NaN on"
rate = torch.clamp(hits / tries, min=0.0, max=1.0)  # expect: clamp-does-not-remove-nan
ratio = hits / tries
bounded = ratio.clamp_min(0)  # expect: clamp-does-not-remove-nan
logs = torch.log(torch.tensor([-1.0, 2.0])).clamp(min=-100)  # expect: clamp-does-not-remove-nan
roots = torch.clip(torch.sqrt(torch.tensor([-1.0, 4.0])), 0, 10)  # expect: clamp-does-not-remove-nan
given = torch.tensor([1.0, float("nan")]).clamp(0, 1)  # expect: clamp-does-not-remove-nan
positive = F.relu(hits / tries)  # expect: clamp-does-not-remove-nan "relu hands NaN on"


def share(part, whole):
    return (part / whole).clamp(max=1.0)  # expect: clamp-does-not-remove-nan


share(torch.tensor([1.0, 0.0]), torch.tensor([2.0, 0.0]))

# From here on everything is right.
rate = (hits / tries.clamp(min=1)).clamp(0, 1)
rate = torch.nan_to_num(hits / tries).clamp(0, 1)
rate = (hits / (tries + 1e-8)).clamp(0, 1)
rate = (torch.tensor([1.0, 2.0]) / torch.tensor([0.0, 4.0])).clamp(0, 1)
logs = torch.log(torch.tensor([0.0, 2.0])).clamp(min=-100)
filled = torch.tensor([4.0, 0.0, 5.0])
filled[1] = 1.0
rate = (hits / filled).clamp(0, 1)


def unknown(part, whole):
    return (part / whole).clamp(0, 1)


def share_of(part, whole):
    return (part / whole).clamp(max=1.0)


share_of(torch.tensor([1.0, 0.0]), torch.tensor([2.0, 1.0]))
