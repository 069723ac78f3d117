"""The published weights of torchvision's networks: known by their files' names, read from a file that is at hand, and
how images reach a network as torchvision states it for each of them."""
import os
import tempfile

import torch
import torchvision


# With published weights their input is transformed from one normalisation to another.
TRANSFORMED = ["googlenet", "inception_v3"]


def weights_of(network):
    """The oldest first; none for what is no network of torchvision."""
    return list(torchvision.models.get_model_weights(network)) if network in torchvision.models.list_models() else []


def published_weights(network, file):
    """Those that are published as a file of this name, or nothing."""
    name = os.path.basename(file or "")
    return next((weights for weights in weights_of(network) if os.path.basename(weights.url) == name), None)


def with_published(network, weights, state):
    """The network as torchvision makes it for these weights, which may be more than to load them by name: Inception's
    input is transformed, SWAG's images are larger."""
    before = torch.hub.get_dir()
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "checkpoints"))
        torch.save(state, os.path.join(folder, "checkpoints", os.path.basename(weights.url)))
        torch.hub.set_dir(folder)  # where torchvision finds them, and fetches nothing
        try:
            return torchvision.models.get_model_builder(network)(weights=weights)
        finally:
            torch.hub.set_dir(before)


def options_of(weights):
    """Of networks that classify images, else nothing."""
    stated = weights.transforms()
    if len(getattr(stated, "crop_size", [])) != 1:
        return {}
    return {"resize": list(stated.resize_size), "crop": stated.crop_size[0], "interpolation": stated.interpolation.value,
            "mean": list(stated.mean), "std": list(stated.std)}


def stated_preprocessing(network, file):
    """The options, and whose they are: of the weights that are published under the file's name, else of the oldest of
    those for the smallest images, which networks take without weights. Nothing where torchvision states none."""
    choices = [(weights, options) for weights in weights_of(network) if (options := options_of(weights))]
    if not choices:
        return {}, ""
    published = published_weights(network, file)
    usual = min(choices, key=lambda each: each[1]["crop"])
    weights, options = next((each for each in choices if each[0] == published), usual)
    origin = f"as torchvision states it for {weights}"
    if weights != published and any(other != options for _, other in choices):
        origin += ", other weights want another: see --weights"
    if weights != published and network in TRANSFORMED and file:
        origin += ", which transforms the input of its published weights, but not of these: see --weights"
    return options, origin
