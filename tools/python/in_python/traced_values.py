"""Whether a trace gives what the network does where Python was given values of tensors."""
import sys

import torch

from .measured_layout import probes_of
from .networks import Unusable
from .written_script import ALLOWED, answer, largest_difference, made_up_images

KINDS_OF_NOISE = {"dark": (0.1, -2), "bright": (0.1, 2), "faint": (0.01, 0)}  # contrast and brightness
PLACES_TOLD = 5


def is_taken(network, images):
    """Some networks refuse what is no photograph."""
    try:
        network(images.clone())
        return True
    except MemoryError:
        raise
    except Exception:  # a module may have anything in it
        return False


def other_images(network, arguments, record):
    """Unlike those that the trace was made with; and what they are."""
    batches, described, _ = probes_of(arguments, record)
    images = [torch.from_numpy(batch) for _, _, batch in batches]
    noise = made_up_images(len(images[0]), arguments.crop)
    kinds = {kind: contrast * noise + brightness for kind, (contrast, brightness) in KINDS_OF_NOISE.items()}
    taken = [kind for kind in kinds if is_taken(network, kinds[kind])]
    described += f" and {', '.join(taken)} noise" if taken else ""
    return images + [kinds[kind] for kind in taken], described


def check_values(network, written, arguments, record, places):
    """Sizes are the same for all images of a record; what else is a constant in the trace can be wrong for some."""
    if not places:
        return
    told = ", ".join(places[:PLACES_TOLD]) + (f" and {len(places) - PLACES_TOLD} more" if len(places) > PLACES_TOLD else "")
    worst = 0.0
    with torch.no_grad():
        images, described = other_images(network, arguments, record)
        for batch in images:
            expected = answer(network, "the network", batch)
            worst = max(worst, largest_difference(answer(written, "what was written", batch), expected))
    if worst > ALLOWED:
        raise Unusable(f"the trace gives other outputs than the network for some images (relative difference {worst:.2g}): "
                       f"forward goes by values of tensors at {told}, try --script")
    print(f"export_model: {told}: forward takes values out of tensors, and the trace has those that it was made with; "
          f"outputs agree on {described} (--script computes them for each image)",
          file=sys.stderr)
