import torch
import torch.distributed as dist
from torch.distributed import broadcast_object_list
from torch.package import PackageImporter

found = [None, None]
dist.all_gather_object(found, {"loss": 1.0})  # expect: object-collective "all_gather_object unpickles what other processes send"
broadcast_object_list(found, src=0)  # expect: object-collective
dist.recv_object_list(found)  # expect: object-collective
model = PackageImporter("model.pt").load_pickle("model", "model.pkl")  # expect: package-import "runs the code that it holds"
torch.ops.load_library("ops.so")  # expect: native-library "torch.ops.load_library runs what the library holds"
torch.classes.load_library("classes.so")  # expect: native-library

# From here on everything is right.
parts = [torch.zeros(3), torch.zeros(3)]
dist.all_gather(parts, torch.ones(3))
dist.broadcast(parts[0], src=0)
dist.barrier()
exporter = torch.package.PackageExporter("model.pt")


class Trainer:
    def all_gather_object(self, thing):
        return [thing]


Trainer().all_gather_object(1)
