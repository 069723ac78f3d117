#!/usr/bin/python3
"""Networks of Python are exported with their records, listed and recorded as PyTorch's forward hooks see them.

usage: export_model.py VENTRAL MPIRUN; ends with 77 (skipped) without torch and what the tools need.
"""
import hashlib
import json
import subprocess
import tomllib

from program import environment, main
from torch_tools import ODD_NETWORKS, PIXELS, REFUSED_NETWORKS, check_comparison, demo_images, export, tool

import torch  # after torch_tools, which sets what it loads with
import torchvision
from in_python import published_weights


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


def check_candidates(checks, folder):
    """ResNet's stages are four of its ten children, and have eight blocks."""
    export(checks, "resnet18", folder, "--random-weights", 0)
    layers = tomllib.loads((folder / "resnet18.toml").read_text())["layers"]
    checks.that(layers == [f"layer{stage}.{block}" for stage in range(1, 5) for block in range(2)],
                "not all blocks of a ResNet are candidates", layers)


def check_copy(checks, models, folder):
    """TorchScript is taken as it is."""
    export(checks, models / "traced.ts", folder)
    original, copy = (tomllib.loads((place / "traced.toml").read_text()) for place in (models, folder))
    checks.that(original == copy, "another record of a TorchScript file", f"{original}\n{copy}")
    checks.that((models / "traced.ts").read_bytes() == (folder / "traced.ts").read_bytes(), "a copy differs")


def check_lazy(program, checks, models, images):
    """64 pixels give 4 x 15 x 15 features to the last layer."""
    export(checks, f"{ODD_NETWORKS}:lazy", models)
    check_comparison(program, checks, models / "lazy.toml", images, "--contiguous", "--network", f"{ODD_NETWORKS}:lazy")


def check_outputs(checks, models):
    """Of several outputs the likeliest is read out, and that is said."""
    export(checks, f"{ODD_NETWORKS}:Outputs", models, words=['readout_layer = "logits[logits]"', "aux, out, logits"])
    record = tomllib.loads((models / "Outputs.toml").read_text())
    checks.that(record["readout_layer"] == "logits[logits]", "another output is read out", record)


def check_precision(checks, folder):
    """What sizes have no part in is not to be cured by them."""
    code, told = tool("export_model", f"{REFUSED_NETWORKS}:Halving", "--out", folder, "--crop", PIXELS, "--resize")
    checks.that(code == 1 and "float32" in told and "Traceback" not in told, "a network of mixed precision", told)
    checks.that("--crop" not in told and "--batch-size" not in told, "advice about sizes where types differ", told)


def check_refusals(checks, folder):
    out = folder / "refused"
    export(checks, f"{ODD_NETWORKS}:traced", folder / "models", good=False, words=["is there already", "--force"])
    export(checks, f"{ODD_NETWORKS}:branches", out, good=False, words=["--script"])
    export(checks, f"{ODD_NETWORKS}:nothing", out, "--mean", 123, 116, 103, good=False, words=["nothing", "divide it by 255"])
    export(checks, f"{REFUSED_NETWORKS}:Adapting", out, good=False, words=["--script", "refused_networks.py:"])
    export(checks, f"{REFUSED_NETWORKS}:Reusing", out, "--layers", "relu", good=False, words=["relu: is 'body.1'", "no relu"])
    export(checks, f"{folder}/absent.py:make", out, good=False, words=["absent.py"])
    export(checks, "resnet18", out, good=False, words=["--random-weights"])
    export(checks, "resnet_18", out, good=False, words=["resnet18"])
    export(checks, f"{ODD_NETWORKS}:traced", out, "--layers", "stemm", good=False, words=["stemm", "blocks.0"])
    export(checks, f"{ODD_NETWORKS}:traced", out, "--weights", __file__, good=False, words=["export_model.py"])
    export(checks, f"{REFUSED_NETWORKS}:Reserved", out, good=False, words=["'class'", "rename"])
    export(checks, f"{REFUSED_NETWORKS}:Deforming", out, good=False, words=["torchvision::deform_conv2d", "not supported"])
    for other in ("grey", "Comparing"):
        export(checks, f"{REFUSED_NETWORKS}:{other}", out, good=False, words=["does not take a batch of images"])
    check_precision(checks, out)
    checks.that(not out.exists() or not list(out.iterdir()), "a failed export leaves files", list(out.glob("*")))


def check_traced(program, checks, models, images):
    export(checks, f"{ODD_NETWORKS}:traced", models)
    check_record(checks, models / "traced.toml")
    check_layers(program, checks, models / "traced.toml")
    check_comparison(program, checks, models / "traced.toml", images, "--contiguous", "--spread", 0,
                     "--network", f"{ODD_NETWORKS}:traced")
    check_comparison(program, checks, models / "traced.toml", images, "--layers", "blocks.0.relu", "logits[out]")


def check_scripted(program, checks, models, images):
    export(checks, f"{ODD_NETWORKS}:branches", models, "--script")
    check_comparison(program, checks, models / "branches.toml", images, "--contiguous", "--network", f"{ODD_NETWORKS}:branches")


def check_torchvision(program, checks, models, images):
    export(checks, "squeezenet1_1", models, "--random-weights", 1, "--identifier", "untrained")
    check_comparison(program, checks, models / "untrained.toml", images, "--contiguous", "--network", "squeezenet1_1",
                     "--random-weights", 1)
    layers = tomllib.loads((models / "untrained.toml").read_text())["layers"]
    checks.that(len(layers) == 8 and {"features.12", "classifier.3"} < set(layers), "other candidates of SqueezeNet", layers)


def check_names(program, checks, models, images):
    """No submodule at all, and one with the name of the output."""
    for name in ("bare", "named"):
        export(checks, f"{ODD_NETWORKS}:{name}", models)
        check_comparison(program, checks, models / f"{name}.toml", images, "--network", f"{ODD_NETWORKS}:{name}")
    code, told = program.answer(["layers", models / "bare.toml"])
    checks.that(code == 0 and "logits[positive]" in told, "a network without submodules is not listed", told)


def check_published(checks, folder):
    """Weights under the name of their published file are loaded as torchvision does, which transforms GoogLeNet's
    input and drops what it was trained with beside; preprocessing is that of these weights."""
    network = torchvision.models.googlenet(init_weights=False, aux_logits=True, transform_input=True)
    weights = folder / "googlenet-1378be20.pth"
    torch.save(network.state_dict(), weights)
    code, told = tool("export_model", "googlenet", "--weights", weights, "--out", folder, "--layers", "conv1",
                      "--memory-layout", "contiguous", "--batch-size", 1)
    checks.that(code == 0 and "as torchvision states it for GoogLeNet_Weights.IMAGENET1K_V1" in told, "published weights", told)
    images = torch.rand(1, 3, 224, 224)
    with torch.no_grad():
        same = torch.equal(torch.jit.load(folder / "googlenet.ts")(images), network.eval()(images))
    checks.that(same, "published weights are loaded otherwise than by torchvision")
    for name, file, expected in [("resnet50", "resnet50-11ad3fa6.pth", (232, 224, "V2")), ("resnet50", None, (256, 224, "another")),
                                 ("inception_v3", "mine.pth", (342, 299, "not of these")), ("swin_t", None, (232, 224, "V1"))]:
        stated, origin = published_weights.stated_preprocessing(name, file)
        checks.that((*stated["resize"], stated["crop"]) == expected[:2] and expected[2] in origin,
                    f"other preprocessing of {name}", f"{stated} {origin}")
    for name in ("fcn_resnet50", "s3d", f"{ODD_NETWORKS}:traced"):
        checks.that(published_weights.stated_preprocessing(name, None) == ({}, ""), f"preprocessing of {name}")


def export_model(program, folder, checks):
    images, models = demo_images(program, folder), folder / "models"
    check_traced(program, checks, models, images)
    check_scripted(program, checks, models, images)
    check_torchvision(program, checks, models, images)
    check_names(program, checks, models, images)
    check_copy(checks, models, folder / "copied")
    check_candidates(checks, folder / "resnet")
    check_lazy(program, checks, models, images)
    check_outputs(checks, models)
    check_published(checks, folder)
    check_refusals(checks, folder)


if __name__ == "__main__":
    main(export_model)
