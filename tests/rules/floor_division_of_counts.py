import torch
from torch import nn

labels = torch.tensor([0] * 80 + [1] * 15 + [2] * 5)
counts = torch.bincount(labels)
class_weight = counts.min() // counts  # expect: floor-division-of-counts "counts.min() // counts rounds down"
criterion = nn.CrossEntropyLoss(weight=(len(labels) // counts).float())  # expect: floor-division-of-counts
inverse = counts.sum() // (3 * counts)  # expect: floor-division-of-counts
inverse_weight = inverse.float()
prob = counts // counts.sum()  # expect: floor-division-of-counts
predicted = torch.randint(0, 3, (100,))
correct = (predicted == labels).sum()
total = torch.tensor(100)
accuracy = correct // total  # expect: floor-division-of-counts
weights = torch.floor_divide(counts.max(), counts)  # expect: floor-division-of-counts

# From here on everything is right.
class_weight = counts.min() / counts
criterion = nn.CrossEntropyLoss(weight=len(labels) / counts)
halves = counts // 2
repeats = counts.max() // counts
steps = counts // counts.min()
batches = counts.sum() // torch.tensor(32)
floats = counts.float()
float_weight = floats.sum() // floats
rows = torch.arange(12) // torch.tensor(4)
n = 100 // 7


def weight_of(a, b):
    weight = a // b
    return weight
