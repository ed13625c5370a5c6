import time

import torch


def train(model, optimizer, batches):
    for batch in batches:
        optimizer.zero_grad()
        model(batch).sum().backward()
        optimizer.step()
        if torch.cuda.is_available():
            torch.cuda.synchronize()  # expect: cuda-synchronize-in-loop "every step waits here for the GPU"


def emptied(model, optimizer, batches):
    for batch in batches:
        optimizer.zero_grad()
        model(batch).sum().backward()
        optimizer.step()
        torch.cuda.empty_cache()  # expect: empty-cache-in-loop "every step gives its memory back here"


# From here on everything is right.
def now_and_then(model, optimizer, batches):
    for step, batch in enumerate(batches):
        try:
            optimizer.zero_grad()
            model(batch).sum().backward()
            optimizer.step()
        except RuntimeError:
            torch.cuda.empty_cache()
        if step % 100 == 0:
            torch.cuda.empty_cache()
    torch.cuda.empty_cache()


def right(model, optimizer, batches):
    for batch in batches:
        optimizer.zero_grad()
        model(batch).sum().backward()
        optimizer.step()
    torch.cuda.synchronize()


def timed(model, optimizer, batches):
    for batch in batches:
        optimizer.zero_grad()
        start = time.perf_counter()
        model(batch).sum().backward()
        optimizer.step()
        torch.cuda.synchronize()
        print(time.perf_counter() - start)


def inference(model, batches):
    for batch in batches:
        model(batch)
        torch.cuda.synchronize()


def evaluated_sometimes(model, batches, optimizer, evaluate):
    for step, batch in enumerate(batches):
        model(batch).sum().backward()
        optimizer.step()
        if (step + 1) % 1000 == 0:
            evaluate(model)
            torch.cuda.synchronize()
