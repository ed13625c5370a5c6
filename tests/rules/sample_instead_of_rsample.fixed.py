import torch
import torch.distributions as D
import torch.nn.functional as F
from torch import nn
from torch.distributions import Bernoulli, Categorical, Independent, Normal, kl_divergence

critic = nn.Linear(5, 1)
policy_net = nn.Linear(3, 2)
optimizer = torch.optim.Adam(policy_net.parameters())
observation, reward = torch.randn(16, 3), torch.randn(16)


class Actor(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = nn.Linear(3, 2)
        self.log_std = nn.Parameter(torch.zeros(2))

    def forward(self, observation):
        policy = Normal(self.mean(observation), self.log_std.exp())
        action = policy.rsample()  # expect: sample-instead-of-rsample "use rsample()"
        return action, policy.log_prob(action).sum(-1)


actor = Actor()
chosen, log_prob = actor(observation)
actor_loss = (0.2 * log_prob - critic(torch.cat([observation, chosen], dim=-1)).squeeze(-1)).mean()
actor_loss.backward()


class Squashed(Actor):
    def sample(self, observation):
        policy = Normal(self.mean(observation), self.log_std.exp())
        raw = policy.rsample()  # expect: sample-instead-of-rsample
        return torch.tanh(raw), policy.log_prob(raw).sum(1)


class SAC:
    def __init__(self):
        self.actor, self.first, self.second = Squashed(), nn.Linear(5, 1), nn.Linear(5, 1)

    def update(self, states):
        actions, log_probs = self.actor.sample(states)
        both = torch.cat([states, actions], 1)
        lower = torch.min(self.first(both), self.second(both))
        actor_loss = (0.2 * log_probs - lower).mean()
        actor_loss.backward()


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(8, 6), nn.ReLU())
        self.mean, self.log_var = nn.Linear(6, 2), nn.Linear(6, 2)
        self.decoder = nn.Sequential(nn.Linear(2, 6), nn.ReLU(), nn.Linear(6, 8))

    def forward(self, x):
        h = self.encoder(x)
        posterior = D.Normal(self.mean(h), (0.5 * self.log_var(h)).exp())
        z = posterior.rsample()  # expect: sample-instead-of-rsample "self.decoder"
        return self.decoder(z), kl_divergence(posterior, D.Normal(0.0, 1.0)).sum(-1)


class WithMethods(VAE):
    def posterior(self, x):
        h = self.encoder(x)
        return Independent(Normal(self.mean(h), self.log_var(h).exp()), 1)

    def forward(self, x):
        q = self.posterior(x)
        z = q.rsample()  # expect: sample-instead-of-rsample
        return self.decoder(z), q


class WithTrick(VAE):
    def reparameterize(self, mean, log_var):
        return Normal(mean, torch.exp(0.5 * log_var)).rsample()  # expect: sample-instead-of-rsample "reparameterize"

    def forward(self, x):
        h = self.encoder(x)
        return self.decoder(self.reparameterize(self.mean(h), self.log_var(h)))


class WithNormal(VAE):
    def reparametrise(self, mean, log_var):
        z = torch.normal(mean, torch.exp(0.5 * log_var))  # expect: sample-instead-of-rsample "torch.randn_like(std)"
        return z

    def forward(self, x):
        h = self.encoder(x)
        return self.decoder(self.reparametrise(self.mean(h), self.log_var(h)))


class InForward(VAE):
    def forward(self, x):
        h = self.encoder(x)
        std = self.log_var(h).mul(0.5).exp()
        z = torch.normal(self.mean(h), std)  # expect: sample-instead-of-rsample
        return self.decoder(z)


def train_step(states):
    policy = Normal(policy_net(states).tanh(), 1.0)
    action = policy.rsample()  # expect: sample-instead-of-rsample
    loss = -critic(torch.cat([states, action], dim=1)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


# Right: REINFORCE wants the sample as a constant.
def reinforce(states):
    policy = Normal(policy_net(states), 1.0)
    action = policy.sample()
    loss = -(policy.log_prob(action).sum(-1) * reward).mean()
    loss.backward()


# Right: rsample, in all forms.
class RightVAE(VAE):
    def forward(self, x):
        h = self.encoder(x)
        posterior = Normal(self.mean(h), self.log_var(h).exp())
        z = posterior.rsample()
        return self.decoder(z), posterior

    def reparameterize(self, mean, log_var):
        return mean + torch.randn_like(mean) * (0.5 * log_var).exp()

    @torch.no_grad()
    def generate(self, count):
        z = Normal(torch.zeros(count, 2), 1.0).sample()
        return self.decoder(z)

    def posterior_mean(self, x):
        with torch.no_grad():
            z = Normal(self.mean(self.encoder(x)), 1.0).sample()
            return self.decoder(z)


# Right: only in evaluation.
class Switched(VAE):
    def forward(self, x):
        q = Normal(self.mean(self.encoder(x)), 1.0)
        if self.training:
            z = q.rsample()
        else:
            z = q.sample()
        return self.decoder(z)


# Right: discrete distributions have no rsample; the score function needs the sample.
class Discrete(VAE):
    def forward(self, x):
        q = Bernoulli(logits=self.mean(self.encoder(x)))
        z = q.sample()
        return self.decoder(z), q.log_prob(z)


class Hierarchical(VAE):
    def forward(self, x):
        goals = Normal(self.mean(self.encoder(x)), 1.0)
        goal = goals.sample()
        return self.decoder(goal), goals.log_prob(goal)


class Choice(VAE):
    def forward(self, x):
        choice = Categorical(logits=self.mean(self.encoder(x))).sample()
        return self.decoder(F.one_hot(choice, 2).float())


# Right: the critic learns from what the policy did.
def train_critic(states, target):
    action = Normal(policy_net(states), 1.0).sample()
    value = critic(torch.cat([states, action], dim=1))
    F.mse_loss(value, target).backward()


# Right: a penalty compares two inputs, and the sample is one of them.
def conservative(states, actions):
    sampled = Normal(policy_net(states), 1.0).sample()
    lower = critic(torch.cat([states, sampled], dim=1)).mean()
    upper = critic(torch.cat([states, actions], dim=1)).mean()
    (lower - upper).backward()


# Right: noise of no network.
class Noisy(VAE):
    def forward(self, x):
        noise = Normal(0.0, 1.0).sample((2,))
        z = torch.normal(torch.zeros(2), torch.ones(2))
        return self.decoder(noise), self.decoder(z)
