"""Networks that are hard to export, and functions that make them; tools/export_model imports this file."""
from typing import Tuple

import torch
from torch import nn

from seeded import maker


class Pair(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(8, 6, 3, stride=2)

    def forward(self, x):
        y = self.conv(x)
        return y, y.mean((2, 3)) * 2


class Block(nn.Module):
    """A ReLU that is called twice and works in place."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(8, 8, 3, padding=1)
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x):
        return self.relu(self.relu(self.conv(x)) - 0.1 * x)


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 5, stride=4)
        self.same = nn.Identity()
        self.blocks = nn.Sequential(Block(), Block())
        self.pair = Pair()
        self.twin = self.stem
        self.unused = nn.Linear(2, 2)

    def forward(self, x):
        x = self.blocks(self.same(torch.relu_(self.stem(x))))
        maps, means = self.pair(x)
        maps.mul_(0)
        return {"out": means, "sum": means.sum(1)}


class ByBatch(nn.Module):
    """What a trace loses: the way that forward takes."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 5, stride=4)

    def forward(self, x):
        y = self.conv(x)
        if x.shape[0] > 2:
            y = -y
        return y.mean((2, 3))


class Bare(nn.Module):
    """Without submodules, and one of its outputs is of booleans."""

    def forward(self, x):
        means = x.mean((2, 3))
        return {"out": means, "positive": means > 0}


class Named(nn.Module):
    """A submodule has the name that else stands for the output."""

    def __init__(self):
        super().__init__()
        self.logits = nn.Conv2d(3, 4, 5, stride=4)

    def forward(self, x):
        return self.logits(x).mean((2, 3))


class Talking(nn.Module):
    """Prints, and takes neither black images nor several."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 5, stride=4)

    def forward(self, x):
        print("an image of", x.shape[2], "pixels")
        if bool((x == 0).all()):
            raise ValueError("black")
        return self.conv(x).view(1, -1)


class Twice(nn.Module):
    """A container with one child of its class, a block with two names that is called under both, and in it a layer
    that has another name outside."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Sequential(nn.Conv2d(3, 8, 5, stride=4)))
        self.block = Block()
        self.again = self.block
        self.conv = self.block.conv

    def forward(self, x):
        x = self.again(self.block(self.stem(x)))
        return self.again(x - 0.5).mean((2, 3))


class Repeated(nn.Module):
    """A trace loses what nobody uses of the last call: the cell's second state, and all of the head's."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 8, stride=8)
        self.cell = nn.LSTMCell(8, 6)
        self.head = nn.Linear(6, 4)

    def forward(self, x):
        x = self.stem(x).mean((2, 3))
        state = self.cell(x)
        for _ in range(2):
            state = self.cell(x, state)
        out = self.head(state[0])
        self.head(state[0] - 1)
        return out


def shuffled(x):
    return x.flip(1)


class Scaled(nn.Module):
    def __init__(self, conv, by: float, shift: Tuple[float, float]):
        super().__init__()
        self.conv, self.by, self.shift = conv, by, shift

    def forward(self, x):
        return shuffled(self.conv(x)) * self.by + self.shift[1]


class Scales(nn.Module):
    """Three submodules of one class and one convolution, which numbers tell apart, and a function."""

    def __init__(self):
        super().__init__()
        conv = nn.Conv2d(3, 4, 5, stride=4)
        self.small, self.large = Scaled(conv, 0.5, (0.0, 0.0)), Scaled(conv, 2.0, (0.0, 0.0))
        self.shifted = Scaled(conv, 0.5, (0.0, 1.0))

    def forward(self, x):
        return (self.small(x) + self.large(x) * self.shifted(x)).mean((2, 3))


class Step(nn.Module):
    def __init__(self, conv):
        super().__init__()
        self.conv = nn.Conv2d(4, 4, 3, padding=1)
        self.conv.weight, self.conv.bias = conv.weight, conv.bias

    def forward(self, x):
        return torch.tanh(self.conv(x)) * 3


class Tied(nn.Module):
    """Submodules of their own that share all weights, and one of them under a second name."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 4, 5, stride=4)
        conv = nn.Conv2d(4, 4, 3, padding=1)
        self.steps = nn.ModuleList([Step(conv), Step(conv), Step(conv)])
        self.last = self.steps[2]

    def forward(self, x):
        x = self.stem(x)
        return self.last(self.steps[1](self.steps[0](x))).mean((2, 3))


class Borrower(nn.Module):
    """Calls a layer that is not its own."""

    def __init__(self, layer):
        super().__init__()
        self.relu = nn.ReLU()
        self.borrowed = [layer]

    def forward(self, x):
        return self.relu(self.borrowed[0](x))


class Lent(nn.Module):
    """A layer is called where its name says and last inside a block that it is not part of."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 5, stride=4)
        self.block = Block()
        self.borrower = Borrower(self.block.conv)

    def forward(self, x):
        return self.borrower(self.block(self.stem(x))).mean((2, 3))


class Auxiliary(nn.Module):
    """A head whose output is for training only works in place on its input; an activation has two names; a layer takes
    what a video has, another one two sizes."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 5, stride=4)
        self.head = nn.Sequential(nn.ReLU(inplace=True), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 5))
        self.act = nn.Tanh()
        self.again = self.act
        self.frames = nn.Conv3d(8, 4, 1)
        self.sizes = nn.ReLU()

    def forward(self, x):
        x = self.act(self.sizes(self.sizes(self.stem(x))[:, :, 2:, 2:]))
        side = self.head(x)
        x = self.again(self.frames((x * 2).unsqueeze(2)).squeeze(2))
        return x + side.mean() if self.training else x


class Listed(nn.Module):
    """Returns a list, and a layer has a name that cannot be written."""

    def __init__(self):
        super().__init__()
        self.add_module("stem/1", nn.Conv2d(3, 4, 5, stride=4))
        self.relu = nn.ReLU()

    def forward(self, x):
        y = self.relu(getattr(self, "stem/1")(x))
        return [y, y.mean((2, 3))]


class Encoder(nn.Module):
    """In evaluation torch computes such a layer in one operator."""

    def __init__(self):
        super().__init__()
        self.patches = nn.Conv2d(3, 8, 16, stride=16)
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 1)

    def forward(self, x):
        return self.encoder(self.patches(x).flatten(2).transpose(1, 2)).mean(1)


class Lazy(nn.Module):
    """Weights get their shapes from the first images, those of the last layer from how large these are."""

    def __init__(self):
        super().__init__()
        self.conv = nn.LazyConv2d(4, 5, stride=4)
        self.last = nn.LazyLinear(3)

    def forward(self, x):
        return self.last(self.conv(x).flatten(1))


class Outputs(nn.Module):
    """Its answer is not the first of its outputs."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 5, stride=4)

    def forward(self, x):
        y = self.conv(x)
        return {"aux": y, "out": y.relu(), "logits": y.mean((2, 3))}


class Spectrum(nn.Module):
    def forward(self, x):
        return torch.fft.fft2(x)


class Rowless(nn.Module):
    """Submodules that know nothing of images, see parts of them as images of their own, or give complex numbers."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 5, stride=4)
        self.place = nn.Linear(5, 1)
        self.part, self.spectrum = nn.Conv2d(3, 3, 1), Spectrum()

    def forward(self, x):
        x = torch.fft.ifft2(self.spectrum(x)).real
        parts = self.part(torch.cat(x.chunk(2, 2)))
        return self.conv(torch.cat(parts.chunk(2), 2)) * self.place(torch.ones(1, 5))


traced = maker(Network)
branches = maker(ByBatch)
bare = maker(Bare)
named = maker(Named)
talking = maker(Talking)
twice = maker(Twice)
repeated = maker(Repeated)
scales = maker(Scales)
tied = maker(Tied)
lent = maker(Lent)
auxiliary = maker(Auxiliary)
listed = maker(Listed)
encoder = maker(Encoder)
lazy = maker(Lazy)
rowless = maker(Rowless)
