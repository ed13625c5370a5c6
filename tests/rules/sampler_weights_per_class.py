import torch
from torch.utils.data import WeightedRandomSampler

labels = torch.tensor([0] * 90 + [1] * 10)
class_counts = torch.bincount(labels)
class_weights = 1.0 / class_counts.float()
sampler = WeightedRandomSampler(class_weights, len(labels))  # expect: sampler-weights-per-class "class_weights has one weight for each class, and the sampler takes one for each sample: give class_weights[labels]"
inverse = torch.bincount(labels).float().reciprocal()
sampler = WeightedRandomSampler(weights=inverse, num_samples=100)  # expect: sampler-weights-per-class

# From here on everything is right.
weights = class_weights[labels]
sampler = WeightedRandomSampler(weights, len(weights))
sampler = WeightedRandomSampler(class_weights[labels], len(labels))
listed = [1 / class_counts[label] for label in labels]
sampler = WeightedRandomSampler(listed, len(listed))


def sampled(class_weights):
    return WeightedRandomSampler(class_weights, 10)
