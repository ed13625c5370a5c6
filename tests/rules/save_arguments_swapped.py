import io

import torch
from torch import nn

model = nn.Linear(4, 2)
path = "model.pt"
torch.save("model.pt", model.state_dict())  # expect: save-arguments-swapped "torch.save takes the object first and then the path"
torch.save(path, {"model": model.state_dict()})  # expect: save-arguments-swapped
torch.save(f"epoch{3}.pt", torch.zeros(3))  # expect: save-arguments-swapped

# From here on everything is right.
torch.save(model.state_dict(), "model.pt")
torch.save({"model": model.state_dict()}, path)
torch.save("a text", "text.pt")
buffer = io.BytesIO()
torch.save("a text", buffer)
with open("text.pt", "wb") as file:
    torch.save("a text", file)


def keep(name, thing):
    torch.save(name, thing)
