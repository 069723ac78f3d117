"""Images as a network is shown them, in the batches of its record."""
import torch
from PIL import Image

from . import extraction
from .run_files import batch_size


def batches(record, count, image):
    """(first row, rows, batch) of `image(0)` to `image(count - 1)`, the last batch filled up with its last image."""
    size = batch_size(record)
    for first in range(0, count, size):
        rows = min(size, count - first)
        loaded = [image(first + row) for row in range(rows)]
        yield first, rows, torch.stack(loaded + [loaded[-1]] * (size - rows)).numpy()


def batches_of_files(record, paths):
    transform = extraction.preprocessing(record)
    return batches(record, len(paths), lambda i: transform(Image.open(paths[i]).convert("RGB")))


def batches_of_noise(record, count):
    """Where there are no photographs: random structures of all sizes, as many as there are in those."""
    steps = record["preprocessing"]
    mean, std = (torch.tensor(steps[key]).reshape(3, 1, 1) for key in ("mean", "std"))

    def image(seed):
        generator = torch.Generator().manual_seed(seed)
        noise, side = torch.zeros(1, 3, steps["crop"], steps["crop"]), 2
        while side <= steps["crop"]:
            grid = torch.randn(1, 3, side, side, generator=generator)
            noise += torch.nn.functional.interpolate(grid, noise.shape[2:], mode="bilinear", align_corners=False)
            side *= 2
        return ((0.5 + 0.1 * noise[0]).clamp(0, 1) - mean) / std

    return batches(record, count, image)
