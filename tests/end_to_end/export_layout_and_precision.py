#!/usr/bin/python3
"""Networks in another memory layout or precision than the usual: what is exported, and compared with forward hooks.

usage: export_layout_and_precision.py VENTRAL MPIRUN; ends with 77 (skipped) without torch and what the tools need.
"""
import tomllib

from program import main
from torch_tools import LAYOUT_NETWORKS, PIXELS, check_comparison, demo_images, export

import layout_and_precision_networks as networks  # after torch_tools, which sets what torch loads with
import torch
from in_python import memory_layout


def check_kernels_of_one_pixel(checks):
    """By their strides alone PyTorch knows in which layout they run."""
    other = memory_layout.in_channels_last(torch.nn.Conv2d(4, 8, 1))
    expected = torch.nn.Conv2d(4, 8, 1).to(memory_format=torch.channels_last)
    checks.that(other.weight.stride() == expected.weight.stride(), "1 x 1 weights in channels_last", other.weight.stride())


def check_layouts(program, checks, models, images):
    """Networks that the faster memory layout is not for."""
    export(checks, f"{LAYOUT_NETWORKS}:strided", models, "--script", "--images", images, words=['"contiguous"', "16 photographs"])
    check_comparison(program, checks, models / "strided.toml", images)
    export(checks, f"{LAYOUT_NETWORKS}:viewed", models, words=['"contiguous"', "fails"])
    for name in ("strided", "viewed"):
        record = tomllib.loads((models / f"{name}.toml").read_text())
        checks.that(record["memory_layout"] == "contiguous", f"another memory layout of {name}", record)


def check_shortened(program, checks, models, images):
    """Layers of bfloat16 and of quantised numbers."""
    export(checks, f"{LAYOUT_NETWORKS}:shortened", models)
    check_comparison(program, checks, models / "shortened.toml", images, "--contiguous", "--layers", "conv", "relu",
                     "fewer", "head", "--network", f"{LAYOUT_NETWORKS}:shortened")


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


def check_saved_for_gpus(program, checks, folder, images):
    """What is no weight asks for half precision or CUDA too: constants of a frozen network, lists, attributes, casts."""
    scripts = {name: torch.jit.script(networks.seeded(getattr(networks, name)).eval())
               for name in ("InList", "OfType", "OnDevice", "Mixed")}
    scripts["Frozen"] = torch.jit.freeze(torch.jit.script(networks.front().eval()), optimize_numerics=False)
    scripts["FrozenShort"] = torch.jit.freeze(torch.jit.script(networks.short_front()), optimize_numerics=False)
    for name, script in scripts.items():
        script.save(folder / f"{name}.ts")
        (folder / f"{name}.toml").write_text(FRONT.format(name=name, pixels=PIXELS))
        original = {"InList": "without_bias", "Mixed": "without_bias", "FrozenShort": "short_front"}.get(name, "front")
        check_comparison(program, checks, folder / f"{name}.toml", images, "--contiguous", "--layers", "logits",
                         "--network", f"{LAYOUT_NETWORKS}:{original}")


def check_frozen_short(program, checks, folder):
    """A frozen network of bfloat16 is run in float32, unless it makes bfloat16 of the images itself."""
    short = {"given": networks.short_front(), "cast": networks.seeded(networks.OfShortType).bfloat16().eval()}
    for name, network in short.items():
        path = folder / f"{name}.ts"
        torch.jit.freeze(torch.jit.script(network), optimize_numerics=False).save(path)
        code, told = program.answer(["layers", path, "--input-size", PIXELS])
        checks.that(code == 0 and ("half precision (BFloat16)" in told) == (name == "given"), f"frozen bfloat16, {name}", told)


def export_layout_and_precision(program, folder, checks):
    images, models = demo_images(program, folder), folder / "models"
    check_kernels_of_one_pixel(checks)
    check_layouts(program, checks, models, images)
    check_shortened(program, checks, models, images)
    check_half(program, checks, folder, images)
    check_saved_for_gpus(program, checks, folder, images)
    check_frozen_short(program, checks, folder)


if __name__ == "__main__":
    main(export_layout_and_precision)
