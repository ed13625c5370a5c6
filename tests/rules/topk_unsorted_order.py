import torch

scores = torch.arange(100.0)
top = torch.topk(scores, k=5, sorted=False)
best = top.values[0]  # expect: topk-unsorted-order "topk with sorted=False gives its values in any order"
values, places = scores.topk(5, sorted=False)
best = values[0]  # expect: topk-unsorted-order
worst = places[-1]  # expect: topk-unsorted-order

# From here on everything is right.
total = top.values.sum()
chosen = scores[top.indices]
pair = torch.topk(scores, k=5, sorted=False)
values = pair[0]
ordered = torch.topk(scores, k=5)
best = ordered.values[0]
again = scores.topk(5, sorted=True)
best = again.values[0]
