import torch.utils.data._utils
from torch.utils.data import _utils, default_convert
from torch.utils.data._utils import collate
from torch.utils.data._utils.collate import default_collate  # expect: private-collate "is private: use torch.utils.data.default_collate"

batch = default_collate([1, 2])  # expect: private-collate
batch = _utils.collate.default_collate([1, 2])  # expect: private-collate
batch = collate.default_convert([1, 2])  # expect: private-collate
batch = torch.utils.data._utils.collate.default_convert([1, 2])  # expect: private-collate

# From here on everything is right.
batch = default_convert([1, 2])
batch = torch.utils.data.default_collate([1, 2])
batch = torch.utils.data.dataloader.default_collate([1, 2])
batch = collate.collate([1, 2], collate_fn_map={})
