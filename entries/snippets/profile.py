"""Where the time and the memory of a few steps go, by operator.

stops: model, inputs, 5
"""

import torch
from torch import nn

# given:
model, inputs = nn.Linear(4, 3), torch.randn(8, 4)

# snippet:
activities = [torch.profiler.ProfilerActivity.CPU]
if torch.cuda.is_available():
    activities.append(torch.profiler.ProfilerActivity.CUDA)
model(inputs)  # the first run is slower
with torch.profiler.profile(activities=activities, profile_memory=True) as profiler:
    for _ in range(5):
        model(inputs).sum().backward()
print(profiler.key_averages().table(sort_by="self_cpu_time_total", row_limit=15))
