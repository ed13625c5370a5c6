import torch
import torch.nn.functional as F

a, b = torch.randn(4, 8), torch.randn(5, 8)
similar = F.cosine_similarity(a.unsqueeze(1), b.unsqueeze(0), dim=-1)  # expect: cosine-similarity-dim "dim is 1 by default, the axis of the other vectors here"
similar = torch.cosine_similarity(a[None], b[:, None], eps=1e-6, dim=-1)  # expect: cosine-similarity-dim

# From here on everything is right.
similar = F.cosine_similarity(a.unsqueeze(1), b.unsqueeze(0), dim=-1)
similar = F.cosine_similarity(a.unsqueeze(1), b.unsqueeze(0), 2)
similar = F.cosine_similarity(a, a)
similar = F.cosine_similarity(a, b[:1])
similar = F.cosine_similarity(a.unsqueeze(0), a.unsqueeze(0))
