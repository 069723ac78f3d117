#!/usr/bin/python3
"""The reference's goldens, by tools/check_goldens.

usage: goldens.py VENTRAL GOLDENS
"""
import os
import pathlib
import sys

from program import environment

CHECK_GOLDENS = pathlib.Path(__file__).resolve().parents[2] / "tools" / "check_goldens"

os.execve(sys.executable, [sys.executable, CHECK_GOLDENS, *sys.argv[1:]], environment())
