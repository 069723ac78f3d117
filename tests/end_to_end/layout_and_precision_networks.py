"""Networks that depend on the layout or the precision of numbers; tools/export_model imports this file."""
import torch
from torch import nn

from seeded import maker, seeded


class Strided(nn.Module):
    """Gives other numbers in another layout, as the order of sums does on some processors."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 8, 5, stride=4)

    def forward(self, x):
        x = self.first(x)
        if x.stride(1) == 1:
            x = x * 1.001
        return x.mean((2, 3))


class Viewed(nn.Module):
    """Takes for granted how a tensor lies in memory."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 5, stride=4)

    def forward(self, x):
        y = self.conv(x)
        return y.view(y.shape[0], -1)


class Front(nn.Module):
    """A convolution, its weights with the digits of half precision, saved as for a GPU by those derived from it."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 5, stride=4).half()

    def forward(self, x):
        return self.conv(x)


class OfShortType(Front):
    def forward(self, x):
        return self.conv(x.type_as(self.conv.weight))


class InList(Front):
    def __init__(self):
        super().__init__()
        self.weights = [self.conv.weight.detach()]

    def forward(self, x):
        return nn.functional.conv2d(x.half(), self.weights[0], stride=4).float()


class OfType(Front):
    def __init__(self):
        super().__init__()
        self.dtype = torch.float16

    def forward(self, x):
        return self.conv(x.to(self.dtype))


class OnDevice(Front):
    def __init__(self):
        super().__init__()
        self.conv.float()
        self.device = torch.device("cuda:0")

    def forward(self, x):
        return self.conv(x.to(self.device))


class Mixed(Front):
    """As autocast does it."""

    def __init__(self):
        super().__init__()
        self.conv.float()

    def forward(self, x):
        return nn.functional.conv2d(x.half(), self.conv.weight.half(), stride=4).float()


class Shortened(nn.Module):
    """Layers of numbers that NumPy does not have: of bfloat16, and quantised."""

    def __init__(self):
        super().__init__()
        self.conv, self.relu, self.head = nn.Conv2d(3, 4, 3, stride=4), nn.ReLU(), nn.Linear(4, 3)
        self.fewer, self.all = torch.ao.quantization.QuantStub(), torch.ao.quantization.DeQuantStub()
        self.fewer.qconfig = self.all.qconfig = torch.ao.quantization.default_qconfig
        torch.ao.quantization.prepare(self.eval(), inplace=True)
        self(torch.rand(2, 3, 32, 32))
        torch.ao.quantization.convert(self, inplace=True)

    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            x = self.relu(self.conv(x))
        return self.head(self.all(self.fewer(x.float())).mean((2, 3)))


class WithoutBias(Front):
    def __init__(self):
        super().__init__()
        self.conv.bias = None


def short_front():
    """Its weights have the digits of bfloat16."""
    return seeded(Front).bfloat16().eval()


front = maker(Front)
shortened = maker(Shortened)
without_bias = maker(WithoutBias)
strided = maker(Strided)
viewed = maker(Viewed)
