import torch


def accumulate(chunks, n):
    total = torch.empty(n)  # expect: uninitialised-accumulator "total starts with whatever was in memory"
    for chunk in chunks:
        total += chunk
    return total


# From here on everything is right.
def right(chunks, n, source):
    total = torch.zeros(n)
    filled, copied, indexed, nothing, given, out = (torch.empty(n) for _ in range(6))
    filled = torch.empty(n)
    filled.fill_(0)
    copied = torch.empty(n)
    copied.copy_(source)
    indexed = torch.empty(n)
    indexed[:] = 0
    nothing = torch.empty(0, n)
    given = torch.empty(n)
    torch.nn.init.zeros_(given)
    out = torch.empty(n)
    torch.add(source, 1, out=out)
    for chunk in chunks:
        total += chunk
        filled += chunk
        copied += chunk
        indexed += chunk
        nothing += chunk
        given += chunk
        out += chunk
    return total


def replaced(chunks, n):
    total = torch.empty(n)
    total = chunks[0]
    total += chunks[1]
    return total
