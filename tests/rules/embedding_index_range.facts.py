import torch
from torch import nn


class Tagger(nn.Module):
    def __init__(self, vocabulary):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, 8, padding_idx=0)
        self.out = nn.Linear(8, 2)

    def forward(self, tokens):
        return self.out(self.embed(tokens))  # expect: embedding-index-range "tokens holds 5, and there are 5 rows"


class Wide(nn.Module):
    def __init__(self, vocabulary):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, 8)

    def forward(self, tokens):
        return self.embed(tokens)


Tagger(5)(torch.tensor([[1, 2, 5], [3, 4, 0]]))
Wide(6)(torch.tensor([[1, 2, 5], [3, 4, 0]]))
