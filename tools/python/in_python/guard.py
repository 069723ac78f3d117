"""The guard at work: PLS on features of low rank, where a Gram loses the digits of the later components."""
from . import children
from .program import Failed

NOISES = (1e-3, 1e-4, 1e-5)
RANK = 12
MOVEMENT = 1e-14
SIZES = {"stimuli": 300, "features": 1500}
TARGETS = 30
SPLITS = 4


def program_scores(program, folder):
    """Scores by route: the Gram alone, and as the guard chooses."""
    files = {role: f"{folder}/{role}.nc" for role in ("source", "target")}
    cross_validation = {"crossvalidation_kwargs": {"splits": SPLITS}}
    guarded = program.score("metric", "pls_cv", files, cross_validation).score()
    try:
        gram = program.score("metric", "pls_cv", files,
                             cross_validation | {"regression_kwargs": {"form": "gram"}}).score()
    except Failed as failure:
        print(f"the Gram alone: {str(failure).splitlines()[-1]}")
        gram = None
    return gram, guarded


def guard_table(program, folder, environment):
    print(f"pls_cv on {SIZES['stimuli']} × {SIZES['features']} features of rank {RANK} with noise, {SPLITS} splits;"
          f" largest differences of any r to scikit-learn")
    print(f"{'noise':>8}{'scikit-learn under ' + str(MOVEMENT):>28}{'Gram alone':>13}{'with guard':>13}"
          f"{'guard':>11}  route")
    children.make("target", folder, environment, stimuli=SIZES["stimuli"], targets=TARGETS)
    for noise in NOISES:
        children.make("low_rank", folder, environment, **SIZES, rank=RANK, noise=noise, movement=MOVEMENT)
        expected, moved = (children.reference("pls_cv", path, environment, SPLITS, SPLITS)["raw"]
                           for path in (folder, folder + "/moved"))
        gram, guarded = program_scores(program, folder)
        differences = [children.difference(score["raw"]["values"], expected) if score else float("nan")
                       for score in (gram, guarded)]
        value = guarded["margins"].get("guard")
        print(f"{noise:8.0e}{children.difference(moved, expected):28.1e}{differences[0]:13.1e}{differences[1]:13.1e}"
              f"{float('nan') if value is None else float(value):11.1e}  {guarded['route']}", flush=True)
    return 0
