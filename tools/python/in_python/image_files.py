"""The images of a folder."""
import os

ENDINGS = (".png", ".jpg", ".jpeg")


def image_paths(folder):
    """Of the PNG and JPEG files, by name."""
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.lower().endswith(ENDINGS)]
