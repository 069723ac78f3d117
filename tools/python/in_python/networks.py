"""Networks of Python: those of torchvision by name, any torch.nn.Module by its place, and TorchScript files."""
import difflib
import importlib
import importlib.util
import inspect
import os
import sys

import torch
import torchvision

from . import script_hooks
from .precision import in_precision
from .published_weights import published_weights, with_published
from .reason import reason


class Unusable(Exception):
    """The network or its weights cannot be used; the text says why."""


def import_file(path):
    if not os.path.isfile(path):
        raise Unusable(f"{path}: no such file")
    name = os.path.splitext(os.path.basename(path))[0]
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))  # what it imports beside itself
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def from_place(place):
    """`file.py:name` or `package.module:name`; the name is of a module or of a function that makes one."""
    where, _, name = place.rpartition(":")
    try:
        module = import_file(where) if where.endswith(".py") else importlib.import_module(where)
    except (ImportError, SyntaxError) as error:
        raise Unusable(f"{place}: cannot be imported ({error})") from error
    if not hasattr(module, name):
        raise Unusable(f"{place}: {where} has no '{name}'")
    made = getattr(module, name)
    if not isinstance(made, torch.nn.Module) and not callable(made):
        raise Unusable(f"{place}: is {type(made).__name__}, neither a torch.nn.Module nor a function that makes one")
    try:
        network = made if isinstance(made, torch.nn.Module) else made()
    except TypeError as error:
        raise Unusable(f"{place}: cannot be called without arguments ({error})") from error
    if not isinstance(network, torch.nn.Module):
        raise Unusable(f"{place}: gives {type(network).__name__}, not a torch.nn.Module")
    return network


def from_torchvision(name):
    known = torchvision.models.list_models()
    if name not in known:
        near = difflib.get_close_matches(name, known)
        raise Unusable(f"{name}: no network of torchvision (" +
                       (f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(known)}") +
                       "), nor the place of another one, module.py:function")
    builder = torchvision.models.get_model_builder(name)
    accepted = inspect.signature(builder).parameters
    # Without these torchvision would fetch weights from the internet, or draw others beforehand.
    nothing = {key: None for key in ("weights", "weights_backbone") if key in accepted}
    return builder(**nothing)


def from_script(path):
    """Its submodules can have hooks."""
    if not os.path.isfile(path):
        raise Unusable(f"{path}: no such file")
    try:
        return script_hooks.without_script(path)
    except RuntimeError as error:
        raise Unusable(f"{path}: not a TorchScript network ({reason(error)})") from error


def is_script(spec):
    return spec.endswith((".ts", ".pt")) and ":" not in spec


def is_torchvision(spec):
    return ":" not in spec


def state_of(path):
    if not os.path.isfile(path):
        raise Unusable(f"{path}: no such file of weights")
    try:
        loaded = torch.load(path, map_location="cpu")
    except Exception as error:  # pickle raises whatever it likes on a file of another kind
        raise Unusable(f"{path}: not a file of torch.save ({reason(error)})") from error
    for key in ("state_dict", "model_state_dict", "model", "net"):
        if isinstance(loaded, dict) and isinstance(loaded.get(key), (dict, torch.nn.Module)):
            loaded = loaded[key]
    if isinstance(loaded, torch.nn.Module):
        loaded = loaded.state_dict()
    if not isinstance(loaded, dict) or not loaded or not all(torch.is_tensor(value) for value in loaded.values()):
        raise Unusable(f"{path}: holds no weights by name (a state_dict)")
    return loaded


def under_names_of(network, state):
    """Without what stands before all names, as torch.nn.DataParallel and Lightning put it there."""
    known = network.state_dict()
    while not any(name in known for name in state) and len({name.partition(".")[0] for name in state}) == 1:
        inner = {name.partition(".")[2]: value for name, value in state.items()}
        if "" in inner:
            break
        state = inner
    return state


def without_weights(spec):
    return from_torchvision(spec) if is_torchvision(spec) else from_place(spec)


def with_weights(spec, path):
    """Those of a file."""
    network = without_weights(spec)
    state = under_names_of(network, state_of(path))
    try:
        if published := published_weights(spec, path):
            return with_published(spec, published, state)
        network.load_state_dict(state)
    except (RuntimeError, TypeError) as error:
        mismatches = " ".join(str(error).split())
        raise Unusable(f"{path}: not the weights of this network ({mismatches[:600]})") from error
    return network


def call_all_parts(network):
    """In evaluation torch's encoder layers are one operator, and call none of their submodules, unless they have this
    mark of an activation that the operator does not know. Values differ in the last digits."""
    for module in network.modules():
        if isinstance(module, torch.nn.TransformerEncoderLayer):
            module.activation_relu_or_gelu = 0


def shape_lazy_parts(network, pixels):
    """Parts such as torch.nn.LazyLinear have weights only after their first call."""
    if not any(torch.nn.parameter.is_lazy(tensor) for tensor in [*network.parameters(), *network.buffers()]):
        return
    # Numbers of its own: those that weights are drawn from stay as they were.
    image = torch.randn(1, 3, pixels, pixels, generator=torch.Generator().manual_seed(1))
    try:
        with torch.no_grad():
            network(image)
    except Exception as error:  # a module may have anything in it
        raise Unusable(f"the network has lazy parts, whose weights an image of {pixels} pixels is to shape, and fails "
                       f"on it ({reason(error)})") from error


def make_network(spec, weights=None, seed=None, pixels=224):
    """In evaluation mode, float32, on the CPU, with all submodules called. `seed`: of random weights; without both,
    torchvision is refused. `pixels`: side of the images that lazy parts are made for."""
    if spec in torchvision.models.list_models() and weights is None and seed is None:
        raise Unusable(f"{spec}: weights are needed: --weights FILE.pth, or --random-weights SEED")
    if is_script(spec):
        if weights is not None or seed is not None:
            raise Unusable(f"{spec}: has weights of its own, leave out --weights and --random-weights")
        return from_script(spec)
    torch.manual_seed(0 if seed is None else seed)
    network = without_weights(spec) if weights is None else with_weights(spec, weights)
    call_all_parts(network)
    network = in_precision(network).cpu().eval()
    shape_lazy_parts(network, pixels)
    return network.requires_grad_(False)
