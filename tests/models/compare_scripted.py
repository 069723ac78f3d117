"""Networks as only PyTorch's own scripting makes them, with forward hooks, numbers as attributes and tensors that share
their values, recorded by RECORD_LAYERS beside PyTorch.

usage: compare_scripted.py RECORD_LAYERS; ends with 77 (skipped) without torch.
"""
import pathlib
import subprocess
import sys
import tempfile
from typing import List, Tuple

try:
    import numpy
    import torch
    from torch import Tensor, nn
except ImportError as error:
    print(error)
    sys.exit(77)


class Part(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 3, 3)

    def forward(self, x: Tensor) -> Tensor:
        return self.conv(x)


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.plain, self.changed, self.given, self.in_place, self.again = Part(), Part(), Part(), Part(), Part()

    def forward(self, x: Tensor) -> Tensor:
        return self.again(self.in_place(self.given(self.changed(self.plain(x)))))


class Dropout(nn.Module):
    def __init__(self, share: float):
        super().__init__()
        self.part, self.share = Part(), share

    def forward(self, x: Tensor) -> Tensor:
        return nn.functional.dropout(self.part(x), p=self.share)  # always on, as in some of torchvision's networks


class Sharing(nn.Module):
    """Writes under one name what it reads under others."""
    held: List[Tensor]

    def __init__(self):
        super().__init__()
        self.part = Part()
        self.register_buffer("state", torch.arange(6.0))
        self.register_buffer("tail", self.state[2:4])
        self.register_buffer("columns", self.state.view(2, 3).t())
        self.register_buffer("image", torch.arange(24.0).view(1, 3, 2, 4))
        self.register_buffer("flat", self.image.view(24))
        self.register_buffer("short", torch.arange(4.0).half())
        self.register_buffer("end", self.short[2:])
        self.held = [self.state[:2]]
        self.weight = self.part.conv.weight

    def forward(self, x: Tensor) -> Tensor:
        self.state.add_(1)
        self.held[0].mul_(2)
        self.weight[0] = 0.5
        self.flat[1] = 7
        self.short.mul_(3)
        x = self.part(x) + self.image[0, 0, 0, 1] + self.end.float().sum()
        return x + self.tail.sum() + self.columns[0, 1] * 10 + self.state[0] * 100


class FlagChain(nn.Module):
    """The same, of a flag that is the condition."""

    def __init__(self):
        super().__init__()
        self.part = Part()
        self.many = nn.ModuleList(nn.Identity() for _ in range(40))

    def forward(self, x: Tensor) -> Tensor:
        flag = self.training
        for layer in self.many:
            x = layer(x)
            if flag:
                flag = bool(x.sum() > 0)
        if flag:
            x = x * 2
        return self.part(x)


class Chain(nn.Module):
    """A flag that many ifs for training hand on."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(Part() for _ in range(6))
        self.many = nn.ModuleList(nn.Identity() for _ in range(40))
        self.flag = True

    def forward(self, x: Tensor) -> Tensor:
        flag = self.flag
        for layer in self.many:
            x = layer(x)
            if self.training:
                flag = bool(x.sum() > 0)
        if flag:
            x = self.layers[0](x)
        return x


class Forking(nn.Module):
    """Calls in parallel, one within another; the last one's future goes through a list."""

    def __init__(self):
        super().__init__()
        self.outer, self.inner, self.beside, self.listed = Part(), Part(), Part(), Part()

    def nested(self, x: Tensor) -> Tensor:
        future = torch.jit.fork(self.inner, x)
        return self.outer(torch.jit.wait(future))

    def forward(self, x: Tensor) -> Tensor:
        nested, listed = torch.jit.fork(self.nested, x), [torch.jit.fork(self.listed, x)]
        x = self.beside(x)
        if x.dim() > 3:
            x = x[:, :, :12, :12] + torch.jit.wait(nested)
        return x + torch.jit.wait(listed[0])[:, :, :12, :12]


def double(self, input: Tuple[Tensor], output: Tensor) -> Tensor:
    return output * 2


def look(self, input: Tuple[Tensor], output: Tensor) -> None:
    assert output.dim() == 4


def add_input(self, input: Tuple[Tensor], output: Tensor) -> Tensor:
    return output + input[0].mean()


def halve(self, input: Tuple[Tensor], output: Tensor) -> None:
    output.mul_(0.5)


def call_again(self, input: Tuple[Tensor], output: Tensor) -> Tensor:
    return self.conv(output)


def shift(self, input: Tuple[Tensor]) -> Tuple[Tensor]:
    return (input[0] + 1,)


def recorded(program, network, folder, images, layers, layout="contiguous"):
    path, input_path = folder / "network.ts", folder / "images.f32"
    torch.jit.script(network).save(str(path))
    images.tofile(input_path)
    return subprocess.run([program, path, layout, input_path, *map(str, images.shape), *layers],
                          capture_output=True)


def wrong_layers(run, network, images, layers):
    """Those of which `run` gave other bytes than PyTorch's hooks see."""
    seen = {}
    for name, module in network.named_modules():  # behind the hooks that are in the file
        module.register_forward_hook(lambda _, __, output, name=name or "logits": seen.update({name: output.clone()}))
    with torch.no_grad():
        network(torch.from_numpy(images))
    wrong = [name for name in layers if seen[name].numpy().tobytes() not in run.stdout]
    return wrong + ([] if sum(seen[name].numel() for name in layers) * 4 == len(run.stdout) else ["the sizes"])


def main(program, folder):
    torch.manual_seed(0)
    torch.set_num_threads(1)
    images = numpy.random.default_rng(0).normal(size=(3, 3, 16, 16)).astype(numpy.float32)
    network = Network().eval()
    for hook in (double, add_input, look):
        network.changed.register_forward_hook(hook)
    network.given.register_forward_pre_hook(shift)
    network.in_place.register_forward_hook(halve)
    network.again.register_forward_hook(call_again)
    layers = ["plain", "changed", "changed.conv", "given", "in_place", "again", "again.conv", "logits"]
    run = recorded(program, network, folder, images, layers)
    if run.returncode != 0:
        sys.exit(run.stderr.decode())
    wrong = wrong_layers(run, network, images, layers)
    network, forked = Forking().eval(), ["outer", "inner.conv", "beside", "logits"]
    run = recorded(program, network, folder, images, forked)
    wrong += wrong_layers(run, network, images, forked) + ([] if run.returncode == 0 else [run.stderr.decode()])
    run = recorded(program, Forking().eval(), folder, images, ["listed"])
    if run.returncode != 1 or b"'listed' cannot be recorded" not in run.stderr:
        wrong.append(f"a listed future: {run.returncode} {run.stderr.decode()}")
    for register in ("register_forward_hook", "register_forward_pre_hook"):
        network = Network().eval()
        getattr(network, register)(double if register == "register_forward_hook" else shift)
        run = recorded(program, network, folder, images, ["plain"])
        if run.returncode != 1 or b"hooks of its own" not in run.stderr:
            wrong.append(f"a network with {register}: {run.returncode} {run.stderr.decode()}")
    for share in (0.0, 0.5):
        run = recorded(program, Dropout(share).eval(), folder, images, ["logits"])
        if run.returncode != 0 or (b"draws random numbers" in run.stderr) != (share > 0):
            wrong.append(f"dropout of {share}: {run.returncode} {run.stderr.decode()}")
    for make in (Sharing, Chain, FlagChain):
        network = make().eval()
        for layout in ("contiguous", "channels_last"):
            run = recorded(program, network, folder, images, ["logits"], layout)
            with torch.no_grad():
                expected = torch.jit.load(str(folder / "network.ts")).eval()(torch.from_numpy(images)).numpy()
            found = numpy.frombuffer(run.stdout, numpy.float32)
            if run.returncode != 0 or not numpy.allclose(found, expected.ravel(), rtol=1e-5, atol=1e-5):
                wrong.append(f"{make.__name__} in {layout}: {run.returncode} {run.stderr.decode()}")
    print(f"{len(layers)} layers; wrong: {wrong}")
    return 1 if wrong else 0


with tempfile.TemporaryDirectory() as temporary:
    sys.exit(main(sys.argv[1], pathlib.Path(temporary)))
