import torch

out = torch.empty(0, 3)
for _ in range(100):
    out = torch.cat([out, torch.ones(1, 3)])  # expect: cat-in-loop "out is copied whole in every turn"


def gather(pieces):
    found = pieces[0]
    for piece in pieces[1:]:
        found = torch.cat((found, piece), dim=0)  # expect: cat-in-loop
    return found


# From here on everything is right.
def right(pieces, model, tokens):
    found = torch.cat(pieces)
    parts = [torch.cat([piece, piece]) for piece in pieces]
    for piece in pieces:
        both = torch.cat([piece, found])
        parts.append(both)
    for _ in range(10):
        tokens = torch.cat([tokens, model(tokens)])
    x = tokens
    for piece in pieces:
        x = torch.cat([x, piece], 1)
        x = model(x)
    return torch.cat(parts), tokens, x


def once(pieces, extra):
    for piece in pieces:
        joined = piece
        joined = torch.cat([joined, extra])
        print(joined)
