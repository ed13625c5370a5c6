import math

import numpy as np
import torch

x = torch.tensor([1.0, float("nan")])
nothing = float("nan")

bad = x == float("nan")  # expect: comparison-with-nan "is False everywhere, for NaN equals nothing: use torch.isnan"
kept = x[x != math.nan]  # expect: comparison-with-nan "is True everywhere"
if (x.sum() == torch.nan).any():  # expect: comparison-with-nan
    print(torch.eq(x, np.nan))  # expect: comparison-with-nan
count = (nothing == x).sum()  # expect: comparison-with-nan
other = x.ne(float("NaN"))  # expect: comparison-with-nan "is True everywhere"

# From here on everything is right.
bad = torch.isnan(x)
same = x != x
ends = x == float("inf")
less = x == math.inf
zero = x == 0
filled = x.masked_fill(x == -1, float("nan"))
word = "nan" == str(x)
