import torch

day, hour = torch.tensor([2, 1, 2, 1]), torch.tensor([3, 9, 1, 4])
by_hour = torch.argsort(hour)
order = by_hour[torch.argsort(day[by_hour], stable=True)]  # expect: argsort-unstable "equal elements come in any order"
again = day[by_hour].argsort(stable=True)  # expect: argsort-unstable "torch.argsort(hour) is lost: give stable=True"
values, places = hour.sort(descending=True)
groups, indices = torch.sort(day[places], stable=True)  # expect: argsort-unstable
sorted_day = day[torch.sort(hour).indices]
final = sorted_day.argsort(descending=False, stable=True)  # expect: argsort-unstable
picked = torch.argsort(day.index_select(0, by_hour), dim=0, stable=True)  # expect: argsort-unstable
table = torch.randint(0, 3, (4, 5))
columns = table.argsort(dim=1)
rows = torch.argsort(torch.randint(0, 3, (4, 5)).gather(1, columns), dim=1, stable=True)  # expect: argsort-unstable
latest = day[by_hour].argsort(0)  # expect: argsort-unstable

# From here on everything is right.
order = by_hour[torch.argsort(day[by_hour], stable=True)]
groups, indices = torch.sort(day[places], stable=True)
inverse = torch.argsort(by_hour)
ranks = hour.argsort().argsort()
plain = torch.argsort(day)
subset = torch.argsort(day[hour > 2])
shuffled = torch.argsort(day[torch.randperm(4)])
same = hour[by_hour].argsort()
top = day[hour.topk(2).indices].argsort()
