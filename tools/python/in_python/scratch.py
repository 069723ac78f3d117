"""The folder for the files of a comparison, which are gone when it ends."""
import argparse
import os


def existing_folder(path):
    if not os.path.isdir(path):
        raise argparse.ArgumentTypeError(f"{path}: no such folder")
    return path


def add_option(parser, files):
    parser.add_argument("--scratch", type=existing_folder, help=f"folder for {files} (default: the system's)")
