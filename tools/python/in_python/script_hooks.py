"""Forward hooks on every submodule of a network, also of one that was saved as TorchScript."""
import __future__
import functools
import itertools
import math
import operator
import re
import types
import typing

import torch

from .precision import in_precision


def tensor_of(numbers, dtype=None, device=None, requires_grad=False):
    """`torch.ops` takes one number."""
    tensor = torch.tensor(numbers)
    return tensor if dtype is None else torch.ops.aten.to(tensor, dtype)


# Of lists, dicts and texts, where Python says it otherwise or hands out views.
ON_CONTAINERS = {
    "Delete": operator.delitem, "add_": operator.iadd, "as_tensor": tensor_of, "dict": dict,
    "items": lambda of: list(of.items()), "keys": lambda of: list(of.keys()), "list": list, "mul_": operator.imul,
    "percentFormat": lambda of, *values: of % values, "slice": lambda of, start=None, end=None, step=1: of[start:end:step],
    "sort": lambda of, reverse=False: of.sort(reverse=reverse), "tensor": tensor_of,
    "values": lambda of: list(of.values())}


class Operators:
    """`torch` as TorchScript prints it: the operators, some of which Python has only as methods."""
    __is__, __isnot__ = staticmethod(operator.is_), staticmethod(operator.is_not)
    _set_item, format = staticmethod(operator.setitem), staticmethod(str.format)

    @staticmethod
    def warn(message, stacklevel=2):
        """Nobody needs to hear it twice."""

    def __getattr__(self, name):
        on_tensors = getattr(torch.ops.aten, name)
        on_numbers = getattr(operator, name, on_tensors)

        def call(*arguments, **named):
            if arguments and isinstance(arguments[0], (list, dict, str)):
                if name in ON_CONTAINERS:
                    return ON_CONTAINERS[name](*arguments, **named)
                if hasattr(arguments[0], name):
                    return getattr(arguments[0], name)(*arguments[1:])  # torch.ops would change a copy
            with_tensor = any(torch.is_tensor(argument) for argument in arguments)
            # Given two numbers, torch.ops picks the version for booleans.
            return (on_tensors if with_tensor or named else on_numbers)(*arguments, **named)
        return call


class Code:
    """`__torch__` of the printed code: functions of the file are run as they are, as are those that Python has under the
    same name; a named tuple is a tuple."""

    def __init__(self, unit, path="__torch__", in_python=None):
        self.unit, self.path, self.in_python = unit, path, in_python

    def __getattr__(self, name):
        path = f"{self.path}.{name}"
        function = self.unit.find_function(path)
        in_python = torch if path == "__torch__.torch" else getattr(self.in_python, name, None)
        if function is not None:
            return function
        return in_python if callable(in_python) else Code(self.unit, path, in_python)

    def __call__(self, *members):
        return members


# What else the printed code is made of.
NAMES = vars(typing) | {
    "torch": Operators(), "ops": torch.ops, "Tensor": torch.Tensor,
    "annotate": lambda kind, value: value, "unchecked_cast": lambda kind, value: value,
    "uninitialized": lambda kind: None, "number": float, "inf": math.inf, "nan": math.nan}
# `(self.relu).forward1(x, )`: a trace has a method of its own for each call of a module.
CALL = re.compile(r"\)\.(forward(?:__)?\d*)\(")


def settings(scripted):
    """The numbers and texts that the code of a submodule, or of one below it, uses of those that it stores."""
    codes = [scripted._c._get_method(method).code for method in scripted._c._method_names()]
    names = sorted({name for code in codes for name in re.findall(r"\b\w+\.(\w+)", code) if scripted._c.hasattr(name)})
    values = [(name, repr(scripted._c.getattr(name))) for name in names
              if isinstance(scripted._c.getattr(name), (int, float, str, list, tuple, type(None)))]
    return values + [settings(child) for child in scripted.children()]


def identity(scripted):
    """The same for the copies that scripting makes of a submodule with several names: by class, by where the weights
    lie, and by what else it stores. None without parameters: such submodules cannot be told apart, and different ones
    may share a constant."""
    if next(scripted.parameters(), None) is None:
        return None
    tensors = itertools.chain(scripted.named_parameters(), scripted.named_buffers())
    places = tuple((name, weight.data_ptr()) for name, weight in tensors)
    return str(scripted._c._type()), places, repr(settings(scripted))


def is_written(scripted, method):
    """Whether somebody called a method of his own "forward2": files quote what was written, a trace's methods have
    nothing to quote."""
    if not re.fullmatch(r"forward\d+", method):
        return False
    nodes = getattr(scripted, method).graph.nodes()
    return any("<--- HERE" in node.sourceRange().split("Serialized")[0] for node in nodes)


class FromScript(torch.nn.Module):
    """A scripted module as one of Python: hooks do not see the calls inside TorchScript, so those
    are made by running the printed code in Python. Modules without submodules run as they are.
    One with several names is one object, as it was before it was scripted. `code`: `__torch__`. `like`: of a copy the
    original, since copies of weights lie apart."""

    def __init__(self, scripted, code, known=None, like=None):
        super().__init__()
        self.__dict__.update(scripted=scripted, code=code, compiled={}, method="forward", training=scripted.training)
        known = {} if known is None else known
        for name, child in scripted.named_children():
            original = like and like._modules[name]
            key = id(original) if like else identity(child)
            wrapped = known.get(key) or FromScript(child, code, known, original)
            if key is not None:
                known[key] = wrapped
            self._modules[name] = wrapped

    def __getattr__(self, name):
        if name in self._modules:
            return self._modules[name]
        if self._modules and self.scripted._c._has_method(name):
            return functools.partial(self.in_python(name), self)
        return getattr(self.scripted, name)

    def in_python(self, method):
        if method not in self.compiled:
            code, constants = self.scripted._c._get_method(method).code_with_constants
            names = NAMES | {"CONSTANTS": types.SimpleNamespace(**constants), "__torch__": self.code}
            code = CALL.sub(r').call_method("\1", ', code)
            exec(compile(code, "code", "exec", __future__.annotations.compiler_flag), names)
            self.compiled[method] = names[method]
        return self.compiled[method]

    def call_method(self, method, *arguments):
        self.__dict__["method"] = method
        return self.forward(*arguments) if is_written(self.scripted, method) else self(*arguments)

    def forward(self, *arguments):
        method, self.__dict__["method"] = self.method, "forward"
        if self._modules:
            return self.in_python(method)(self, *arguments)
        return getattr(self.scripted, method)(*arguments)


def import_module(unit, path):
    arguments = unit, str(path), torch.device("cpu"), {}
    try:
        return torch._C.import_ir_module(*arguments)
    except TypeError:
        return torch._C.import_ir_module(*arguments, False)  # torch 2 wants to hear that it need not restore shapes


def without_script(path, precision=torch.float32):
    """The network of a TorchScript file with its submodules as modules of Python, float32 as in the program."""
    unit = torch._C.CompilationUnit()  # `torch.jit.load` keeps its own to itself
    scripted = torch.jit._recursive.wrap_cpp_module(import_module(unit, path))
    network = FromScript(scripted.eval(), Code(unit))
    in_precision(network.scripted, precision)  # now that names of one submodule, which share its weights, are known
    for weight in network.scripted.parameters():
        weight.requires_grad_(False)
    return network


def first_tensor(output):
    while isinstance(output, (tuple, list)) and output:
        output = output[0]
    return output


def member_of(output, members):
    """None if there is no such member."""
    try:
        for member in members:
            output = output[int(member) if member.isdigit() and not isinstance(output, dict) else member]
    except (IndexError, KeyError, TypeError):
        return None
    return output


def array_of(tensor):
    """A copy; NumPy has neither bfloat16 nor quantised numbers."""
    if tensor.is_quantized:
        tensor = tensor.dequantize()
    return (tensor.float() if tensor.dtype == torch.bfloat16 else tensor.clone()).numpy()


def hooked(network, images, chosen=None, layout=torch.contiguous_format):
    """Layer name -> what its last call returned, as an array; "logits" is the network's own output, unless a
    submodule has that name. `layout`: of the images in memory.
    Of tuples the first tensor; a name such as "head[out]" chooses another one, and of a tuple the position."""
    wanted = {}
    for layer in chosen or []:
        module, *members = layer.replace("]", "").split("[")
        wanted.setdefault(module, {})[layer] = members
    seen = {}

    def hook(name):
        def keep(module, arguments, output):
            for layer, members in wanted.get(name, {} if chosen else {name: []}).items():
                value = first_tensor(member_of(output, members))
                if torch.is_tensor(value):
                    seen[layer] = array_of(value.detach())
        return keep

    modules = dict(network.named_modules(remove_duplicate=not chosen))
    modules.setdefault("logits", modules.pop(""))
    hooks = [module.register_forward_hook(hook(name)) for name, module in modules.items()]
    with torch.no_grad():
        network(torch.from_numpy(images.copy()).contiguous(memory_format=layout))
    for each in hooks:
        each.remove()
    return seen
