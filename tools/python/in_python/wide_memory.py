"""Peak memory of the program on features far wider than the memory that it may use."""
import os

from . import children
from .program import Failed

METRICS = ("cka", "pls_cv")


def memory_table(program, folder, environment, arguments):
    idle = program.idle_peak()
    options = ["--memory", arguments.memory_limit]
    print(f"{arguments.stimuli} stimuli, {arguments.targets} targets, --memory {arguments.memory_limit},"
          f" {arguments.threads} threads; idle start {idle / 1e6:.0f} MB")
    print(f"{'metric':10}{'features':>10}{'peak MB':>10}{'above idle':>12}{'wall s':>10}  phases")
    children.make("target", folder, environment, stimuli=arguments.stimuli, targets=arguments.targets)
    for features in arguments.widths:
        children.make("wide", folder, environment, stimuli=arguments.stimuli, features=features)
        files = {role: os.path.join(folder, role + ".nc") for role in ("source", "target")}
        for name in METRICS:
            try:
                run = program.score("metric", name, files, options=options)
            except Failed as failure:
                print(f"{name:10}{features:10d} the program failed: {str(failure).splitlines()[-1]}", flush=True)
                continue
            phases = ", ".join(f"{phase} {seconds:.2f} s" for phase, seconds in run.phases.items())
            print(f"{name:10}{features:10d}{run.peak / 1e6:10.0f}{(run.peak - idle) / 1e6:12.0f}{run.seconds:10.2f}  {phases}",
                  flush=True)
        os.remove(files["source"])
    return 0
