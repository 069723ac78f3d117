"""Which layers the file of a network has: of those that forward calls, the ones that a trace or a script has kept.

What is left out is said on stderr.
"""
import dataclasses
import re
import sys

import torch


@dataclasses.dataclass
class Called:
    """What forward calls."""
    names: list    # of each submodule all, in the order of the first call
    several: set   # those that return several tensors
    blank: set     # those with several names and without parameters, by which a script would know that they are one
    calls: dict    # of each the last one: what it was given, and the shape of what it returned
    output: object  # the network's


def known_names(names, modules):
    """What a script takes `names` of one submodule for: it knows submodules by their parameters, and what is in them."""
    known = set()
    for name in names:
        place = ""
        for part in name.split("."):
            place = f"{place}.{part}" if place else part
            if next(modules[place].parameters(), None) is not None:
                place = next(other for other, module in modules.items() if module is modules[place])
        known.add(place)
    return known


def called_layers(network, images):
    """Without submodules that return a tensor without a row of real numbers for each image."""
    names, called, several, rowless, calls = {}, [], set(), set(), {}

    def note_call(module, inputs):
        called.append(module)
        given = [value.clone() if torch.is_tensor(value) else value for value in inputs]
        calls[module] = (given, None)

    def note(module, _, output):
        if not torch.is_tensor(output):
            several.update(names[module])
            return
        calls[module] = (calls[module][0], output.shape)
        if output.shape[:1] == images.shape[:1] and output.layout == torch.strided and not output.is_complex():
            rowless.discard(module)
        else:
            rowless.add(module)
    for name, module in network.named_modules(remove_duplicate=False):
        names.setdefault(module, []).append(name)
    hooks = [module.register_forward_pre_hook(note_call) for module in network.modules()]
    hooks += [module.register_forward_hook(note) for module in network.modules()]
    output = network(images.clone())
    for hook in hooks:
        hook.remove()
    layers = [module for module in dict.fromkeys(called) if "" not in names[module] and module not in rowless]
    modules = dict(network.named_modules(remove_duplicate=False))
    blank = {name for module in layers if len(known_names(names[module], modules)) > 1 for name in names[module]}
    last = {name: call for module, call in calls.items() if call[1] is not None for name in names[module]}
    return Called([names[module] for module in layers], several, blank, last, output)


def without(left_out, names, why):
    """The names but for those left out, of which it is said why."""
    told = [name for name in names if name in left_out]
    if told:
        print(f"export_model: {', '.join(told)}: {why}", file=sys.stderr)
    return [name for name in names if name not in left_out]


def without_lost(names, several):
    """A trace keeps of several tensors those that are used, in the order of their use."""
    return without(several, names, "of several tensors the trace has kept one, not always the first (--script keeps all)")


def without_blank(names, blank):
    """A script has them as so many submodules as they have names."""
    return without(blank, names, "stands for a submodule with several names, of which a script does not know that they are "
                                 "one (give each its own, or leave out --script)")


def last_call(traced):
    """A trace has forward, forward1, forward2, … for the calls of a submodule."""
    calls = [name for name in traced._c._method_names() if re.fullmatch(r"forward\d*", name)]
    return traced._c._get_method(max(calls, key=lambda name: int(name[len("forward"):] or 0)))


def gives_another_shape(traced, call):
    inputs, shape = call
    try:
        output = last_call(traced)(*inputs)
    except Exception:  # a trace hands it what it has used of other submodules too
        return False
    return torch.is_tensor(output) and output.shape != shape


def without_others(names, written, calls):
    """Where nobody uses what a submodule returns, but what it does to its input, a trace has it return that."""
    modules = dict(written.named_modules(remove_duplicate=False))
    others = [name for name in names if name in calls and gives_another_shape(modules[name], calls[name])]
    if others:
        print(f"export_model: {', '.join(others)}: the trace returns something else, as nothing uses what it returns "
              "(--script keeps it)", file=sys.stderr)
    return [name for name in names if name not in others]


def without_slashes(names):
    """HDF5, which activations are written to, parts names there."""
    unwritable = [name for name in names if "/" in name]
    if unwritable:
        print(f"export_model: {', '.join(unwritable)}: activations cannot be written under a name with '/'",
              file=sys.stderr)
    return [name for name in names if name not in unwritable]


def returns_tensor(module):
    """A submodule whose call a trace has lost, as of an identity, returns nothing, if only in one of several calls."""
    calls = [name for name in module._c._method_names() if re.fullmatch(r"forward\d*", name)]
    if "forward" not in calls:
        return False  # another name of a submodule, under which the trace does not call it
    graphs = [module._c._get_method(name).graph for name in calls]
    return all([output.type().kind() for output in graph.outputs()] == ["TensorType"] for graph in graphs)


def recordable(written, called):
    """One name of each called submodule: a trace calls one with several names by one of them."""
    modules = dict(written.named_modules(remove_duplicate=False))
    kept = []
    for names in called:
        of_tensors = [name for name in names if returns_tensor(modules[name])]
        if of_tensors and of_tensors[0] != names[0]:
            print(f"export_model: {names[0]}: is '{of_tensors[0]}' in the trace, another name of the same submodule",
                  file=sys.stderr)
        kept += of_tensors[:1]
    return kept


def left_in_copy(written, called):
    """Of TorchScript that was there already."""
    return without_slashes(recordable(written, called.names))


def left_in_trace(written, called):
    return without_others(without_lost(left_in_copy(written, called), called.several), written, called.calls)


def left_in_script(written, called):
    return without_blank(left_in_copy(written, called), called.blank)
