"""Tools of Python that need torch, in forks of the test, which loads it once: a tool that starts takes two seconds.

Imported first, since it starts the test anew in the environment that compare_layers wants; ends it with 77 (skipped)
without torch and what else the tools need.
"""
import os
import pathlib
import runpy
import signal
import sys
import tempfile
import traceback

from program import STRONG_BLAS_CORE, environment

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"
sys.path.insert(0, str(TOOLS / "python"))
from in_python import machine  # noqa: E402

# As compare_layers wants it, which would start anew in another one, and with the kernels of the program under test.
WANTED = machine.environment(1) | STRONG_BLAS_CORE
if os.environ != WANTED:
    os.execve(sys.executable, [sys.executable, *sys.argv], WANTED)
try:
    import h5py  # noqa: F401
    import netCDF4  # noqa: F401
    import torch  # noqa: F401
    import torchvision  # noqa: F401
except ImportError as error:
    print(error)
    sys.exit(77)

PIXELS = 64
LAYOUT_NETWORKS = pathlib.Path(__file__).with_name("layout_and_precision_networks.py")
ODD_NETWORKS = pathlib.Path(__file__).with_name("odd_networks.py")
HOOKED_NETWORKS = pathlib.Path(__file__).with_name("hooked_networks.py")
REFUSED_NETWORKS = pathlib.Path(__file__).with_name("refused_networks.py")


def exit_code_of_script(arguments):
    """As the interpreter would end with it."""
    sys.argv = arguments
    try:
        runpy.run_path(arguments[0], run_name="__main__")
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def tool(name, *arguments):
    """(exit code, all that it says); in a fork of this process, which has loaded torch."""
    sys.stdout.flush()
    with tempfile.TemporaryFile() as told:
        child = os.fork()
        if child == 0:
            signal.alarm(120)
            os.environ.update(environment())
            os.dup2(told.fileno(), 1)
            os.dup2(told.fileno(), 2)
            code = exit_code_of_script([str(TOOLS / name), *map(str, arguments)])
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        told.seek(0)
        return code, told.read().decode(errors="replace")


def export(checks, place, out, *options, good=True, words=()):
    code, told = tool("export_model", place, "--out", out, "--crop", PIXELS, "--resize", *options)
    checks.that((code == 0) == good and "Traceback" not in told, f"export_model {place}: ends with {code}", told)
    for word in words:
        checks.that(word in told, f"export_model {place}: the message lacks '{word}'", told)


def check_comparison(program, checks, path, images, *options):
    code, told = tool("compare_layers", path, "--images", images, "--count", 20, "--ventral", program.ventral, *options)
    checks.that(code == 0, f"compare_layers {path.name} {options}: ends with {code}", told)
    if "--contiguous" in options:
        checks.that(" differ\n" not in told and " equal\n" in told, f"compare_layers {path.name}: bits differ", told)


def demo_images(program, folder):
    """The folder of the demo's images."""
    program.write_demo(folder / "demo")
    return folder / "demo" / "data" / "images"
