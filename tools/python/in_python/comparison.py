"""Reference and program in turn on the same arrays: times, peak memory, differences of raw values."""
import os
import statistics

from . import children
from .program import Failed

CROSS_VALIDATED = ("pls_cv", "ridge_cv")
# Another form of the reference, and how its row is named.
BESIDE = {"pls_cv": ("pls_cv_reduced", "scikit-learn LQ"), "ridge_cv": ("ridge_cv_reduced", "scikit-learn LQ"),
          "cka": ("cka_kernels_anew", "kernels per HSIC")}
METRICS = ("pls_cv", "ridge_cv", "ridgecv_split", "cka", "rdm", "internal_consistency")
# Where the reference computes in float32: its values are taken from another run, in float64.
IN_SINGLE = ("ridge_cv", "cka")


class Comparison:
    """One problem, in a folder that the caller removes."""

    def __init__(self, program, folder, environment, arguments):
        self.program, self.folder, self.environment, self.arguments = program, folder, environment, arguments

    def file(self, name):
        return os.path.join(self.folder, name + ".nc")

    def make(self, metrics):
        sizes = self.arguments
        if sizes.white:
            children.make("white", self.folder, self.environment, stimuli=sizes.stimuli, features=sizes.features,
                          targets=sizes.targets)
        else:
            children.make("target", self.folder, self.environment, stimuli=sizes.stimuli, targets=sizes.targets)
        if not sizes.white and set(metrics) != {"internal_consistency"}:
            children.make("source", self.folder, self.environment, stimuli=sizes.stimuli, features=sizes.features)
        if "ridgecv_split" in metrics:
            children.make("split", self.folder, self.environment)
        if "internal_consistency" in metrics:
            children.make("repetitions", self.folder, self.environment, repetitions=sizes.repetitions)

    def run_program(self, name):
        if name == "internal_consistency":
            return self.program.score("ceiling", name, {"assembly": self.file("repetitions")})
        if name == "ridgecv_split":
            roles = [f"{role}-{half}" for half in ("train", "test") for role in ("source", "target")]
            return self.program.score("metric", name, {role: self.file(role) for role in roles})
        params = {"crossvalidation_kwargs": {"splits": self.arguments.splits}} if name in CROSS_VALIDATED else None
        return self.program.score("metric", name, {role: self.file(role) for role in ("source", "target")}, params)

    def splits(self, name):
        """How many splits the metric has, and how many of them the reference computes."""
        if name in CROSS_VALIDATED:
            return self.arguments.splits, min(self.arguments.fold_subset or self.arguments.splits, self.arguments.splits)
        if name == "internal_consistency":
            return 10, min(self.arguments.fold_subset or 10, 10)
        return 1, 1

    def run_reference(self, name, form=None, precision="float32"):
        """With the seconds of all splits, if only some were computed."""
        splits, timed = self.splits(name)
        result = children.reference(form or name, self.folder, self.environment, splits, timed, precision)
        return result | {"seconds": result["seconds"] * splits / timed}


def raw_rows(score, name):
    """Raw values of the program as rows; a metric without any has its value."""
    values = score["raw"]["values"] if "raw" in score and isinstance(score["raw"], dict) else None
    if name in ("cka", "rdm") or values is None:
        return [[score["value"]]]
    return values if isinstance(values[0], list) else [values]


def ratio(reference, seconds):
    return f"{reference / seconds:8.1f}" if seconds else f"{'–':>8}"


def number(seconds):
    return f"{seconds:10.3f}" if seconds is not None else f"{'–':>10}"


HEADER = (f"{'metric':24}{'reference s':>12}{'ventral s':>11}{'ratio':>9}{'wall s':>11}{'ratio':>9}"
          f"{'reference MB':>14}{'ventral MB':>12}{'above idle':>12}{'largest difference':>20}")


def print_row(name, reference, runs, idle, differences):
    """`reference`: results of the repeats, or none. Medians are printed."""
    seconds = statistics.median(result["seconds"] for result in reference) if reference else None
    wall = statistics.median(run.seconds for run in runs)
    stated = [run.computing() for run in runs]
    computing = statistics.median(stated) if None not in stated else None
    peak = max(run.peak for run in runs)
    print(f"{name:24}", f"{number(seconds):>11}", number(computing),
          ratio(seconds, computing) if seconds else f"{'–':>8}", number(wall),
          ratio(seconds, wall) if seconds else f"{'–':>8}",
          f"{max(r['peak'] for r in reference) / 1e6:13.0f}" if reference else f"{'–':>13}",
          f"{peak / 1e6:11.0f}", f"{(peak - idle) / 1e6:11.0f}",
          f"{differences:19.1e}" if differences is not None else f"{'–':>19}", flush=True)


def compare_metric(comparison, name, idle):
    arguments = comparison.arguments
    reference, other, runs = [], [], []
    form, label = BESIDE.get(name, (None, None))
    for _ in range(arguments.repeats):
        if not arguments.without_reference:
            reference.append(comparison.run_reference(name))
        runs.append(comparison.run_program(name))
        if not arguments.without_reference and form:
            other.append(comparison.run_reference(name, form))
    differences = None
    if reference:
        values = comparison.run_reference(name, precision="float64") if name in IN_SINGLE else reference[0]
        differences = children.difference(raw_rows(runs[0].score(), name), values["raw"])
    print_row(name, reference, runs, idle, differences)
    if other:
        print_row(f"  beside {label}", other, runs, idle,
                  None if name in IN_SINGLE else children.difference(raw_rows(runs[0].score(), name), other[0]["raw"]))
    for phases in [run.phases for run in runs if run.phases and arguments.phases]:
        print("   ", ", ".join(f"{phase} {seconds:.3f} s" for phase, seconds in phases.items()))


def compare(program, folder, environment, arguments):
    comparison = Comparison(program, folder, environment, arguments)
    comparison.make(arguments.metrics)
    idle = program.idle_peak()
    print(f"{'white data, ' if arguments.white else ''}{arguments.stimuli} stimuli, {arguments.features} features, {arguments.targets} targets,"
          f" {arguments.splits} splits, {arguments.repetitions} repetitions; {arguments.threads} threads,"
          f" OPENBLAS_CORETYPE={environment.get('OPENBLAS_CORETYPE', 'as detected')};"
          f" median of {arguments.repeats}; load of the machine before: {os.getloadavg()[0]:.1f}")
    if arguments.fold_subset:
        print(f"The reference computed {arguments.fold_subset} of the splits; its time is multiplied: an estimate.")
    print(HEADER)
    for name in arguments.metrics:
        try:
            compare_metric(comparison, name, idle)
        except Failed as failure:
            print(f"{name:24} the program failed: {str(failure).splitlines()[-1]}", flush=True)
    return 0
