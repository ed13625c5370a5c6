import numpy as np
import torch

middle = torch.median(torch.tensor([1.0, 2.0, 3.0, 10.0]))  # expect: median-lower-value "of 4 values median gives the lower of the two in the middle, 2 and not 2.5"
prices = torch.tensor([4.0, 1.0])
typical = prices.median()  # expect: median-lower-value "1 and not 2.5"
rows = torch.randn(3, 6)
each = rows.median(dim=1).values  # expect: median-lower-value "of 6 values"
each = torch.nanmedian(rows, 0).values
total = torch.median(rows)  # expect: median-lower-value "of 18 values"

# From here on everything is right.
middle = torch.quantile(prices, 0.5)
odd = torch.median(torch.tensor([1.0, 2.0, 3.0]))
same = torch.median(torch.tensor([1, 2, 2, 3]))
each = rows.median(dim=0).values
arrays = np.median(np.array([1.0, 2.0]))


def unknown(x):
    return x.median()
