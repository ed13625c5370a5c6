"""Evaluation loop: accuracy without gradients, and back to training.

stops: model, loader, device
"""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

# given:
device = torch.device("cpu")
loader = DataLoader(TensorDataset(torch.randn(12, 4), torch.randint(3, (12,))), batch_size=5)
model = nn.Linear(4, 3)

# snippet:
model.eval()
correct, seen = 0, 0
with torch.inference_mode():
    for inputs, targets in loader:
        inputs, targets = inputs.to(device), targets.to(device)
        correct += (model(inputs).argmax(dim=1) == targets).sum()
        seen += len(targets)
print(f"accuracy {correct / seen:.3f}")
model.train()
