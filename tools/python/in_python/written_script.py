"""A network written as TorchScript, loaded again and compared with what it was."""
import contextlib
import keyword
import re
import warnings

import torch

from .networks import Unusable, is_script
from .precision import in_precision
from .reason import reason

# The same operators in another order of the additions.
ALLOWED = 1e-5


def is_traced(arguments):
    return not arguments.script and not is_script(arguments.network)


@contextlib.contextmanager
def tied_submodules_numbered(network):
    """A script has a submodule once for each of its names, and nothing else tells it from others with tied weights."""
    tied = {}
    for _, module in network.named_modules(remove_duplicate=False):
        weights = tuple(map(id, module.parameters()))
        if weights and not isinstance(module, torch.jit.ScriptModule):
            tied.setdefault((type(module), weights), []).append(module)
    numbered = dict.fromkeys(module for several in tied.values() if len(several) > 1 for module in several)
    for number, module in enumerate(numbered):
        module.number_among_tied = number
    try:
        yield
    finally:
        for module in numbered:
            del module.number_among_tied


def with_hooks(module, hooks):
    """`_slow_forward`, which is how a trace calls the module, and `forward`, which has the hooks then and not where the
    network calls it by itself."""
    forward, slow_forward, calls = module.forward, module._slow_forward, []

    def called(*inputs, **named):
        calls.append(module)
        return slow_forward(*inputs, **named)

    def hooked(*inputs, **named):
        is_called = calls and calls.pop()
        output = forward(*inputs, **named)
        for hook in hooks.values() if is_called else ():
            changed = hook(module, inputs, output)
            output = output if changed is None else changed
        return output
    return called, hooked


@contextlib.contextmanager
def hooks_inside(network):
    """A trace has what forward hooks do behind the call of their submodule: a layer would be what it was without."""
    hooked = {module: (module._forward_hooks, vars(module).get("forward")) for module in network.modules()
              if module._forward_hooks and not isinstance(module, torch.jit.ScriptModule)}
    for module, (hooks, _) in hooked.items():
        module._slow_forward, module.forward = with_hooks(module, hooks)
        module._forward_hooks = type(hooks)()
    try:
        yield
    finally:
        for module, (hooks, own_forward) in hooked.items():
            del module._slow_forward, module.forward
            if own_forward is not None:
                module.forward = own_forward
            module._forward_hooks = hooks


def to_script(network):
    with tied_submodules_numbered(network):
        try:
            return torch.jit.script(network)
        except Exception as error:  # the compiler of TorchScript raises many kinds
            raise Unusable(f"the network cannot be scripted ({reason(error)}), try without --script") from error


def to_trace(network, images):
    """The trace, and the places FILE:LINE at which Python was given a value of a tensor, which is a constant in it."""
    with warnings.catch_warnings(record=True) as told, tied_submodules_numbered(network), hooks_inside(network):
        warnings.simplefilter("always", torch.jit.TracerWarning)
        try:
            # Not strict: forward may return a dict. The check of torch would compare with the same shape only.
            traced = torch.jit.trace(network, images, strict=False, check_trace=False)
        except Exception as error:  # the tracer raises many kinds
            raise Unusable(f"the network cannot be traced ({reason(error)}), try with --script") from error
    others = [each for each in told if not issubclass(each.category, torch.jit.TracerWarning)]
    for each in others:
        warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)
    return traced, list(dict.fromkeys(f"{each.filename}:{each.lineno}" for each in told if each not in others))


def tensors_of(output):
    """All tensors of an output in a fixed order."""
    if torch.is_tensor(output):
        return [output]
    if isinstance(output, dict):
        return [tensor for key in sorted(output) for tensor in tensors_of(output[key])]
    if isinstance(output, (tuple, list)):
        return [tensor for member in output for tensor in tensors_of(member)]
    return []


def largest_difference(ours, theirs):
    ours, theirs = tensors_of(ours), tensors_of(theirs)
    if not theirs or len(ours) != len(theirs) or any(a.shape != b.shape for a, b in zip(ours, theirs)):
        return float("inf")
    worst = 0.0
    for a, b in zip(ours, theirs):
        if torch.bool in (a.dtype, b.dtype):  # has no difference
            a, b = a.float(), b.float()
        differs = (a != b) & ~(a.isnan() & b.isnan())
        if not differs.any():
            continue
        scale = max(b[b.isfinite()].abs().max().item(), 1e-30) if b.isfinite().any() else 1.0
        difference = (a - b)[differs].abs().max().item() / scale
        worst = max(worst, difference if difference == difference else float("inf"))
    return worst


def made_up_images(count, size):
    """Noise: black images are refused by some networks, or lead them another way."""
    return torch.randn(count, 3, size, size, generator=torch.Generator().manual_seed(count))


def answer(network, which, images, advice=""):
    try:
        return network(images.clone())
    except Exception as error:  # a module may have anything in it
        raise Unusable(f"{which} fails on {len(images)} images ({reason(error)}){advice}") from error


def refused_names(network):
    """Of submodules: the words of TorchScript and characters that it does not write as it reads them."""
    parts = dict.fromkeys(part for name, _ in network.named_modules() for part in name.split(".") if part)
    return [part for part in parts if part == "torch" or keyword.iskeyword(part) or not part.isascii() or
            not part.isprintable() or set(part) & set('"\\')]


def save_script(script, path):
    try:
        script.save(path)
    except Exception as error:  # TorchScript raises many kinds
        raise Unusable(f"the network cannot be saved ({reason(error)})") from error


def refuse_foreign_operators(script):
    """The program loads no library of further operators."""
    foreign = sorted(set(re.findall(r"\btorchvision::\w+", str(script.inlined_graph))))
    if foreign:
        raise Unusable(f"the network needs {', '.join(foreign)}, and operators that torch itself does not have are not "
                       "supported")


def load_script(path, network):
    try:
        return in_precision(torch.jit.load(path, map_location="cpu").eval())
    except Exception as error:  # TorchScript raises many kinds
        names = ", ".join(map(repr, refused_names(network)))
        cure = f": TorchScript may not take submodules named {names}, rename them" if names else ""
        raise Unusable(f"what was written cannot be loaded again ({reason(error)}){cure}") from error


def check(network, path, arguments):
    """Compares the file with the network; the largest relative difference of any output, and what the file holds, with
    weights of float32 as in the program."""
    written = load_script(path, network)
    refuse_foreign_operators(written)
    lost = ": forward depends on its input in a way that a trace loses, try --script" if is_traced(arguments) else ""
    worst = 0.0
    with torch.no_grad():
        for batch in (1, 2, 3) if arguments.batch_size > 1 else (1,):
            images = made_up_images(batch, arguments.crop)
            expected = answer(network, "the network", images)
            worst = max(worst, largest_difference(answer(written, "what was written", images, lost), expected))
    if worst > ALLOWED:
        cause = f"{lost}; or it is random" if lost else ": it is random, or remembers what it was shown before"
        raise Unusable(f"what was written gives other outputs than the network (relative difference {worst:.2g}){cause}")
    return worst, written
