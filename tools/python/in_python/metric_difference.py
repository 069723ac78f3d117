"""How far a result of the program is from one of the reference's forms, and how far it may be."""
import dataclasses
import math

import numpy as np

from .goldens import FACTOR, FLOOR
from .reference_readouts import Readout

NOISE = 1e-14


def numbers(printed):
    """A value of the program's JSON, or one of a form, as an array; null is NaN."""
    values = printed["values"] if isinstance(printed, dict) else printed
    return np.array(values, dtype=object).astype(np.float64)


def distance(one, other):
    """The largest absolute difference; NaN and infinities must stand in the same places."""
    if one.shape != other.shape:
        return math.inf
    same = (one == other) | (np.isnan(one) & np.isnan(other))
    with np.errstate(invalid="ignore"):
        differences = np.where(same, 0.0, np.abs(one - other))
    return math.inf if np.isnan(differences).any() else differences.max(initial=0.0)


def parts(result):
    """What there is to compare of a form's result, by the program's names."""
    if isinstance(result, Readout):
        return result.numbers
    names = ("value", "error", "raw", "lower_bound_loo")
    return {name: numbers(getattr(result, name)) for name in names if getattr(result, name) is not None}


def difference(printed, result):
    worst = max((distance(numbers(printed.get(name)), values) for name, values in parts(result).items()), default=0.0)
    if isinstance(result, Readout):
        return worst if all(printed[name] == texts for name, texts in result.texts.items()) else math.inf
    if result.neuroids is None:
        return worst
    return worst if printed["raw"]["coords"]["neuroid_id"]["values"] == list(result.neuroids) else math.inf


def has_other_alpha(printed, result):
    return getattr(result, "alpha", None) is not None and printed["raw"]["attrs"]["alpha"] != result.alpha


def movement(result, moved):
    return max((distance(values, parts(moved)[name]) for name, values in parts(result).items()), default=0.0)


def noisy(values, generator):
    return values * (1 + NOISE * generator.uniform(-1, 1, values.shape))


def with_values(assembly, values):
    return dataclasses.replace(assembly, values=values)


def moved(assembly, generator):
    """The same with a relative noise as rounding would be."""
    return with_values(assembly, noisy(assembly.values, generator))


def moved_with_ties(assembly, generator):
    """The same, but equal values stay equal, so that constants and ties do."""
    distinct, place = np.unique(assembly.values, return_inverse=True)
    return with_values(assembly, noisy(distinct, generator)[place].reshape(assembly.values.shape))


def centred(assembly):
    """With the mean of its finite entries taken from every column: what is NaN or infinite stays as it is."""
    finite = np.isfinite(assembly.values)
    counts = np.maximum(finite.sum(axis=0), 1)
    return with_values(assembly, assembly.values - np.where(finite, assembly.values, 0).sum(axis=0) / counts)


def allowed(movements):
    return max(FLOOR, FACTOR * max(movements))
