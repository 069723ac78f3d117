"""Images become tensors in ventral with backend = "tensor" and in torchvision, and every byte is compared.

compare_with_torchvision.py PRINT_INPUTS [IMAGES [PHOTOS]]: exit 0 if all bytes are equal, 1 if not, 77 if torchvision
is missing or of another version than the reference's. IMAGES random ones (120), and PHOTOS (60) of those under
VENTRAL_SHARED/data, where that is set.
"""
import io
import json
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

try:
    import numpy as np
    import torch
    import torchvision
    from PIL import Image
    from torchvision import transforms
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)
if not torchvision.__version__.startswith("0.14"):
    print(f"skipped: torchvision is {torchvision.__version__}, the reference's is 0.14")
    sys.exit(77)

warnings.simplefilter("ignore")
torch.set_num_threads(1)
STEPS = [{"mean": [0.485, 0.456, 0.406], "std": [0.229, 0.224, 0.225]}, {"mean": [0.5] * 3, "std": [0.25] * 3}]
AT_ONCE = 100
FILTERS = ["bilinear", "bicubic", "nearest"]


def reference(job):
    image = Image.open(job["path"])
    canvas = Image.new("RGB", image.size)
    canvas.paste(image)
    steps = [transforms.ToTensor()]
    if job["resize"]:
        steps.append(transforms.Resize(job["resize"], transforms.InterpolationMode(job["interpolation"])))
    if job["crop"]:
        steps.append(transforms.CenterCrop(job["crop"]))
    return transforms.Compose([*steps, transforms.Normalize(job["mean"], job["std"])])(canvas).numpy().tobytes()


def random_files(random_numbers, folder, count):
    for number in range(count):
        width, height = random_numbers.integers(1, 500 if number % 4 == 0 else 90, 2).tolist()
        pixels = random_numbers.integers(0, 256, (height, width, 3), dtype=np.uint8)
        image = Image.fromarray(pixels).convert(["RGB", "RGB", "L", "RGBA", "P"][number % 5])
        path = folder / f"{number}.png"
        image.save(path, compress_level=1)
        yield path


def jobs_for(random_numbers, path):
    """The usual steps, and two of any sizes."""
    for filter_name in FILTERS:
        yield {"path": str(path), "resize": 256, "crop": 224, "interpolation": filter_name, **STEPS[0]}
    size = Image.open(path).size
    for number in range(2):
        resize = [int(random_numbers.integers(1, 300)), random_numbers.integers(1, 300, 2).tolist(),
                  [size[1], size[0]], None][random_numbers.integers(0, 4)]
        yield {"path": str(path), "resize": resize, "interpolation": str(random_numbers.choice(FILTERS)),
               "crop": int(random_numbers.integers(1, 300)) if number else None, **STEPS[number]}


def is_moderate(job):
    """A line of pixels would become an enormous image."""
    size = Image.open(job["path"]).size
    return not isinstance(job["resize"], int) or max(size) * job["resize"] < 2000 * min(size)


def answers(program, jobs, folder):
    file = folder / "jobs.txt"
    file.write_text("".join(json.dumps(job) + "\n" for job in jobs))
    output = io.BytesIO(subprocess.run([program, file], stdout=subprocess.PIPE, check=True).stdout)
    for _ in jobs:
        yield output.read(int(output.readline()))


def main(program, images=120, photos=60):
    random_numbers = np.random.default_rng(14)
    different = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        paths = list(random_files(random_numbers, folder, int(images)))
        data = Path(os.environ.get("VENTRAL_SHARED", "/nonexistent")) / "data"
        real = sorted(path for path in data.glob("**/*") if path.suffix.lower() in (".png", ".jpg", ".jpeg"))
        print(f"{len(paths)} random images, {min(len(real), int(photos))} of {len(real)} photos")
        paths += list(random_numbers.permutation(real)[:int(photos)])
        jobs = [job for path in paths for job in jobs_for(random_numbers, path) if is_moderate(job)]
        for first in range(0, len(jobs), AT_ONCE):
            some = jobs[first:first + AT_ONCE]
            different += [job for job, ours in zip(some, answers(program, some, folder)) if ours != reference(job)]
    for job in different:
        print("differs:", json.dumps(job))
    print(f"{len(jobs)} tensors compared, {len(different)} differ")
    return 1 if different or not jobs else 0


sys.exit(main(*sys.argv[1:]))
