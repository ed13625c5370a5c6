import random
from collections import deque, namedtuple

import torch
import torch.nn.functional as F
from torch import nn
from torch.distributions import Normal

Transition = namedtuple("Transition", ["state", "action", "reward"])
actor, value = nn.Linear(4, 2), nn.Linear(4, 1)
optimizer = torch.optim.Adam([*actor.parameters(), *value.parameters()])


class ReplayBuffer:
    def __init__(self, capacity):
        self.data = deque(maxlen=capacity)

    def push(self, *transition):
        self.data.append(transition)


class ReplayMemory:
    def __init__(self, capacity):
        self.capacity, self.position = capacity, 0
        self.memory = []

    def push(self, state, action, reward):
        if len(self.memory) < self.capacity:
            self.memory.append(None)
        self.memory[self.position] = Transition(state, action, reward)
        self.position = (self.position + 1) % self.capacity

    def sample(self, count):
        return random.sample(self.memory, count)


class DetachingBuffer:
    def __init__(self, capacity):
        self.data = deque(maxlen=capacity)

    def push(self, state, action):
        self.data.append((state, action.detach()))


class Rollout:
    def __init__(self):
        self.values = []

    def add(self, value):
        self.values.append(value)

    def clear(self):
        self.values = []


buffer, memory, window = ReplayBuffer(1000), ReplayMemory(1000), deque(maxlen=100)
observation = torch.randn(4)
for step in range(200):
    action = torch.tanh(actor(observation))
    buffer.push(observation, action, value(observation))  # expect: state-carries-graph "buffer outlives the step and keeps the graph that action"
    memory.push(observation, action, 1.0)  # expect: state-carries-graph
    window.append(Transition(observation, action, 1.0))  # expect: state-carries-graph "action.detach()"


class Agent:
    def __init__(self):
        self.actor = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
        self.replay = deque(maxlen=10000)
        self.memory = ReplayMemory(100)

    def act(self, state):
        return Normal(self.actor(state), 1.0).rsample()

    def play(self, env, state):
        action = self.act(state)
        state_after, reward = env.step(action.detach().numpy())
        self.replay.append((state, action, reward, state_after))  # expect: state-carries-graph "self.replay"
        self.memory.push(state, self.actor(state), reward)  # expect: state-carries-graph


class Standardised(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)
        self.register_buffer("mean", torch.zeros(4))
        self.scale = torch.ones(4)
        self.total = 0.0

    def forward(self, x):
        h = self.layer(x)
        self.mean = 0.9 * self.mean + 0.1 * h.mean(0)  # expect: state-carries-graph "self.mean is carried"
        self.scale.mul_(0.9).add_(0.1 * h.std(0))  # expect: state-carries-graph
        self.total += h.abs().mean()  # expect: state-carries-graph
        return (h - self.mean) / self.scale


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn, self.out = nn.GRU(4, 4), nn.Linear(4, 1)
        self.state = None
        self.kept = []

    def forward(self, x):
        h, self.state = self.rnn(x, self.state)  # expect: state-carries-graph "self.state is carried"
        y = self.out(h)
        self.kept.append(y)  # expect: state-carries-graph "self.kept outlives the step"
        return y


# Right: acted under no_grad, detached, or numbers alone.
for step in range(200):
    with torch.no_grad():
        action = torch.tanh(actor(observation))
        buffer.push(observation, action, value(observation))
    buffer.push(observation, action, 1.0)
    memory.push(observation, actor(observation).detach(), value(observation).item())
    window.append(value(observation).item())
detaching = DetachingBuffer(100)
for step in range(200):
    detaching.push(observation, actor(observation))
    window.append(actor(observation).argmax())


# Right: what is stored for one episode and then learnt from.
def reinforce(env, state):
    log_probs, rewards, rollout = [], [], Rollout()
    saved = deque(maxlen=100)
    while len(rewards) < 100:
        policy = Normal(actor(state), 1.0)
        action = policy.sample()
        log_probs.append(policy.log_prob(action).sum())
        rollout.add(value(state))
        saved.append(policy.log_prob(action).sum())
        state, reward = env.step(action)
        rewards.append(reward)
    loss = -sum(p * r for p, r in zip(log_probs, rewards))
    loss.backward()
    rollout.clear()


def windows(batches):
    for batch in batches:
        steps = deque(maxlen=5)
        for x in batch:
            steps.append(actor(x))
        F.mse_loss(torch.stack(list(steps)), torch.zeros(5, 2)).backward()


recent = deque(maxlen=4)
for step in range(20):
    recent.append(actor(observation))
    torch.stack(list(recent)).mean().backward()


class Right(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.cell = nn.Linear(4, 4), nn.GRUCell(4, 4)  # expect: layer-never-used
        self.register_buffer("mean", torch.zeros(4))
        self.register_buffer("count", torch.zeros(()))
        self.hidden = None
        self.penalty = 0.0

        self.rnn = nn.GRU(4, 4)
        self.before = None
        self.seen = []

    def reset(self):
        self.penalty = 0.0
        self.seen.clear()

    def sequence(self, x):
        h, self.hidden = self.rnn(x, self.hidden)
        self.hidden = self.hidden.detach()
        h, self.before = self.rnn(x, self.before)
        self.seen.append(h)
        return h

    def forward(self, x):
        h = self.layer(x)
        with torch.no_grad():
            self.mean = 0.9 * self.mean + 0.1 * h.mean(0)
        self.mean = 0.9 * self.mean + 0.1 * h.detach().mean(0)
        self.count += 1
        self.penalty = self.penalty + h.pow(2).mean()
        return h - self.mean
