"""Makes images with PIL, lets ventral and PIL with torchvision read them, and compares every byte.

compare_with_pillow.py PRINT_STIMULI [options]: exit 0 if all bytes are equal, 1 if not, 77 if PIL is missing.
torchvision and h5py are used where they are there; the goldens where VENTRAL_SHARED has them. The test is the
short form; tools/compare_pixels runs more.
"""
import argparse
import io
import json
import os
import struct
import subprocess
import sys
import tempfile
import warnings
import zlib
from pathlib import Path

try:
    import numpy as np
    from PIL import Image
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)
if not Image.__version__.startswith("9."):
    print(f"skipped: Pillow is {Image.__version__}, the reference's is 9.4")
    sys.exit(77)
try:
    import torchvision.transforms as transforms
except ImportError:
    transforms = None

warnings.simplefilter("ignore")
FILTERS = {"box": Image.Resampling.BOX, "bilinear": Image.Resampling.BILINEAR,
           "bicubic": Image.Resampling.BICUBIC, "lanczos": Image.Resampling.LANCZOS, "nearest": Image.Resampling.NEAREST}
IMAGENET = {"mean": [0.485, 0.456, 0.406], "std": [0.229, 0.224, 0.225]}
MODES = ["L", "LA", "RGB", "RGBA", "P", "1"]


class Cases:
    """Jobs for ventral beside what PIL makes of the same; the kind groups them in the report."""

    def __init__(self):
        self.jobs, self.expected, self.kinds = [], [], []

    def add(self, kind, step, path, expected, **parameters):
        self.jobs.append({"step": step, "path": str(path), **parameters})
        self.expected.append(expected)
        self.kinds.append(kind)


def raw(image):
    """(mode, size, bytes) with one byte per channel, as print_stimuli gives them."""
    if image.mode == "1":
        return image.mode, image.size, image.convert("L").tobytes()
    return image.mode, image.size, image.tobytes()


def reference_image(image):
    """The reference's load_image: everything that is not plain RGB is pasted on an RGB canvas."""
    canvas = Image.new("RGB", image.size)
    canvas.paste(image)
    return canvas


def reference_screen(path, stimulus_degrees, screen_degrees):
    """The reference's place_on_screen, saved under the old name and opened again."""
    image = Image.open(path)
    image.load()
    if stimulus_degrees == screen_degrees:
        return image
    ratio = screen_degrees / stimulus_degrees
    old = np.array(image.size)
    new = (ratio * old).round().astype(int)
    if ratio >= 1:
        placed = Image.new("RGB", tuple(new.tolist()), (128, 128, 128))
        placed.paste(image, tuple(((new - old) / 2).round().astype(int).tolist()))
    else:
        corner = ((old - new) / 2).round().astype(int)
        placed = image.crop((*corner.tolist(), *(corner + new).tolist()))
    buffer = io.BytesIO()
    placed.save(buffer, format=Image.registered_extensions()[Path(path).suffix.lower()])
    placed = Image.open(buffer)
    placed.load()
    return placed


def reference_tensor(image, resize, crop, interpolation, mean, std):
    steps = [transforms.Resize(resize, transforms.InterpolationMode(interpolation))] if resize else []
    steps += [transforms.CenterCrop(crop)] if crop else []
    steps += [transforms.ToTensor(), transforms.Normalize(mean, std)]
    return transforms.Compose(steps)(reference_image(image)).numpy().tobytes()


def random_image(random_numbers, mode, size):
    """Half of them noise (every byte counts), half smooth (JPEG takes other paths)."""
    width, height = size
    pixels = random_numbers.integers(0, 256, (height, width, 4), dtype=np.uint8)
    if random_numbers.random() < 0.5:
        coarse = Image.fromarray(pixels[:max(1, height // 9), :max(1, width // 9)], "RGBA")
        pixels = np.array(coarse.resize(size, Image.Resampling.BICUBIC))
    image = Image.fromarray(pixels, "RGBA")
    if mode == "LA":
        return Image.merge("LA", (image.getchannel(0), image.getchannel(3)))
    if mode == "P":
        return image.convert("RGB").convert("P", palette=Image.Palette.ADAPTIVE,
                                            colors=int(random_numbers.choice([2, 3, 14, 100, 256])))
    return image if mode == "RGBA" else image.convert("RGB").convert(mode)


def saved_png(random_numbers, image, path):
    options = {"compress_level": 1}
    if image.mode == "P" and random_numbers.random() < 0.5:
        options["transparency"] = bytes([0, 100, 255])[:len(image.getpalette()) // 3]
    if image.mode in ("L", "RGB") and random_numbers.random() < 0.3:
        options["transparency"] = 7 if image.mode == "L" else (1, 2, 3)
    image.save(path, **options)
    return path


def saved_jpeg(random_numbers, image, path):
    image.save(path, quality=int(random_numbers.integers(5, 101)),
               progressive=bool(random_numbers.random() < 0.5),
               optimize=bool(random_numbers.random() < 0.3),
               subsampling=int(random_numbers.integers(0, 3)))
    return path


def add_random_files(cases, folder, random_numbers, count, sizes):
    """Every mode of PNG and every kind of JPEG: decoded, as RGB, resized, placed, and as tensor."""
    for i in range(count):
        size = tuple(random_numbers.integers(1, 150, 2).tolist())
        if i % 8 == 7:
            size = tuple(random_numbers.integers(150, 500, 2).tolist())
        jpeg = i % 5 < 2
        mode = random_numbers.choice(["L", "RGB", "RGB"] if jpeg else MODES)
        image = random_image(random_numbers, mode, size)
        path = folder / f"{i}{'.jpg' if jpeg else '.png'}"
        (saved_jpeg if jpeg else saved_png)(random_numbers, image, path)
        add_file(cases, path, random_numbers, sizes)


def add_file(cases, path, random_numbers, sizes=1):
    image = Image.open(path)
    image.load()
    kind = f"{image.format} {image.mode}"
    cases.add("decode " + kind, "decode", path, raw(image))
    cases.add("to RGB " + kind, "rgb", path, raw(reference_image(image)))
    for interpolation, pillow_filter in sizes * list(FILTERS.items()):
        if image.mode not in ("P", "1"):
            size = random_size(random_numbers, image.size)
            cases.add(f"resize {interpolation} {image.mode}", "resize", path,
                      raw(image.resize(size, pillow_filter)), size=size, interpolation=interpolation)
    degrees = {"stimulus_degrees": float(random_numbers.choice([8, 8, 6.5, 4, 3])),
               "screen_degrees": float(random_numbers.choice([8, 5, 10, 8.4]))}
    try:
        placed = reference_screen(path, **degrees)
    except (OSError, SystemError, ValueError):  # JPEG of alpha or a palette, crop to nothing
        cases.add("refused as by PIL", "screen", path, None, **degrees)
        return
    cases.add("screen " + kind, "screen", path, raw(placed), **degrees)
    if transforms:
        resize = [None, int(random_numbers.integers(1, 200)),
                  random_numbers.integers(1, 200, 2).tolist()][random_numbers.integers(0, 3)]
        crop = int(random_numbers.integers(1, 200)) if random_numbers.random() < 0.6 else None
        steps = {"resize": resize, "crop": crop, **IMAGENET,
                 "interpolation": str(random_numbers.choice(list(FILTERS)))}
        if isinstance(resize, int) and max(placed.size) * resize > 3000 * min(placed.size):
            return  # a line of pixels would become an enormous image
        cases.add("tensor " + kind, "tensor", path, reference_tensor(placed, **steps), **degrees, **steps)


def random_size(random_numbers, size):
    """Any size, or one side kept, so that one of the two passes is skipped."""
    kept = random_numbers.integers(0, 5)
    return [size[axis] if kept == axis else int(random_numbers.integers(1, 200)) for axis in (0, 1)]


def png_bytes(random_numbers, width, height, depth, colour_type, interlaced):
    """A PNG of random bits, written by hand because PIL writes neither interlace nor all depths."""
    passes = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
    bits = depth * {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colour_type]
    rows = b""
    for left, top, step_x, step_y in passes if interlaced else [(0, 0, 1, 1)]:
        columns, lines = len(range(left, width, step_x)), len(range(top, height, step_y))
        if columns:
            for _ in range(lines):
                rows += b"\0" + random_numbers.bytes((columns * bits + 7) // 8)

    def chunk(name, content):
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
    header = struct.pack(">IIBBBBB", width, height, depth, colour_type, 0, 0, interlaced)
    palette = chunk(b"PLTE", random_numbers.bytes(3 << depth)) if colour_type == 3 else b""
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"gAMA", struct.pack(">I", 30000)) + palette
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def add_formats(cases, folder, random_numbers):
    """Interlace and depths, names that do not fit the content, a rotation in EXIF, several images in a file, bytes behind
    the image, a palette with a hole."""
    for depth, colour_type in [(1, 0), (2, 0), (4, 0), (8, 0), (8, 2), (1, 3), (2, 3), (4, 3), (8, 3), (8, 4), (8, 6)]:
        for interlaced in (0, 1):
            for width, height in [(1, 1), (3, 5), (37, 26)]:
                path = folder / f"{depth}_{colour_type}_{interlaced}_{width}.png"
                path.write_bytes(png_bytes(random_numbers, width, height, depth, colour_type, interlaced))
    rgb = random_image(random_numbers, "RGB", (61, 47))
    rgb.save(folder / "jpeg_inside.png", format="JPEG")
    rgb.save(folder / "png_inside.JPG", format="PNG")
    random_image(random_numbers, "RGBA", (20, 30)).save(folder / "alpha_inside.jpeg", format="PNG")
    rgb.save(folder / "wide.jpg", qtables="web_high", dpi=(300, 300), exif=b"Exif\0\0MM\0*\0\0\0\x08"
             b"\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0")
    rgb.save(folder / "gamma.png", icc_profile=b"none", dpi=(72, 72))
    rgb.save(folder / "animated.png", save_all=True, append_images=[rgb.rotate(180)])
    rgb.save(folder / "several.jpg", format="MPO", save_all=True, append_images=[rgb.rotate(180)])
    for name in ("gamma.png", "wide.jpg"):
        (folder / f"longer_{name}").write_bytes((folder / name).read_bytes() + b"and more")
    indexed = Image.fromarray(random_numbers.integers(0, 256, (9, 11), dtype=np.uint8), "P")
    indexed.putpalette(random_numbers.integers(0, 256, 30, dtype=np.uint8).tobytes())
    indexed.save(folder / "hole.png")
    for path in sorted(folder.iterdir()):
        add_file(cases, path, random_numbers)
    indexed.save(folder / "palette.jpg", format="PNG")
    for depth, colour_type in [(16, 0), (16, 2), (16, 4), (16, 6)]:
        path = folder / f"{depth}_{colour_type}.png"
        path.write_bytes(png_bytes(random_numbers, 5, 4, depth, colour_type, 0))
        cases.add("refused on purpose", "decode", path, None)
    rgb.convert("CMYK").save(folder / "cmyk.jpg")
    cases.add("refused on purpose", "decode", folder / "cmyk.jpg", None)
    for name in ("alpha_inside.jpeg", "palette.jpg"):
        cases.add("refused as by PIL", "screen", folder / name, None, stimulus_degrees=8, screen_degrees=5)


def add_folder(cases, folder, random_numbers, count, sizes):
    """Real images, some of those that are there."""
    paths = sorted(path for path in folder.glob("**/*") if path.suffix.lower() in (".png", ".jpg", ".jpeg"))
    for path in random_numbers.permutation(paths)[:count]:
        add_file(cases, path, random_numbers, sizes)


def add_goldens(cases, shared):
    folder = shared / "goldens/public/screen"
    for entry in json.loads((folder / "expected.place_on_screen.json").read_text())["expected"]:
        path = folder / entry["image"]
        expected = Image.open(folder / entry["file"] if entry["file"] else path)
        cases.add("golden screen", "screen", path, raw(expected), screen_degrees=entry["target_degrees"],
                  stimulus_degrees=entry["source_degrees"])
    try:
        import h5py
    except ImportError:
        return
    folder = shared / "goldens/public/activations"
    golden = json.loads((folder / "expected.preprocess.json").read_text())["expected"]
    side = golden["image_size"]
    variants = {"imagenet": {"resize": [side, side], "crop": None, **IMAGENET},
                "half": {"resize": [side, side], "crop": None, "mean": [0.5] * 3, "std": [0.25] * 3},
                "inception": {"resize": int(side * 256 / 224), "crop": side, "mean": [0.5] * 3, "std": [0.5] * 3}}
    with h5py.File(folder / "preprocessed.h5") as file:
        for name, steps in variants.items():
            for path, tensor in zip(golden["files"], file[name][:]):
                cases.add(f"golden preprocess {name}", "tensor", folder / path, tensor.tobytes(),
                          stimulus_degrees=8, screen_degrees=8, interpolation="bilinear", **steps)


def mutated_files(folder, random_numbers):
    """Truncated and bit-flipped copies of a PNG and of baseline and progressive JPEGs."""
    image = random_image(random_numbers, "RGB", (37, 29))
    for name, options in {"a.png": {}, "b.jpg": {}, "c.jpg": {"progressive": True}}.items():
        image.save(folder / name, **options)
        whole = (folder / name).read_bytes()
        (folder / name).unlink()
        for i in range(150):
            content = bytearray(whole)
            if i % 3 == 0:
                content = content[:random_numbers.integers(0, len(content))]
            else:
                for position in random_numbers.integers(0, min(len(content), 10 ** (1 + i % 3 * 2)), 1 + i % 3):
                    content[position] ^= 1 << random_numbers.integers(0, 8)
            (folder / f"{i}_{name}").write_bytes(content)
    return sorted(folder.iterdir())


def add_mutations(cases, folder, random_numbers):
    for path in mutated_files(folder, random_numbers):
        try:
            image = Image.open(path)
            image.load()
            if path.suffix == ".png" and not path.read_bytes().endswith(b"IEND\xaeB`\x82"):
                cases.add("refused on purpose", "decode", path, None)  # cut behind the pixels
            else:
                cases.add("mutated, PIL reads it", "decode", path, raw(image))
        except Exception:  # PIL has many kinds for one meaning
            cases.add("mutated, PIL refuses it", "decode", path, None)


def answers(program, jobs, folder):
    """(header, bytes) of each job. Raises if the program crashed."""
    file = folder / "jobs.txt"
    file.write_text("".join(json.dumps(job) + "\n" for job in jobs))
    output = io.BytesIO(subprocess.run([program, file], stdout=subprocess.PIPE, check=True).stdout)
    for _ in jobs:
        header = json.loads(output.readline())
        yield header, output.read(header.get("bytes", 0))


def difference(expected, header, content):
    """Number of differing bytes; None where one of the two refuses and the other does not."""
    if "CRC error" in header.get("error", ""):
        return 0  # PIL does not look at the checksum of pixels
    if expected is None or "error" in header:
        return 0 if expected is None and "error" in header else None
    if isinstance(expected, tuple):
        mode, size, expected = expected
        if (mode, list(size)) != (header["mode"], header["size"]):
            return max(len(expected), len(content))
    if len(expected) != len(content):
        return max(len(expected), len(content))
    return int(np.sum(np.frombuffer(expected, np.uint8) != np.frombuffer(content, np.uint8)))


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", metavar="PRINT_STIMULI", help="tests/stimuli/stimuli_print_stimuli of a build")
    parser.add_argument("--images", type=int, default=320, help="images of noise and gradients (320)")
    parser.add_argument("--photos", help="folder of real images (default: the data of VENTRAL_SHARED)")
    parser.add_argument("--photo-count", type=int, default=60, help="how many of them (60)")
    parser.add_argument("--sizes", type=int, default=1, help="sizes that each is resized to, per filter (1)")
    parser.add_argument("--seed", type=int, default=20)
    return parser.parse_args()


def main():
    arguments = parse()
    random_numbers = np.random.default_rng(arguments.seed)
    with tempfile.TemporaryDirectory() as temporary:
        folders = {name: Path(temporary) / name for name in ("random", "formats", "mutated")}
        for folder in folders.values():
            folder.mkdir()
        cases = Cases()
        add_random_files(cases, folders["random"], random_numbers, arguments.images, arguments.sizes)
        add_formats(cases, folders["formats"], random_numbers)
        add_mutations(cases, folders["mutated"], random_numbers)
        shared = Path(os.environ.get("VENTRAL_SHARED", "/nonexistent"))
        if (shared / "goldens/public").exists():
            add_goldens(cases, shared)
        else:
            print("goldens left out: VENTRAL_SHARED names none")
        photos = Path(arguments.photos or shared / "data")
        if photos.exists():
            add_folder(cases, photos, random_numbers, arguments.photo_count, arguments.sizes)
        else:
            print("real images left out: there is no", photos)
        counts = list(map(difference, cases.expected, *zip(*answers(arguments.program, cases.jobs, Path(temporary)))))
    return report(cases, counts)


def report(cases, counts):
    """Prints a line per kind and every job that differs; 0 if none does."""
    for kind in sorted(set(cases.kinds)):
        of_kind = [count for count, other in zip(counts, cases.kinds) if other == kind]
        print(f"{kind}: {len(of_kind)} cases, {sum(filter(None, of_kind))} bytes differ")
    wrong = [job for count, job in zip(counts, cases.jobs) if count != 0]
    for job in wrong:
        print("differs:", json.dumps(job))
    print(f"{len(counts)} cases, {sum(filter(None, counts))} bytes differ, {len(wrong)} cases wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
