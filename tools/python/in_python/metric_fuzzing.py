"""Random problems given to the program and to the reference's forms, and the table of their differences."""
import contextlib
import dataclasses
import math
import os
import tempfile

import numpy as np

from . import metric_difference, random_problems, reference_ceilings, reference_metrics, reference_readouts
from .assemblies import write_assembly
from .goldens import FLOOR
from .metric_goldens import form_result
from .program import Failed

METRICS = [*reference_metrics.FORMS, *reference_ceilings.FORMS, *reference_readouts.FORMS]
# Times that each kind of noise is drawn: a reference that is not reproducible may by chance move little.
NOISES = (2, 20)
TIED = ("rdm", "rsa", "neuron_to_neuron")


@dataclasses.dataclass
class Case:
    difference: float
    allowed: float
    miss: str = ""
    raised: bool = False


def kind_of(name):
    if name in reference_readouts.FORMS:
        return "readout"
    return "ceiling" if name in reference_ceilings.FORMS else "metric"


def answer(program, name, problem, folder):
    """What the program prints, or None and its message."""
    files = {role: os.path.join(folder, role + ".nc") for role in problem.assemblies}
    for role, path in files.items():
        write_assembly(path, problem.assemblies[role], problem.dims[role])
    try:
        return program.score(kind_of(name), name, files, problem.params).score(), ""
    except Failed as failed:
        return None, str(failed).partition("\n")[2]


def form(name, problem, assemblies):
    """The form's result, or None and why it raised."""
    try:
        return form_result(name, problem.params, assemblies), ""
    except (ValueError, AssertionError, np.linalg.LinAlgError) as error:
        return None, f"{type(error).__name__}: {error}"


def movements(name, problem, assemblies, expected, times):
    """How far each noise moves the result, and whether to another alpha.

    Noise of every number for itself leaves no tie and no constant, so it counts where neither makes the result. CKA does
    not depend on what is added to a column, but its kernels lose digits by it.
    """
    generator = np.random.default_rng(0)
    for noise in (metric_difference.moved, metric_difference.moved_with_ties) * times:
        moved, raised = form(name, problem, [noise(table, generator) for table in assemblies])
        movement = math.inf if raised else metric_difference.movement(expected, moved)
        if noise is metric_difference.moved_with_ties or not name.startswith(TIED) and math.isfinite(movement):
            yield movement, not raised and getattr(moved, "alpha", None) != getattr(expected, "alpha", None)
    if name.startswith("cka"):
        moved, raised = form(name, problem, [metric_difference.centred(table) for table in assemblies])
        if not raised:
            yield metric_difference.movement(expected, moved), False


def compare_case(program, name, problem, folder):
    as_stored = kind_of(name) == "readout"  # these compute in the features' own type
    assemblies = [table if as_stored else table.in_float64() for table in problem.assemblies.values()]
    expected, raised = form(name, problem, assemblies)
    printed, message = answer(program, name, problem, folder)
    if raised and printed is None:
        return Case(0.0, FLOOR, raised=True)
    if raised:
        return Case(math.inf, 0.0, f"the reference raises {raised}, the program answers {printed.get('value')}")
    if printed is None:
        return Case(math.inf, 0.0, f"the reference answers {metric_difference.parts(expected)}, the program: {message}")
    found = metric_difference.difference(printed, expected)
    allowed = max(FLOOR, expected.floor)
    has_wrong_alpha = metric_difference.has_other_alpha(printed, expected)
    for times in NOISES:
        if found > allowed or has_wrong_alpha:
            moved = list(movements(name, problem, assemblies, expected, times))
            allowed = max(allowed, metric_difference.allowed([distance for distance, _ in moved]))
            has_wrong_alpha = has_wrong_alpha and not any(has_moved for _, has_moved in moved)
    told = f"{found:.2e} where {allowed:.2e} is allowed, route {printed.get('route')}" if found > allowed else ""
    if has_wrong_alpha:
        told = f"another alpha than the reference's {expected.alpha}, route {printed.get('route')}"
    return Case(found, allowed, told)


def repeat_line(name, seed, number, problem, told):
    return (f"{name}: {told}\n    {'; '.join(problem.told)}; {problem.params}\n"
            f"    tools/compare_metrics --seed {seed} --metrics {name} --only {number}")


def summary(name, cases):
    compared = [case for case in cases if not case.raised and not case.miss]
    beyond = [case for case in compared if case.difference > FLOOR]
    largest = max((case.difference for case in compared if case not in beyond), default=0.0)
    moving = max(beyond, key=lambda case: case.difference, default=None)
    return (f"{name:30}{len(cases):6}{sum(case.raised for case in cases):9}{largest:14.1e}{len(beyond):11}"
            + (f"{moving.difference:14.1e}{moving.allowed:10.1e}" if moving else f"{'-':>14}{'-':>10}")
            + f"{sum(bool(case.miss) for case in cases):9}")


def kept_folder(keep):
    if keep is None:
        return tempfile.TemporaryDirectory(prefix="compare_metrics-")
    os.makedirs(keep, exist_ok=True)
    return contextlib.nullcontext(keep)


HEADING = (f"{'metric':30}{'cases':>6}{'refused':>9}{'difference':>14}{'unstable':>11}{'difference':>14}"
           f"{'allowed':>10}{'misses':>9}")


def fuzz(program, metrics, seed, numbers, keep=None):
    """1 if anything is outside, else 0."""
    print(HEADING, flush=True)
    misses, total = [], 0
    for name in metrics:
        cases = []
        for number in numbers:
            problem = random_problems.draw(name, seed, number)
            with kept_folder(keep) as folder:
                cases.append(compare_case(program, name, problem, folder))
            if cases[-1].miss:
                misses.append(repeat_line(name, seed, number, problem, cases[-1].miss))
        total += len(cases)
        print(summary(name, cases), flush=True)
    print(*misses, f"{total} cases, {len(misses)} misses", sep="\n")
    return 1 if misses else 0
