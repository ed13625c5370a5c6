import torch

scores, labels = torch.rand(10), torch.randint(0, 2, (10,))
values = scores.tolist()  # expect: element-by-element "item() is called for each element: scores.tolist() gives them all at once"
values = scores.square().tolist()  # expect: element-by-element "scores.square().tolist()"
rates = torch.linspace(0, 0.1, len(values)).tolist()  # expect: element-by-element "torch.linspace(0, 0.1, len(values)).tolist()"
count = 0
for score, label in zip(scores, labels):  # expect: element-by-element "this compares zip(scores, labels) element by element"
    if score > 0.5 and label:
        count += 1


def last(tokens: torch.Tensor):
    return tokens.flatten().tolist()  # expect: element-by-element "tokens.flatten().tolist() gives them all at once"


# From here on everything is right.
values = scores.tolist()
losses = [torch.rand(()), torch.rand(())]
values = [loss.item() for loss in losses]
values = [score.item() for score in scores if score > 0]
values = [score.sum().item() for score in scores]
for row in scores.view(2, 5):
    count += row.sum()
for number in values:
    if number > 0.5:
        count += 1
for row in scores:
    if count > 3:
        print(row)
