import math

import numpy as np
import torch

best = float("inf")
most = -math.inf
for epoch in range(10):
    loss, accuracy = validate(epoch)
    if loss > best:  # expect: best-never-reached "and nothing is greater: it stays there"
        best = loss
        torch.save(epoch, "best.pt")
    if most > accuracy:  # expect: best-never-reached
        most = accuracy


# From here on everything is right.
def search(rows):
    lowest, highest = np.inf, float("-inf")
    for row in rows:
        if row < lowest:
            lowest = row
        if highest < row:
            highest = row
    return lowest, highest


def stop(rows, patience):
    best, waited = float("inf"), 0
    for row in rows:
        if row > best:
            waited += 1
        else:
            best, waited = row, 0
    return best


def later(rows):
    best = float("inf")
    for row in rows:
        best = min(best, row)
        if row > best:
            best = row
    return best


def finite(rows):
    best = 0.0
    for row in rows:
        if row > best:
            best = row
    return best


def not_replaced(rows):
    limit = float("inf")
    return [row for row in rows if row > limit]


def is_infinite(x):
    top = float("inf")
    if x > top:
        print("never")
