#!/usr/bin/python3
"""One mpirun over several nodes gives the bytes of one rank, and goes on elsewhere when it was killed or stopped.

usage: several_nodes.py VENTRAL MPIRUN; ends with 77 (skipped) where one machine cannot be several nodes.
"""
import os
import pathlib
import random
import shutil
import signal
import sys

from netcdf3 import write_assembly
from program import finished_scores, in_pairs, journal_lines, main, score_records, scores_csv, wait, wait_for
from simulated_nodes import SimulatedNodes, ranks_of
from small_demo import make_small_demo

SKIPPED = 77
INTERRUPTED = 75
# Two units and three ceilings: with three nodes one of them has no unit.
RUN = ["--benchmarks", "demo-V1-pls,demo-V4-ridge,demo-IT-pls"]
SCORES = 42
LAYERS = ["stage1", "stage3"]


class Nodes:
    """Runs the program on several nodes."""

    def __init__(self, program, simulated):
        self.program = program
        self.simulated = simulated

    def start(self, arguments, nodes, ranks, log):
        return self.program.start(arguments, nodes * ranks, log, variables=self.simulated.variables(nodes, ranks))

    def run(self, arguments, nodes, ranks):
        return self.program.run(arguments, nodes * ranks, variables=self.simulated.variables(nodes, ranks))


def results_on_disk(out):
    return [(line["key"], line.get("group")) for line in journal_lines(out) if line["kind"] in ("folds", "score")]


def check_bits(nodes, checks, run, folder, shape, expected):
    """The units are shared by the nodes, and each unit by the ranks of one."""
    count, ranks = shape
    out = folder / f"nodes{count}_ranks{ranks}"
    code, log = nodes.run([*run, "--out", out], count, ranks)
    checks.that(code == 0, f"{count} × {ranks}: ends with {code}", log)
    checks.that(scores_csv(out) == expected, f"{count} × {ranks} gives other bytes than one rank")
    starts = [line for line in journal_lines(out) if line["kind"] == "started"]
    checks.that({line["ranks"] for line in starts} == {ranks}, f"{count} × {ranks}: a team is not the ranks of a node", starts)
    for model in {line["model"] for line in starts}:
        places = [record["provenance"] for record in score_records(out) if record["model"] == model]
        teams = {int(place.partition(":")[0]) // ranks for each in places for place in each["folds_by_rank"].split()}
        checks.that(len(teams) == 1 and len({each["host"] for each in places}) == 1,
                    f"{count} × {ranks}: the unit of {model} is scored on several nodes", teams)
    for number in range(count):
        checks.that(f" on n{number + 1}: " in log, f"{count} × {ranks}: node n{number + 1} is not told of", log)


def check_environment(program, checks, run, folder, expected):
    """What only one node's environment says of the place of data is no matter: one rank reads the configuration."""
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    command = [*run, "--out", folder / "environments"]
    last_rank = [":", "-n", 1, "env", f"VENTRAL_DATA={elsewhere}", program.ventral, *command]
    code, log = program.run([*command, *last_rank], 2)
    checks.that(code == 0, f"with another VENTRAL_DATA on one rank: ends with {code}", log)
    checks.that(scores_csv(folder / "environments") == expected, "another VENTRAL_DATA on one rank changes bytes")


def check_resume(nodes, checks, run, out, shape, expected, before):
    code, log = nodes.run([*run, "--out", out], *shape)
    checks.that(code == 0, f"{out.name}: the resumed run ends with {code}", log)
    checks.that(scores_csv(out) == expected, f"{out.name}: the resumed run gives other bytes")
    after = results_on_disk(out)
    checks.that(all(after.count(result) == 1 for result in before), f"{out.name}: something was lost or done twice")
    return log


def begin(nodes, run, out, shape):
    """A run whose first results are on disk."""
    process = nodes.start([*run, "--out", out], *shape, out.with_suffix(".log"))
    wait_for(lambda: results_on_disk(out) or process.poll() is not None)
    return process


def check_kill(nodes, checks, run, out, expected):
    process = begin(nodes, run, out, (2, 2))
    ranks = ranks_of(process.pid)
    if not checks.that([len(each) for each in ranks] == [2, 2], "not two ranks on each of two nodes", ranks):
        wait(process, 60)
        return
    os.kill(ranks[-1][0], signal.SIGKILL)
    code = wait(process, 60)
    checks.that(code == 128 + signal.SIGKILL, f"after a killed rank it ends with {code}", out.with_suffix(".log").read_text())
    check_resume(nodes, checks, run, out, (3, 1), expected, results_on_disk(out))


def check_stop(nodes, checks, run, out, expected):
    process = begin(nodes, run, out, (2, 1))
    process.send_signal(signal.SIGUSR1)
    code = wait(process, 60)
    log = out.with_suffix(".log").read_text()
    checks.that(code == INTERRUPTED, f"SIGUSR1: ends with {code}, not 75", log)
    checks.that("at once" not in log, "SIGUSR1: no safe point on one of the nodes", log)
    before = results_on_disk(out)
    checks.that(len(finished_scores(out)) < SCORES, "SIGUSR1: nothing is left to do")
    check_resume(nodes, checks, run, out, (2, 2), expected, before)


def check_extract(nodes, checks, demo, folder):
    """A metric on the activations that ranks of two nodes write into one file."""
    chance = random.Random(2)
    stimuli = shutil.copy(demo / "data" / "stimuli.csv", demo / "data" / "images")
    ids = [line.partition(",")[0] for line in pathlib.Path(stimuli).read_text().splitlines()[1:]]
    recordings = folder / "responses.nc"
    write_assembly(recordings, [[chance.gauss(0, 1) for _ in range(4)] for _ in ids], {"stimulus_id": ids},
                   {"neuroid_id": [f"n{number}" for number in range(4)]})
    said = []
    for number, (shape, more) in enumerate([((1, 1), []), ((2, 1), []), ((2, 2), ["--activations-compress", 1])]):
        out = folder / f"activations{number}.h5"
        code, log = nodes.run(["extract", demo / "models" / "demo_designed.toml", "--images", stimuli,
                               "--layers", ",".join(LAYERS), "--out", out, "--threads", 1, *more], *shape)
        checks.that(code == 0, f"extract on {shape[0]} node(s) × {shape[1]} ends with {code}", log)
        said.append([nodes.program.answer(["metric", "rdm", "--source", out, "--layer", layer, "--target", recordings,
                                           "--json", "--threads", 1]) for layer in LAYERS])
    checks.that(all(code == 0 for code, _ in said[0]), "the metric fails on the activations of one rank", said[0])
    checks.that(said[1] == said[0] and said[2] == said[0], "activations differ by the nodes that wrote them", said)


def several_nodes(program, folder, checks):
    simulated = SimulatedNodes(program.mpirun, folder / "nodes")
    if simulated.why_not():
        print(f"skipped: {simulated.why_not()}")
        sys.exit(SKIPPED)
    nodes = Nodes(program, simulated)
    demo = folder / "demo"
    make_small_demo(program, demo)
    run = ["run", demo / "run.toml", *RUN, "--threads", 1]
    code, log = program.run([*run, "--out", folder / "alone"])
    checks.that(code == 0, f"one rank ends with {code}", log)
    expected = scores_csv(folder / "alone")
    checks.that(expected.count(b",scored,") == SCORES, f"not {SCORES} scores", expected.decode())
    in_pairs(lambda check: check(), [
        lambda: check_bits(nodes, checks, run, folder, (2, 1), expected),
        lambda: check_bits(nodes, checks, run, folder, (2, 2), expected),
        lambda: check_bits(nodes, checks, run, folder, (3, 1), expected),
        lambda: check_environment(program, checks, run, folder, expected),
        lambda: check_kill(nodes, checks, run, folder / "killed", expected),
        lambda: check_stop(nodes, checks, run, folder / "stopped", expected),
        lambda: check_extract(nodes, checks, demo, folder)])


if __name__ == "__main__":
    main(several_nodes)
