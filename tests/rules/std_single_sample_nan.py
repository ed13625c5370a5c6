import torch

x = torch.randn(1, 8)
normed = (x - x.mean(0)) / (x.std(0) + 1e-5)  # expect: std-single-sample-nan "x has one value along axis 0, of which std is NaN"
spread = torch.std(x, dim=0, keepdim=True)  # expect: std-single-sample-nan
variance = x.var(dim=-2)  # expect: std-single-sample-nan "of which var is NaN"
both = torch.std_mean(x, 0)  # expect: std-single-sample-nan
reward = torch.tensor([3.0])
scaled = (reward - reward.mean()) / reward.std()  # expect: std-single-sample-nan "reward has one value, of which std is NaN"


def standardise(batch):
    return (batch - batch.mean(0)) / batch.std(0)  # expect: std-single-sample-nan


standardise(torch.zeros(1, 4))

# From here on everything is right.
spread = x.std(0, correction=0)
spread = x.std(0, unbiased=False)
spread = x.std(1)
spread = x.std()
spread = torch.randn(4, 8).std(0)
variance = torch.var(x, dim=(0, 1))


def unknown(batch):
    return batch.std(0)
