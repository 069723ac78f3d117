"""The metrics of Brain-Score by their registered names, in float64, from NUMERICS sections 1 to 8.

Each takes its parameters, as `ventral metric --params` does, and assemblies, and returns what the program prints:
value, error, raw and the labels of the neuroids, as far as the metric has them. Bad input raises.
"""
import dataclasses

import numpy as np
import scipy.stats
from sklearn.model_selection import KFold, ShuffleSplit, StratifiedKFold, StratifiedShuffleSplit
from sklearn.preprocessing import scale

from . import reference_regressions, scoring
from .recordings import Recordings
from .reference_forms import hsic, without_diagonal


@dataclasses.dataclass
class Result:
    value: object
    error: object = None
    raw: object = None
    neuroids: object = None
    alpha: object = None
    lower_bound_loo: object = None
    floor: float = 0.0


FITTED = {"train_size": 0.9, "test_size": None}
COMPARED = {"train_size": None, "test_size": 0.9}


def splits_of(options, target):
    """The split values of the train and the test part of each split, drawn on the target's row order."""
    values = target.presentations[options.get("split_coord", "stimulus_id")]
    strata_name = options.get("stratification_coord", "object_name")
    strata = None if strata_name is None else target.presentations[strata_name]
    if options.get("unique_split_values"):
        values, first = np.unique(values, return_index=True)
        strata = None if strata is None else strata[first]
    sizes = {name: options.get(name) for name in ("train_size", "test_size")}
    if sizes == {"train_size": None, "test_size": None}:
        sizes["train_size"] = 0.9
    common = {"n_splits": options.get("splits", 10), "random_state": options.get("random_state", 1)}
    if options.get("kfold"):
        if sizes["train_size"] not in (None, 0.9) or sizes["test_size"] is not None:
            raise ValueError("kfold has sizes of its own")
        splitter = (KFold if strata is None else StratifiedKFold)(shuffle=True, **common)
    else:
        splitter = (ShuffleSplit if strata is None else StratifiedShuffleSplit)(**sizes, **common)
    return [(values[train], values[test]) for train, test in splitter.split(np.zeros(len(values)), strata)]


def by_stimulus(table):
    return table.rows(np.argsort(table.presentations["stimulus_id"], kind="stable"))


def require_same_stimuli(options, source, target):
    names = [options.get("split_coord", "stimulus_id"), options.get("stratification_coord", "object_name")]
    for name in filter(None, names):
        if sorted(source.presentations[name]) != sorted(target.presentations[name]):
            raise AssertionError(f"{name} of source and target differ")


def parts_of_folds(options, source, target):
    """Train source, train target, test source and test target of each split, by membership."""
    require_same_stimuli(options, source, target)
    name = options.get("split_coord", "stimulus_id")
    for values in splits_of(options, target):
        yield [table.rows(np.isin(table.presentations[name], chosen)) for chosen in values
               for table in (source, target)]


def neuroid_order(table):
    return np.argsort(table.neuroids["neuroid_id"], kind="stable")


def correlate(regression, options, parts):
    """r per neuroid in the order of neuroid_id, and the alpha chosen."""
    x, y, x_test, y_test = (by_stimulus(table) for table in parts)
    if list(x.presentations["stimulus_id"]) != list(y.presentations["stimulus_id"]):
        raise AssertionError("stimuli differ")
    prediction, alpha = reference_regressions.FORMS[regression](options, x.values, y.values, x_test.values)
    return scoring.correlations(y_test.values, prediction)[neuroid_order(y)], alpha


def aggregated(raw):
    """Median over neuroids, the last axis; mean and error over splits, the first."""
    centre = np.nanmedian(raw, axis=-1) if raw.ndim > 1 else raw
    return np.nanmean(centre, axis=0), np.nanstd(centre, axis=0) / np.sqrt(len(raw))


def sorted_ids(table):
    return table.neuroids["neuroid_id"][neuroid_order(table)]


def cross_validated(regression, params, source, target):
    options = params.get("regression_kwargs", {})
    folds = parts_of_folds(FITTED | params.get("crossvalidation_kwargs", {}), source, target)
    raw = np.array([correlate(regression, options, parts)[0] for parts in folds])
    return Result(*aggregated(raw), raw, sorted_ids(target))


def train_test(regression, params, parts):
    options = {key: params[key] for key in ("alphas",) if key in params} | params.get("regression_kwargs", {})
    raw, alpha = correlate(regression, options, parts)
    return Result(np.nanmedian(raw), None, raw, sorted_ids(parts[1]), alpha)


def with_scaled_targets(target):
    return dataclasses.replace(target, values=scale(target.values))


def bins_as_rows(assembly):
    """All time bins of the first presentation part after part: time-major."""
    bins = assembly.values.shape[2]
    rows = np.concatenate([assembly.values[:, :, position] for position in range(bins)])
    return Recordings(rows, {name: np.tile(labels, bins) for name, labels in assembly.presentations.items()},
                      assembly.neuroids)


def require_same_bins(source, target):
    for name, starts in target.time_bins.items():
        if list(source.time_bins[name]) != list(starts):
            raise AssertionError("time bins differ")


def spantime_fold(regression, options, parts):
    """Bins are predicted and compared in the order of their start."""
    x, y = (by_stimulus(bins_as_rows(table)) for table in parts[:2])
    x_test, y_test = (by_stimulus(table) for table in parts[2:])
    bins = y_test.values.shape[2]
    rows = np.concatenate([x_test.values[:, :, position] for position in range(bins)])
    prediction = reference_regressions.FORMS[regression](options, x.values, y.values, rows)[0]
    stimuli = len(x_test.values)
    return [scoring.correlations(y_test.values[:, :, position],
                                 prediction[position * stimuli:(position + 1) * stimuli])[neuroid_order(y)]
            for position in np.argsort(y_test.time_bins["time_bin_start"], kind="stable")]


def spantime(regression, params, source, target):
    require_same_bins(source, target)
    options = params.get("regression_kwargs", {})
    folds = parts_of_folds(FITTED | params.get("crossvalidation_kwargs", {}), source, target)
    raw = np.array([spantime_fold(regression, options, parts) for parts in folds])
    return Result(*aggregated(raw), raw, sorted_ids(target))


def pertime_ridge(params, source, target):
    positions = [np.argsort(table.time_bins["time_bin_start"], kind="stable") for table in (source, target)]
    if list(source.time_bins["time_bin_start"][positions[0]]) != list(target.time_bins["time_bin_start"][positions[1]]):
        raise AssertionError("time bins differ")
    results = [cross_validated("ridge", params, source.at_bin(one), target.at_bin(other))
               for one, other in zip(*positions)]
    return Result(*(np.array([getattr(result, name) for result in results]) for name in ("value", "error", "raw")),
                  sorted_ids(target))


def rdm_of(values):
    if len(values) < 2:
        raise ValueError("an assembly of two dimensions made of a scalar")
    with np.errstate(invalid="ignore", divide="ignore"):
        return 1 - np.corrcoef(values)


def triangle(matrix):
    diagonal = np.diag(matrix)
    if np.abs(diagonal[~np.isnan(diagonal)]).max(initial=0) >= 1.5e-7:
        raise AssertionError("a diagonal that is not 0")
    return matrix[np.triu_indices(len(matrix), k=1)]


def spearman(one, other):
    if np.isnan(one).any() or np.isnan(other).any() or len(one) < 2:
        return np.nan
    ranks = [scipy.stats.rankdata(values) for values in (one, other)]
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.corrcoef(*ranks)[0, 1]


def rdm(source, target):
    """The matrices are made in each one's own order and then sorted: exact ties depend on the order of the sums."""
    triangles = []
    for table in (source, target):
        order = np.argsort(table.presentations["stimulus_id"], kind="stable")
        triangles.append(triangle(rdm_of(table.values)[np.ix_(order, order)]))
    return spearman(*triangles)


def cka(source, target):
    x, y = (by_stimulus(table).values for table in (source, target))
    if len(x) < 4:
        raise ValueError("unbiased HSIC needs 4 stimuli")
    k, other = (without_diagonal(table @ table.T) for table in (x, y))
    product = hsic(k, k) * hsic(other, other)
    return 0.0 if product <= 0 else hsic(k, other) / (np.sqrt(product) + 1e-12)


def cka_biased(source, target):
    x, y = (by_stimulus(table).values for table in (source, target))
    centring = np.eye(len(x)) - 1 / len(x)
    k, other = (centring @ (table @ table.T) @ centring for table in (x, y))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.sum(k * other) / (np.sqrt(np.sum(k * k)) * np.sqrt(np.sum(other * other)))


def compare(comparison, _, source, target):
    if sorted(source.presentations["stimulus_id"]) != sorted(target.presentations["stimulus_id"]):
        raise AssertionError("stimuli differ")
    return Result(comparison(source, target))


def compare_test_parts(comparison, params, source, target):
    options = COMPARED | params.get("crossvalidation_kwargs", {})
    raw = np.array([comparison(*parts[2:]) for parts in parts_of_folds(options, source, target)])
    return Result(*aggregated(raw), raw)


def of_tables(form, *arguments):
    """A form of assemblies with one time bin."""
    return lambda params, source, target: form(*arguments, params, source.single(), target.single())


def of_parts(regression, reversed_roles=False):
    order = (1, 0, 3, 2) if reversed_roles else (0, 1, 2, 3)
    return lambda params, *parts: train_test(regression, params, [parts[i].single() for i in order])


def scaled(regression):
    return lambda params, source, target: cross_validated(regression, params, source.single(),
                                                          with_scaled_targets(target.single()))


REGRESSIONS = ("pls", "ridge", "linear_predictivity", "neuron_to_neuron")

FORMS = {
    **{name + "_cv": of_tables(cross_validated, name) for name in REGRESSIONS},
    **{name + "_split": of_parts(name) for name in reference_regressions.FORMS},
    "scaled_pls_cv": scaled("pls"),
    "scaled_ridge_cv": scaled("ridge"),
    "reverse_pls_cv": lambda params, source, target: FORMS["pls_cv"](params, target, source),
    "reverse_pls_split": of_parts("pls", reversed_roles=True),
    "spantime_pls": lambda *arguments: spantime("pls", *arguments),
    "spantime_ridge": lambda *arguments: spantime("ridge", *arguments),
    "pertime_ridge": pertime_ridge,
    "rdm": of_tables(compare, rdm),
    "cka": of_tables(compare, cka),
    "cka_biased": of_tables(compare, cka_biased),
    "rdm_cv": of_tables(compare_test_parts, rdm),
    "cka_cv": of_tables(compare_test_parts, cka),
}
