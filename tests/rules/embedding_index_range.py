import torch
import torch.nn.functional as F
from torch import nn

table = nn.Embedding(5, 8, padding_idx=0)
tokens = torch.tensor([[1, 4, 5], [2, 3, 0]])
out = table(tokens)  # expect: embedding-index-range "tokens holds 5, and there are 5 rows, 0 to 4: make it 6"
labels = torch.tensor([1, 2, 3])
encoded = F.one_hot(labels, num_classes=3)  # expect: one-hot-index-range "labels holds 3, and there are 3 classes, 0 to 2: make it 4"
words = ["the", "cat", "sat"]
vocab = {word: i + 1 for i, word in enumerate(words)}
embed = nn.Embedding(len(vocab), 16, padding_idx=0)  # expect: embedding-index-range "the ids of vocab start at 1"
index = {word: i for i, word in enumerate(words, start=1)}
size = len(index)
embed = nn.Embedding(size, 16)  # expect: embedding-index-range "use size + 1"
fixed = {"a": 1, "b": 2, "c": 3}
embed = nn.Embedding(len(fixed), 4)  # expect: embedding-index-range
users = torch.randint(0, 50, (200,))
by_user = nn.Embedding(int(users.max()), 8)  # expect: embedding-index-range "is the largest id"
n_items = users.max().item()
by_item = nn.Embedding(num_embeddings=n_items, embedding_dim=8)  # expect: embedding-index-range "use n_items + 1"

# From here on everything is right.
larger = nn.Embedding(6, 8, padding_idx=0)
out = larger(tokens)
encoded = F.one_hot(labels, num_classes=4)
encoded = F.one_hot(labels)
embed = nn.Embedding(len(vocab) + 1, 16, padding_idx=0)
plain = {word: i for i, word in enumerate(words)}
embed = nn.Embedding(len(plain), 16)
zero = {"<pad>": 0, "a": 1, "b": 2}
embed = nn.Embedding(len(zero), 16)
both = {word: i + 1 for i, word in enumerate(words)}
both["<pad>"] = 0
embed = nn.Embedding(len(both), 16)
by_user = nn.Embedding(int(users.max()) + 1, 8)
by_item = nn.Embedding(n_items + 1, 8)
count = nn.Embedding(len(words), 8)
linear = nn.Linear(5, 8)
