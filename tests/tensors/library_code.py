"""Networks that nothing here makes: sizes have the names of the constructors' parameters, and hold for every network."""

import torch
import torch.nn.functional as F
from einops import pack, rearrange, repeat, unpack
from einops.layers.torch import Rearrange
from torch import nn


class FeedForward(nn.Module):
    """Nothing says how many axes come before the last one."""

    def __init__(self, width, hidden_dim):
        super().__init__()
        self.up = nn.Linear(width, hidden_dim)
        self.down = nn.Linear(hidden_dim, width)

    def forward(self, x):
        h = self.up(x).relu()  # -> (…, hidden_dim)
        h = self.down(h)  # -> (…, width)
        return h


class Attention(nn.Module):
    def __init__(self, dim, heads=8, dim_head=64):
        super().__init__()
        self.heads = heads
        self.to_qkv = nn.Linear(dim, heads * dim_head * 3)
        self.out = nn.Linear(heads * dim_head, dim)

    def forward(self, x):
        q, k, v = self.to_qkv(x).chunk(3, dim=-1)
        q = rearrange(q, "b n (h d) -> b h n d", h=self.heads)  # -> (b, heads, tokens + H//patch_size*(W//patch_size), dim_head)
        k, v = (rearrange(t, "b n (h d) -> b h n d", h=self.heads) for t in (k, v))
        mixed = (q @ k.mT).softmax(-1) @ v
        mixed = rearrange(mixed, "b h n d -> b n (h d)")
        return self.out(mixed)  # -> (b, tokens + H//patch_size*(W//patch_size), dim)


class Encoder(nn.Module):
    """How many blocks there are is not known; each of them keeps the shape."""

    def __init__(self, dim, depth, heads, dim_head):
        super().__init__()
        self.layers = nn.ModuleList([])
        for _ in range(depth):
            self.layers.append(nn.ModuleList([Attention(dim, heads, dim_head), nn.LayerNorm(dim)]))
        self.chain = nn.Sequential(*[nn.Linear(dim, dim) for _ in range(depth)])

    def forward(self, x):
        for attention, norm in self.layers:
            x = x + attention(norm(x))
        x = self.chain(x)  # -> (b, tokens + H//patch_size*(W//patch_size), dim)
        return x


class Pictures(nn.Module):
    def __init__(self, *, patch_size, dim, depth, heads, tokens, num_classes=1000, channels=3, dim_head=64):
        super().__init__()
        self.patches = nn.Sequential(
            Rearrange("b c (h p1) (w p2) -> b (h w) (p1 p2 c)", p1=patch_size, p2=patch_size),
            nn.Linear(channels * patch_size**2, dim),
        )
        self.tokens = nn.Parameter(torch.randn(tokens, dim))
        self.encoder = Encoder(dim, depth, heads, dim_head)
        self.head = nn.Linear(dim, num_classes)

    def forward(self, image):
        x = self.patches(image)  # -> (b, H//patch_size*(W//patch_size), dim)
        tokens = repeat(self.tokens, "n d -> b n d", b=len(x))  # -> (b, tokens, dim)
        x, shapes = pack([tokens, x], "b * d")
        x = self.encoder(x)
        tokens, x = unpack(x, shapes, "b * d")
        x = x.mean(1)  # -> (b, dim)
        return self.head(x)  # -> (b, num_classes)


class Block(nn.Module):
    """A block that is made at several sizes is described with the names of its parameters."""

    def __init__(self, in_channels, out_channels, stride=1):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, 3, stride, 1)
        self.norm = nn.BatchNorm2d(out_channels)

    def forward(self, x):
        x = self.conv(x)  # -> (N, out_channels, (H - 1)//stride + 1, (W - 1)//stride + 1)
        x = self.norm(x)  # -> (N, out_channels, (H - 1)//stride + 1, (W - 1)//stride + 1)
        return x


class Pyramid(nn.Module):
    def __init__(self, in_chans=3, embed_dims=(64, 128)):
        super().__init__()
        self.stem = Block(in_chans, embed_dims[0])
        self.next = Block(embed_dims[0], embed_dims[1], 2)

    def forward(self, x):
        x = self.stem(x)  # -> (N, embed_dims[0], H, W)
        x = self.next(x)  # -> (N, embed_dims[1], (H - 1)//2 + 1, (W - 1)//2 + 1)
        return F.interpolate(x, scale_factor=0.5)  # -> (N, embed_dims[1], ((H - 1)//2 + 1)//2, ((W - 1)//2 + 1)//2)


class Options(nn.Module):
    """Options of an object that is not known."""

    def __init__(self, config):
        super().__init__()
        self.embed = nn.Embedding(config.vocab_size, config.n_embd)
        self.mix = nn.Linear(config.n_embd, 3 * config.n_embd)
        self.n_head, self.n_embd = config.n_head, config.n_embd

    def forward(self, tokens):
        B, T = tokens.shape
        x = self.embed(tokens)  # -> (B, T, n_embd)
        q, k, v = self.mix(x).split(self.n_embd, dim=2)
        return q.view(B, T, self.n_head, self.n_embd // self.n_head)  # -> (B, T, n_head, n_embd//n_head)


class Base(nn.Module):
    def __init__(self, widths=[64, 128], stem_width=32):
        super().__init__()
        self.stem = nn.Conv2d(3, stem_width, 1)
        self.first = nn.Conv2d(stem_width, widths[0], 1)


class Derived(Base):
    """What is handed on to the base class may be another number, too."""

    def __init__(self, depth=5, **options):
        super().__init__(**options)

    def forward(self, x):
        x = self.stem(x)  # -> (N, stem_width, H, W)
        return self.first(x)  # -> (N, widths[0], H, W)


class Pair(nn.Module):
    """Two inputs of one mapping: their images need not be of one size."""

    def __init__(self, low_channels, high_channels, num_classes):
        super().__init__()
        self.low = nn.Conv2d(low_channels, num_classes, 1)
        self.high = nn.Conv2d(high_channels, num_classes, 1)

    def forward(self, features):
        low = self.low(features["low"])  # -> (N, num_classes, H, W)
        high = self.high(features["high"])  # -> (N, num_classes, H2, W2)
        high = F.interpolate(high, size=low.shape[-2:])  # -> (N, num_classes, H, W)
        return low + high  # -> (N, num_classes, H, W)


def resized(image, scale):
    n, c, h, w = image.shape
    padded = F.pad(image, (0, (-w) % 8, 0, 8 - h % 8))  # -> (n, c, h - h % 8 + 8, w + -w % 8)
    steps = torch.linspace(0, 1, w)  # -> (w)
    either = image if scale > 1 else image[:, :, 1:]
    columns = F.unfold(image, 3)  # -> (n, 9*c, (h - 2)*(w - 2))
    return padded, steps, either, columns


class Mixed(nn.Module):
    """Lists that differ by what is not known: their layers may be others, so nothing is said of what comes out."""

    def __init__(self, dim, bottleneck):
        super().__init__()
        layers = [nn.Linear(dim, 4)]
        if bottleneck:
            layers.append(nn.Linear(4, 2))
        else:
            layers.extend([nn.Linear(4, 3), nn.Linear(3, 8)])
        self.layers = nn.ModuleList(layers)

    def forward(self, x):
        B, D = x.shape
        for layer in self.layers:
            x = layer(x)
        y = x  # -> no tensor
        return y
