"""Two networks that are trained against each other: what the generator draws is looked at while it learns."""

import torch
from torch import nn, optim

netG = nn.Sequential(nn.ConvTranspose2d(8, 4, 4), nn.BatchNorm2d(4), nn.Tanh())
netD = nn.Sequential(nn.Conv2d(4, 1, 4), nn.Flatten(), nn.Dropout(0.3))
criterion = nn.BCEWithLogitsLoss()
fixed_noise = torch.randn(16, 8, 1, 1)
optimizerD = optim.Adam(netD.parameters(), lr=0.0002, betas=(0.5, 0.999))
optimizerG = optim.Adam(netG.parameters(), lr=0.0002, betas=(0.5, 0.999))
pictures = []
for _ in range(3):
    fake = netG(torch.randn(16, 8, 1, 1))
    optimizerD.zero_grad()
    criterion(netD(fake.detach()), torch.zeros(16, 1)).backward()
    optimizerD.step()
    optimizerG.zero_grad()
    criterion(netD(fake), torch.ones(16, 1)).backward()
    optimizerG.step()
    with torch.no_grad():
        pictures.append(netG(fixed_noise).detach().cpu())
scores = netD.forward(fake)  # expect: direct-forward-call
