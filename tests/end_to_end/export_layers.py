#!/usr/bin/python3
"""Which submodules of odd networks are layers, and what is recorded of them, compared with PyTorch's forward hooks.

usage: export_layers.py VENTRAL MPIRUN; ends with 77 (skipped) without torch and what the tools need.
"""
import tomllib

from program import main
from torch_tools import HOOKED_NETWORKS, ODD_NETWORKS, check_comparison, demo_images, export


def check_talking(program, checks, models, images):
    """What a network prints is not taken for a result."""
    export(checks, f"{ODD_NETWORKS}:talking", models, "--script", good=False, words=["--batch-size 1"])
    export(checks, f"{ODD_NETWORKS}:talking", models, "--script", "--batch-size", 1)
    check_comparison(program, checks, models / "talking.toml", images, "--contiguous", "--network", f"{ODD_NETWORKS}:talking")


def check_twice(program, checks, models, images, copies):
    """Of calls under several names the last one counts."""
    for options in ([], ["--script"]):
        export(checks, f"{ODD_NETWORKS}:twice", models, "--force", *options)
        check_comparison(program, checks, models / "twice.toml", images, "--contiguous", "--spread", 0,
                         "--network", f"{ODD_NETWORKS}:twice")
    layers = tomllib.loads((models / "twice.toml").read_text())["layers"]
    checks.that({"stem", "stem.0", "block"} < set(layers), "other candidates of a network with two names", layers)
    export(checks, models / "twice.ts", copies)
    again = tomllib.loads((copies / "twice.toml").read_text())["layers"]
    checks.that(again == layers, "other candidates of its TorchScript", again)


def check_scales(program, checks, models, images):
    """Submodules that only numbers tell apart."""
    export(checks, f"{ODD_NETWORKS}:scales", models, "--script")
    for source in ([], ["--network", f"{ODD_NETWORKS}:scales"]):
        check_comparison(program, checks, models / "scales.toml", images, "--contiguous", "--layers", "small", "large",
                         "shifted", *source)


def check_tied(program, checks, models, images):
    """Submodules that share all weights are layers of their own."""
    for options in ([], ["--script"]):
        export(checks, f"{ODD_NETWORKS}:tied", models, "--force", *options)
        check_comparison(program, checks, models / "tied.toml", images, "--contiguous", "--layers", "steps.0", "steps.0.conv",
                         "steps.1.conv", "last", "--network", f"{ODD_NETWORKS}:tied")
        code, told = program.answer(["layers", models / "tied.toml"])
        checks.that(code == 0 and "another name of it" not in told, "submodules with tied weights", told)


def check_lent(program, checks, models, images):
    """A call by a block that the layer is not part of counts as any other."""
    export(checks, f"{ODD_NETWORKS}:lent", models)
    check_comparison(program, checks, models / "lent.toml", images, "--contiguous", "--layers", "block.conv",
                     "--network", f"{ODD_NETWORKS}:lent")


def check_auxiliary(program, checks, models, images):
    """A head for training only is no layer."""
    for options, left_out in (([], "head:"), (["--script"], "act:")):
        export(checks, f"{ODD_NETWORKS}:auxiliary", models, "--force", *options, words=[left_out])
        layers = tomllib.loads((models / "auxiliary.toml").read_text())["layers"]
        checks.that({"stem", "frames", "sizes"} < set(layers) and left_out[:-1] not in layers, "a layer that is another", layers)
        check_comparison(program, checks, models / "auxiliary.toml", images, "--contiguous", "--layers", *layers,
                         "--network", f"{ODD_NETWORKS}:auxiliary")


def check_list(program, checks, models, images):
    """Of a list a member has to be chosen; what cannot be written is no candidate."""
    export(checks, f"{ODD_NETWORKS}:listed", models, words=["stem/1"])
    record = tomllib.loads((models / "listed.toml").read_text())
    checks.that(record["readout_layer"] == "logits[0]" and record["layers"] == ["relu"], "a list: another record", record)
    check_comparison(program, checks, models / "listed.toml", images, "--contiguous", "--layers", "relu", "logits[0]")


def check_containers(program, checks, models, images, copies):
    """Lists, dicts and texts in a script, which its hooks run in Python."""
    export(checks, f"{HOOKED_NETWORKS}:containers", models, "--script")
    for source in ([], ["--network", f"{HOOKED_NETWORKS}:containers"]):
        check_comparison(program, checks, models / "containers.toml", images, "--contiguous", "--layers", "stem", "act",
                         "logits", *source)
    export(checks, models / "containers.ts", copies)


def check_precision(program, checks, models, images, copies):
    """Complex weights stay complex, and doubles beside float32 doubles."""
    for name in ("waves", "doubled"):
        export(checks, f"{HOOKED_NETWORKS}:{name}", models)
        check_comparison(program, checks, models / f"{name}.toml", images)
        export(checks, models / f"{name}.ts", copies)


def check_lesioned(program, checks, models, images):
    """A layer is what its forward hooks make of it, in a trace too."""
    export(checks, f"{HOOKED_NETWORKS}:lesioned", models)
    check_comparison(program, checks, models / "lesioned.toml", images, "--contiguous", "--layers", "stem", "act", "logits",
                     "--network", f"{HOOKED_NETWORKS}:lesioned")


def check_encoder(program, checks, models, images):
    """The parts of a transformer's encoder layer are layers too."""
    for options in ([], ["--script"]):
        export(checks, f"{ODD_NETWORKS}:encoder", models, "--force", *options)
        layers = tomllib.loads((models / "encoder.toml").read_text())["layers"]
        parts = [f"encoder.layers.0.{part}" for part in ("self_attn", "linear1", "linear2", "norm2")]
        checks.that(set(parts[1:]) < set(layers), "a transformer's layers are no candidates", layers)
        for source in ([], ["--network", f"{ODD_NETWORKS}:encoder"]):
            check_comparison(program, checks, models / "encoder.toml", images, "--contiguous", "--layers", *parts,
                             "encoder", *source)


def check_repeated(program, checks, models, images):
    """What only some calls of a layer return cannot be recorded, and is not offered."""
    export(checks, f"{ODD_NETWORKS}:repeated", models)
    record = tomllib.loads((models / "repeated.toml").read_text())
    checks.that(record["layers"] == ["stem"], "candidates that a later call does not return", record)
    code, told = program.answer(["layers", models / "repeated.toml"])
    checks.that(code == 0 and "cell " in told and "cell[1]" not in told and "\nhead" not in told,
                "layers that a later call does not return", told)
    check_comparison(program, checks, models / "repeated.toml", images, "--contiguous", "--layers", "stem", "cell",
                     "--network", f"{ODD_NETWORKS}:repeated")


def check_rowless(program, checks, models, images):
    """Layers that have no row for each image are no candidates, and are not measured."""
    export(checks, f"{ODD_NETWORKS}:rowless", models)
    record = tomllib.loads((models / "rowless.toml").read_text())
    checks.that(record["layers"] == ["conv"], "candidates without a row for each image", record)
    check_comparison(program, checks, models / "rowless.toml", images, "--contiguous", "--network", f"{ODD_NETWORKS}:rowless")
    export(checks, f"{ODD_NETWORKS}:rowless", models, "--force", "--layers", "place", good=False, words=["a row for each image"])


def export_layers(program, folder, checks):
    images, models = demo_images(program, folder), folder / "models"
    check_talking(program, checks, models, images)
    check_containers(program, checks, models, images, folder / "copies_of_hooked")
    check_precision(program, checks, models, images, folder / "copies_of_hooked")
    check_lesioned(program, checks, models, images)
    check_twice(program, checks, models, images, folder / "copies")
    check_scales(program, checks, models, images)
    check_tied(program, checks, models, images)
    check_lent(program, checks, models, images)
    check_auxiliary(program, checks, models, images)
    check_list(program, checks, models, images)
    check_encoder(program, checks, models, images)
    check_repeated(program, checks, models, images)
    check_rowless(program, checks, models, images)


if __name__ == "__main__":
    main(export_layers)
