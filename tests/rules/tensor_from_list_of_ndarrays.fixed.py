import numpy as np
import torch

batch = torch.tensor(np.array([np.zeros(100) for _ in range(64)]))  # expect: tensor-from-list-of-ndarrays "number by number"
frames = [np.random.rand(3, 8) for _ in range(4)]
stacked = torch.as_tensor(np.array(frames))  # expect: tensor-from-list-of-ndarrays
left, right = np.ones(3), np.arange(3).astype("float32")
pair = torch.tensor(np.array([left, right]), dtype=torch.float32)  # expect: tensor-from-list-of-ndarrays


def gather(paths):
    images = []
    for path in paths:
        image = np.load(path)
        images.append(image)
    return torch.FloatTensor(images)  # expect: tensor-from-list-of-ndarrays "torch.FloatTensor"; legacy-tensor-constructor


# Right: one array, or a list of numbers.
torch.tensor(np.array(frames))
torch.from_numpy(np.stack(frames))
torch.tensor([np.random.rand() for _ in range(4)])
torch.tensor([np.random.randint(3) for _ in range(4)])
torch.tensor([frame.mean() for frame in frames])
torch.tensor([np.mean(frame) for frame in frames])
torch.tensor([[1.0, 2.0], [3.0, 4.0]])
torch.tensor([len(frame) for frame in frames])
torch.stack([torch.from_numpy(frame) for frame in frames])
torch.tensor([np.array(1.0), np.array(2.0)])


def unknown(items, rows):
    numbers = []
    for item in items:
        numbers.append(item)
    both = []
    both.append(np.zeros(3))
    both.extend(rows)
    return torch.tensor(numbers), torch.tensor(items), torch.tensor(both), torch.tensor([row for row in rows])
