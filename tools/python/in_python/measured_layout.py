"""The memory layout that a record is to state: channels_last where no layer is far from PyTorch's own layout."""
from PIL import Image

from . import image_files, memory_layout, probe_images
from .networks import Unusable
from .reason import reason
from .written_script import ALLOWED

# On photographs the layers of trained networks were seen to differ by up to four times as much as on made-up images.
ALLOWED_OF_NOISE = ALLOWED / 4
PROBES, PROBES_AT_ONCE = 16, 4


def probes_of(arguments, record):
    """Batches of a few images, whose layers are all held at once; what they are; the difference that is allowed there."""
    small = record | {"batch_size": min(PROBES_AT_ONCE, record["batch_size"])}
    if not arguments.images:
        return (probe_images.batches_of_noise(small, PROBES), f"{PROBES} made-up images (photographs: --images)",
                ALLOWED_OF_NOISE)
    paths = image_files.image_paths(arguments.images)[:PROBES]
    if not paths:
        raise Unusable(f"{arguments.images}: has no PNG and no JPEG file")
    for path in paths:
        try:
            Image.open(path).convert("RGB")
        except OSError as error:
            raise Unusable(f"{path}: is no image that can be read ({error})") from error
    return probe_images.batches_of_files(small, paths), f"{len(paths)} photographs", ALLOWED


def layout_of(arguments, network, record, layers):
    """(memory_layout, why)"""
    if arguments.memory_layout != "auto":
        return arguments.memory_layout, "as --memory-layout says"
    batches, images, allowed = probes_of(arguments, record)
    try:
        other = memory_layout.in_channels_last(network)
    except Exception as error:  # a module may have anything in it
        raise Unusable(f"the network cannot be copied to measure it in channels_last ({reason(error)}), "
                       "give --memory-layout") from error
    try:
        layer, difference = memory_layout.farthest(memory_layout.differences(network, other, layers, batches))
    except memory_layout.FailsInChannelsLast as error:
        return "contiguous", f"in channels_last the network fails ({reason(error)})"
    if layer is None:
        return "contiguous", "no layer has numbers to compare in channels_last"
    return ("channels_last" if difference <= allowed else "contiguous",
            f"in channels_last '{layer}' differs by {difference:.1e} from PyTorch's own layout, the most of"
            f" {len(layers)} layers on {images}; {allowed:.1e} is allowed")
