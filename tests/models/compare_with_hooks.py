"""Compares all layers of real networks, recorded by RECORD_LAYERS, with PyTorch's forward hooks.

usage: compare_with_hooks.py RECORD_LAYERS; ends with 77 (skipped) without torch or the networks.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools" / "python"))

try:
    import numpy
    import torch
    import torchvision
    from in_python.script_hooks import hooked, without_script
except ImportError as error:
    print(error)
    sys.exit(77)

PIXELS = {"squeezenet1_0_imagenet": 224, "mobilenet_v2_100_224": 224, "cifar10_resnet20": 32}
BATCH = 4
# Sums in another order: the largest difference over the largest value of the layer. Deep layers of MobileNetV2 lose more
# than that to float32 itself, how much depends on the processor: there no further from the network in double precision
# than this many times as far as PyTorch.
CHANNELS_LAST_TOLERANCE, TIMES_ROUNDING = 1e-5, 3


def python_network(path, precision):
    weights = path.with_suffix(".pth")
    if not weights.exists():
        return without_script(path, precision)
    network = torchvision.models.squeezenet1_0()
    network.load_state_dict(torch.load(weights))
    return network.eval().to(precision)


def recorded(program, path, layout, images):
    with tempfile.NamedTemporaryFile(suffix=".f32") as file:
        images.tofile(file.name)
        sizes = [str(size) for size in images.shape]
        run = subprocess.run([program, str(path), layout, file.name, *sizes], capture_output=True)
    if run.returncode != 0:
        sys.exit(run.stderr.decode())
    layers, values, begin = {}, numpy.frombuffer(run.stdout, numpy.float32), 0
    for line in run.stderr.decode().splitlines():
        name, *shape = line.split()
        shape = (images.shape[0], *map(int, shape))
        layers[name] = values[begin:begin + numpy.prod(shape)].reshape(shape)
        begin += numpy.prod(shape)
    assert begin == values.size
    return layers


def apart(wanted, layer):
    return abs(wanted - layer).max() / abs(wanted).max()


def compare(program, path, pixels):
    images = numpy.random.default_rng(0).normal(size=(BATCH, 3, pixels, pixels)).astype(numpy.float32)
    wanted = hooked(python_network(path, torch.float32), images)
    exact = hooked(python_network(path, torch.float64), images.astype(numpy.float64))
    failures = []
    for layout in ("contiguous", "channels_last"):
        layers = recorded(program, path, layout, images)
        missing = sorted(set(wanted) ^ set(layers))
        if missing:
            failures.append(f"{layout}: only on one side: {missing}")
        worst = 0.0
        for name in set(wanted) & set(layers):
            difference = apart(wanted[name], layers[name])
            worst = max(worst, difference)
            if layout == "contiguous":
                same = layers[name].tobytes() == wanted[name].tobytes()
            else:
                same = difference <= CHANNELS_LAST_TOLERANCE or (
                    apart(exact[name], layers[name]) <= TIMES_ROUNDING * apart(exact[name], wanted[name]))
            if not same:
                failures.append(f"{layout}: {name} differs by {difference:.2g}")
        print(f"{path.name}, {layout}: {len(layers)} layers, largest relative difference {worst:.2g}")
    return failures


def main():
    folder = pathlib.Path(os.environ.get("VENTRAL_SHARED", "")) / "data" / "models"
    if not folder.is_dir():
        print(f"skipped: no networks in {folder}")
        sys.exit(77)
    torch.set_num_threads(1)
    failures = []
    for name, pixels in PIXELS.items():
        failures += compare(sys.argv[1], folder / f"{name}.ts", pixels)
    print("\n".join(failures))
    sys.exit(1 if failures else 0)


main()
