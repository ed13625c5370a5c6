import torch
import torch.distributed as dist


def exchange(buffer, rank, flag):
    dist.isend(buffer, dst=1)  # expect: unwaited-work "isend returns before it is done"
    lost = dist.irecv(buffer, src=0)  # expect: unwaited-work
    dist.all_reduce(buffer, async_op=True)  # expect: unwaited-work "all_reduce returns before it is done, and nothing waits for it"
    # From here on everything is right.
    work = dist.isend(buffer, dst=1)
    works = [dist.irecv(buffer, src=0), dist.isend(buffer, dst=2)]
    dist.all_reduce(buffer)
    dist.all_reduce(buffer, async_op=False)
    dist.all_reduce(buffer, async_op=flag)
    dist.irecv(buffer, src=0).wait()
    dist.send(buffer, dst=1)
    work.wait()
    for one in works:
        one.wait()
    _ = dist.all_reduce(buffer, async_op=True)
    return dist.all_gather([buffer], buffer, async_op=True)


def gathered(x, size, rank):
    parts = [x if one == rank else torch.empty_like(x) for one in range(size)]
    for one, part in enumerate(parts):
        dist.broadcast(part, src=one, async_op=True)
    dist.barrier()
    return torch.cat(parts)


class Queue:
    def isend(self, item):
        return item


Queue().isend(torch.ones(1))
