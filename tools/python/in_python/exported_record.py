"""The record of an exported network, and the two files of an export."""
import hashlib
import os

from .networks import Unusable
from .written_script import tensors_of

# Names of the output of the last layer in transformers and torchvision, the likelier one first.
READOUTS = ["logits", "out"]


def key_of(outputs):
    """Of a dict; one that leads to tensors if there is any."""
    keys = [key for key in outputs if tensors_of(outputs[key])] or list(outputs)
    return next((key for key in READOUTS if key in keys), keys[0])


def readout_of(output):
    """One tensor of the network's output, the first one of tuples and lists, which the mere name stands for in tuples,
    but not in lists and dicts; and the keys that were chosen from, if there were several."""
    members, is_needed, keys = "", False, []
    while isinstance(output, (dict, list, tuple)) and output:
        member = 0
        if isinstance(output, dict):
            member = key_of(output)
            keys += output if len(output) > 1 else []
        members += f"[{member}]"
        is_needed = is_needed or not isinstance(output, tuple)
        output = output[member]
    return "logits" + (members if is_needed else ""), keys


def record_of(arguments, checksum, layers, readout):
    preprocessing = {"backend": "pil"}
    if arguments.resize:
        preprocessing["resize"] = arguments.resize[0] if len(arguments.resize) == 1 else arguments.resize
    preprocessing |= {"crop": arguments.crop, "interpolation": arguments.interpolation, "mean": arguments.mean,
                      "std": arguments.std}
    return {"identifier": arguments.identifier,
            "weights": {"file": arguments.identifier + ".ts", "sha256": checksum},
            "visual_degrees": arguments.visual_degrees, "batch_size": arguments.batch_size,
            "readout_layer": readout, "layers": layers, "preprocessing": preprocessing}


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class Files:
    """The two files under temporary names, which get their own when both are whole."""

    def __init__(self, arguments):
        if os.path.lexists(arguments.out) and not os.path.isdir(arguments.out):
            raise Unusable(f"{arguments.out}: is no folder (--out is one)")
        os.makedirs(arguments.out, exist_ok=True)
        self.final = [os.path.join(arguments.out, arguments.identifier + end) for end in (".ts", ".toml")]
        for path in self.final:
            if os.path.lexists(path) and not arguments.force:
                raise Unusable(f"{path}: is there already, --force replaces it")
        self.temporary = [f"{path}.tmp-{os.getpid()}" for path in self.final]

    def __enter__(self):
        return self.temporary

    def __exit__(self, kind, *_):
        if kind is None:
            for temporary, path in zip(self.temporary, self.final):
                os.replace(temporary, path)
        for path in self.temporary:
            if os.path.exists(path):
                os.remove(path)
