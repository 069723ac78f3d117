#!/usr/bin/python3
"""Networks of Python are exported, listed and recorded as PyTorch's forward hooks see them.

usage: export_model.py VENTRAL MPIRUN; ends with 77 (skipped) without torch and what the tools need.
"""
import hashlib
import json
import os
import pathlib
import runpy
import signal
import subprocess
import sys
import tempfile
import tomllib
import traceback

from program import STRONG_BLAS_CORE, environment, main

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"
sys.path.insert(0, str(TOOLS / "python"))
from in_python import machine  # noqa: E402

# As compare_layers wants it, which would start anew in another one, and with the kernels of the program under test.
WANTED = machine.environment(1) | STRONG_BLAS_CORE
if os.environ != WANTED:
    os.execve(sys.executable, [sys.executable, *sys.argv], WANTED)
try:
    import h5py  # noqa: F401
    import netCDF4  # noqa: F401
    import torch
    import torchvision  # noqa: F401
except ImportError as error:
    print(error)
    sys.exit(77)

PIXELS = 64
NETWORKS = '''
from typing import Tuple

import torch
from torch import nn


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


class Reserved(nn.Module):
    """A submodule's name is a word of TorchScript."""

    def __init__(self):
        super().__init__()
        self.add_module("class", nn.Conv2d(3, 4, 5, stride=4))

    def forward(self, x):
        return self._modules["class"](x).mean((2, 3))


class Halving(nn.Module):
    """Asks for half precision of what is shown to it, not of its weights."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 5, stride=4)

    def forward(self, x):
        return self.conv(x.half())


class Outputs(nn.Module):
    """Its answer is not the first of its outputs."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 5, stride=4)

    def forward(self, x):
        y = self.conv(x)
        return {"aux": y, "out": y.relu(), "logits": y.mean((2, 3))}


class Front(nn.Module):
    """A convolution, its weights with the digits of half precision, saved as for a GPU by those derived from it."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 5, stride=4).half()

    def forward(self, x):
        return self.conv(x)


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


class Spectrum(nn.Module):
    def forward(self, x):
        return torch.fft.fft2(x)


class Rowless(Front):
    """Submodules that know nothing of images, see parts of them as images of their own, or give complex numbers."""

    def __init__(self):
        super().__init__()
        self.place = nn.Linear(5, 1)
        self.part, self.spectrum = nn.Conv2d(3, 3, 1), Spectrum()

    def forward(self, x):
        x = torch.fft.ifft2(self.spectrum(x)).real
        parts = self.part(torch.cat(x.chunk(2, 2)))
        return super().forward(torch.cat(parts.chunk(2), 2)) * self.place(torch.ones(1, 5))


def seeded(kind):
    torch.manual_seed(3)
    return kind()


def traced():
    return seeded(Network)


def branches():
    return seeded(ByBatch)


def bare():
    return seeded(Bare)


def named():
    return seeded(Named)


def talking():
    return seeded(Talking)


def twice():
    return seeded(Twice)


def repeated():
    return seeded(Repeated)


def scales():
    return seeded(Scales)


def tied():
    return seeded(Tied)


def lent():
    return seeded(Lent)


def auxiliary():
    return seeded(Auxiliary)


def listed():
    return seeded(Listed)


def encoder():
    return seeded(Encoder)


def lazy():
    return seeded(Lazy)


def front():
    return seeded(Front)


def rowless():
    return seeded(Rowless)


def shortened():
    return seeded(Shortened)


def without_bias():
    return seeded(WithoutBias)


def strided():
    return seeded(Strided)


def viewed():
    return seeded(Viewed)
'''


def exit_code_of_script(arguments):
    """As the interpreter would end with it."""
    sys.argv = arguments
    try:
        runpy.run_path(arguments[0], run_name="__main__")
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def tool(name, *arguments):
    """(exit code, all that it says); in a fork of this process, which has loaded torch."""
    sys.stdout.flush()
    with tempfile.TemporaryFile() as told:
        child = os.fork()
        if child == 0:
            signal.alarm(120)
            os.environ.update(environment())
            os.dup2(told.fileno(), 1)
            os.dup2(told.fileno(), 2)
            code = exit_code_of_script([str(TOOLS / name), *map(str, arguments)])
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        told.seek(0)
        return code, told.read().decode(errors="replace")


def export(checks, place, out, *options, good=True, words=()):
    code, told = tool("export_model", place, "--out", out, "--crop", PIXELS, "--resize", *options)
    checks.that((code == 0) == good and "Traceback" not in told, f"export_model {place}: ends with {code}", told)
    for word in words:
        checks.that(word in told, f"export_model {place}: the message lacks '{word}'", told)


def check_record(checks, path):
    record = tomllib.loads(path.read_text())
    weights = path.parent / record["weights"]["file"]
    checks.that(record["weights"]["sha256"] == hashlib.sha256(weights.read_bytes()).hexdigest(), "the checksum is wrong")
    # The identity is lost in tracing, and the pair returns a tuple: nine are left, two of them the last of a stage.
    checks.that(record["layers"] == ["stem", "blocks", "blocks.0.conv", "blocks.0.relu", "blocks.1", "blocks.1.conv",
                                     "blocks.1.relu", "pair.conv"], "other candidates", record)
    checks.that(record["readout_layer"] == "logits[out]" and "regions" not in record, "another record", record)
    checks.that(record["memory_layout"] == "channels_last", "another memory layout", record)


def check_layers(program, checks, path):
    listed = json.loads(subprocess.run([program.ventral, "layers", path, "--json"], capture_output=True,
                                       env=environment(), check=False).stdout or "[]")
    shapes = {layer["name"]: layer["shape"] for layer in listed}
    # 64 pixels give 15, and those 7.
    checks.that(shapes == {"stem": [8, 15, 15], "blocks": [8, 15, 15], "blocks.0": [8, 15, 15], "blocks.0.conv": [8, 15, 15],
                           "blocks.0.relu": [8, 15, 15], "blocks.1": [8, 15, 15], "blocks.1.conv": [8, 15, 15],
                           "blocks.1.relu": [8, 15, 15], "pair": [6, 7, 7], "pair[1]": [6], "pair.conv": [6, 7, 7],
                           "logits[out]": [6], "logits[sum]": [1]}, "ventral layers: other shapes", shapes)
    flops = {layer["name"]: layer["flops"] for layer in listed}
    block, pair = 2 * 8 * 15 * 15 * 8 * 9, 2 * 6 * 7 * 7 * 8 * 9
    checks.that(flops.get("blocks") == 2 * block and flops.get("pair[1]") == pair, "ventral layers: other flops", flops)
    checks.that(flops.get("logits[out]") == 2 * block + pair + 2 * 8 * 15 * 15 * 3 * 25, "other flops of the whole", flops)
    code, told = program.answer(["layers", path.with_suffix(".ts")])
    checks.that(code == 1 and "--input-size" in told, "ventral layers of a file without preprocessing", told)
    code, told = program.answer(["layers", path.with_suffix(".ts"), "--input-size", "32x48"])
    checks.that(code == 0 and "8 x 7 x 11" in told and "twin" in told, "ventral layers --input-size", told)


def check_comparison(program, checks, path, images, *options):
    code, told = tool("compare_layers", path, "--images", images, "--count", 20, "--ventral", program.ventral, *options)
    checks.that(code == 0, f"compare_layers {path.name} {options}: ends with {code}", told)
    if "--contiguous" in options:
        checks.that(" differ\n" not in told and " equal\n" in told, f"compare_layers {path.name}: bits differ", told)


def check_candidates(checks, folder):
    """ResNet's stages are four of its ten children."""
    export(checks, "resnet18", folder, "--random-weights", 0)
    layers = tomllib.loads((folder / "resnet18.toml").read_text())["layers"]
    checks.that(layers == ["bn1", "relu", "maxpool", "layer1", "layer2", "layer3", "layer4", "fc"],
                "not all stages of a ResNet are candidates", layers)


def check_layouts(program, checks, models, place, images):
    """Networks that the faster memory layout is not for."""
    export(checks, f"{place}:strided", models, "--script", "--images", images, words=['"contiguous"', "16 photographs"])
    check_comparison(program, checks, models / "strided.toml", images)
    export(checks, f"{place}:viewed", models, words=['"contiguous"', "fails"])
    for name in ("strided", "viewed"):
        record = tomllib.loads((models / f"{name}.toml").read_text())
        checks.that(record["memory_layout"] == "contiguous", f"another memory layout of {name}", record)


def check_copy(checks, models, folder):
    """TorchScript is taken as it is."""
    export(checks, models / "traced.ts", folder)
    original, copy = (tomllib.loads((place / "traced.toml").read_text()) for place in (models, folder))
    checks.that(original == copy, "another record of a TorchScript file", f"{original}\n{copy}")
    checks.that((models / "traced.ts").read_bytes() == (folder / "traced.ts").read_bytes(), "a copy differs")


def check_odd(program, checks, models, place, images, copies):
    """What a network prints is not taken for a result; of calls under several names, and of those by a block that the
    layer is not part of, the last one counts."""
    export(checks, f"{place}:talking", models, "--script", good=False, words=["--batch-size 1"])
    export(checks, f"{place}:talking", models, "--script", "--batch-size", 1)
    check_comparison(program, checks, models / "talking.toml", images, "--contiguous", "--network", f"{place}:talking")
    for options in ([], ["--script"]):
        export(checks, f"{place}:twice", models, "--force", *options)
        check_comparison(program, checks, models / "twice.toml", images, "--contiguous", "--spread", 0,
                         "--network", f"{place}:twice")
    export(checks, f"{place}:scales", models, "--script")
    for source in ([], ["--network", f"{place}:scales"]):
        check_comparison(program, checks, models / "scales.toml", images, "--contiguous", "--layers", "small", "large",
                         "shifted", *source)
    for options in ([], ["--script"]):
        export(checks, f"{place}:tied", models, "--force", *options)
        check_comparison(program, checks, models / "tied.toml", images, "--contiguous", "--layers", "steps.0", "steps.0.conv",
                         "steps.1.conv", "last", "--network", f"{place}:tied")
        code, told = program.answer(["layers", models / "tied.toml"])
        checks.that(code == 0 and "another name of it" not in told, "submodules with tied weights", told)
    export(checks, f"{place}:shortened", models)
    check_comparison(program, checks, models / "shortened.toml", images, "--contiguous", "--layers", "conv", "relu",
                     "fewer", "head", "--network", f"{place}:shortened")
    export(checks, f"{place}:lent", models)
    check_comparison(program, checks, models / "lent.toml", images, "--contiguous", "--layers", "block.conv",
                     "--network", f"{place}:lent")
    for options, left_out in (([], "head:"), (["--script"], "act:")):
        export(checks, f"{place}:auxiliary", models, "--force", *options, words=[left_out])
        layers = tomllib.loads((models / "auxiliary.toml").read_text())["layers"]
        checks.that({"stem", "frames", "sizes"} < set(layers) and left_out[:-1] not in layers, "a layer that is another", layers)
        check_comparison(program, checks, models / "auxiliary.toml", images, "--contiguous", "--layers", *layers,
                         "--network", f"{place}:auxiliary")
    layers = tomllib.loads((models / "twice.toml").read_text())["layers"]
    checks.that({"stem", "stem.0", "block"} < set(layers), "other candidates of a network with two names", layers)
    export(checks, models / "twice.ts", copies)
    again = tomllib.loads((copies / "twice.toml").read_text())["layers"]
    checks.that(again == layers, "other candidates of its TorchScript", again)


def check_list(program, checks, models, place, images):
    """Of a list a member has to be chosen; what cannot be written is no candidate."""
    export(checks, f"{place}:listed", models, words=["stem/1"])
    record = tomllib.loads((models / "listed.toml").read_text())
    checks.that(record["readout_layer"] == "logits[0]" and record["layers"] == ["relu"], "a list: another record", record)
    check_comparison(program, checks, models / "listed.toml", images, "--contiguous", "--layers", "relu", "logits[0]")


def check_encoder(program, checks, models, place, images):
    """The parts of a transformer's encoder layer are layers too."""
    for options in ([], ["--script"]):
        export(checks, f"{place}:encoder", models, "--force", *options)
        layers = tomllib.loads((models / "encoder.toml").read_text())["layers"]
        parts = [f"encoder.layers.0.{part}" for part in ("self_attn", "linear1", "linear2", "norm2")]
        checks.that(set(parts[1:]) < set(layers), "a transformer's layers are no candidates", layers)
        for source in ([], ["--network", f"{place}:encoder"]):
            check_comparison(program, checks, models / "encoder.toml", images, "--contiguous", "--layers", *parts,
                             "encoder", *source)


def check_lazy(program, checks, models, place, images):
    """64 pixels give 4 x 15 x 15 features to the last layer."""
    export(checks, f"{place}:lazy", models)
    check_comparison(program, checks, models / "lazy.toml", images, "--contiguous", "--network", f"{place}:lazy")


def check_repeated(program, checks, models, place, images):
    """What only some calls of a layer return cannot be recorded, and is not offered."""
    export(checks, f"{place}:repeated", models)
    record = tomllib.loads((models / "repeated.toml").read_text())
    checks.that(record["layers"] == ["stem"], "candidates that a later call does not return", record)
    code, told = program.answer(["layers", models / "repeated.toml"])
    checks.that(code == 0 and "cell " in told and "cell[1]" not in told and "\nhead" not in told,
                "layers that a later call does not return", told)
    check_comparison(program, checks, models / "repeated.toml", images, "--contiguous", "--layers", "stem", "cell",
                     "--network", f"{place}:repeated")


def check_rowless(program, checks, models, place, images):
    """Layers that have no row for each image are no candidates, and are not measured."""
    export(checks, f"{place}:rowless", models)
    record = tomllib.loads((models / "rowless.toml").read_text())
    checks.that(record["layers"] == ["conv"], "candidates without a row for each image", record)
    check_comparison(program, checks, models / "rowless.toml", images, "--contiguous", "--network", f"{place}:rowless")
    export(checks, f"{place}:rowless", models, "--force", "--layers", "place", good=False, words=["a row for each image"])


def check_outputs(checks, models, place):
    """Of several outputs the likeliest is read out, and that is said."""
    export(checks, f"{place}:Outputs", models, words=['readout_layer = "logits[logits]"', "aux, out, logits"])
    record = tomllib.loads((models / "Outputs.toml").read_text())
    checks.that(record["readout_layer"] == "logits[logits]", "another output is read out", record)


def check_precision(checks, folder, place):
    """What sizes have no part in is not to be cured by them."""
    code, told = tool("export_model", f"{place}:Halving", "--out", folder, "--crop", PIXELS, "--resize")
    checks.that(code == 1 and "float32" in told and "Traceback" not in told, "a network of mixed precision", told)
    checks.that("--crop" not in told and "--batch-size" not in told, "advice about sizes where types differ", told)


def check_half(program, checks, folder, images):
    """Saved in half precision, which CPUs lack operators for."""
    path = folder / "half.ts"
    torch.jit.script(torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4)).half().eval()).save(path)
    code, told = program.answer(["layers", path, "--input-size", "8"])
    # Two tensors of the convolution, two weights and two averages of the normalisation.
    checks.that(code == 0 and f"{path}: 6 tensors of weights converted to float32" in told, "a network of halves", told)
    export(checks, path, folder / "halves")
    check_comparison(program, checks, folder / "halves" / "half.toml", images, "--contiguous")


FRONT = """
identifier = "{name}"
weights = "{name}.ts"
visual_degrees = 8.0
memory_layout = "contiguous"
[preprocessing]
crop = {pixels}
mean = [0.5, 0.5, 0.5]
std = [0.25, 0.25, 0.25]
"""


def check_saved_for_gpus(program, checks, folder, place, images):
    """What is no weight asks for half precision or CUDA too: constants of a frozen network, lists, attributes, casts."""
    networks = runpy.run_path(str(place), run_name="networks")
    scripts = {name: torch.jit.script(networks["seeded"](networks[name]).eval())
               for name in ("InList", "OfType", "OnDevice", "Mixed")}
    scripts["Frozen"] = torch.jit.freeze(torch.jit.script(networks["front"]().eval()), optimize_numerics=False)
    for name, script in scripts.items():
        script.save(folder / f"{name}.ts")
        (folder / f"{name}.toml").write_text(FRONT.format(name=name, pixels=PIXELS))
        original = "without_bias" if name in ("InList", "Mixed") else "front"
        check_comparison(program, checks, folder / f"{name}.toml", images, "--contiguous", "--layers", "logits",
                         "--network", f"{place}:{original}")


def check_refusals(checks, folder, place):
    out = folder / "refused"
    export(checks, f"{place}:traced", folder / "models", good=False, words=["is there already", "--force"])
    export(checks, f"{place}:branches", out, good=False, words=["--script"])
    export(checks, f"{place}:nothing", out, good=False, words=["nothing"])
    export(checks, f"{folder}/absent.py:make", out, good=False, words=["absent.py"])
    export(checks, "resnet18", out, good=False, words=["--random-weights"])
    export(checks, "resnet_18", out, good=False, words=["resnet18"])
    export(checks, f"{place}:traced", out, "--layers", "stemm", good=False, words=["stemm", "blocks.0"])
    export(checks, f"{place}:traced", out, "--weights", __file__, good=False, words=["export_model.py"])
    export(checks, f"{place}:Reserved", out, good=False, words=["'class'", "rename"])
    check_precision(checks, out, place)
    checks.that(not out.exists() or not list(out.iterdir()), "a failed export leaves files", list(out.glob("*")))


def export_model(program, folder, checks):
    program.run(["demo", folder / "demo"])
    images = folder / "demo" / "data" / "images"
    place = folder / "networks.py"
    place.write_text(NETWORKS)
    models = folder / "models"
    export(checks, f"{place}:traced", models)
    check_record(checks, models / "traced.toml")
    check_layers(program, checks, models / "traced.toml")
    check_comparison(program, checks, models / "traced.toml", images, "--contiguous", "--spread", 0,
                     "--network", f"{place}:traced")
    check_comparison(program, checks, models / "traced.toml", images, "--layers", "blocks.0.relu", "logits[out]")
    export(checks, f"{place}:branches", models, "--script")
    check_comparison(program, checks, models / "branches.toml", images, "--contiguous", "--network", f"{place}:branches")
    export(checks, "squeezenet1_1", models, "--random-weights", 1, "--identifier", "untrained")
    check_comparison(program, checks, models / "untrained.toml", images, "--contiguous", "--network", "squeezenet1_1",
                     "--random-weights", 1)
    for name in ("bare", "named"):
        export(checks, f"{place}:{name}", models)
        check_comparison(program, checks, models / f"{name}.toml", images, "--network", f"{place}:{name}")
    code, told = program.answer(["layers", models / "bare.toml"])
    checks.that(code == 0 and "logits[positive]" in told, "a network without submodules is not listed", told)
    layers = tomllib.loads((models / "untrained.toml").read_text())["layers"]
    checks.that(len(layers) == 8 and {"features.12", "classifier.3"} < set(layers), "other candidates of SqueezeNet", layers)
    check_layouts(program, checks, models, place, images)
    check_copy(checks, models, folder / "copied")
    check_odd(program, checks, models, place, images, folder / "odd")
    check_candidates(checks, folder / "resnet")
    check_list(program, checks, models, place, images)
    check_encoder(program, checks, models, place, images)
    check_lazy(program, checks, models, place, images)
    check_repeated(program, checks, models, place, images)
    check_rowless(program, checks, models, place, images)
    check_outputs(checks, models, place)
    check_half(program, checks, folder, images)
    check_saved_for_gpus(program, checks, folder, place, images)
    check_refusals(checks, folder, place)


if __name__ == "__main__":
    main(export_model)
