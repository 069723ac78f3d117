"""The metrics as Brain-Score drives scikit-learn, numpy and xarray, on arrays in memory.

Each takes a `Problem` and returns raw values: a row per split where there are splits. Without Brain-Score's
xarray bookkeeping around the regressions, which costs the reference time but changes no number; the
averaging of repetitions goes through xarray's groupby, because that is where its time is.
"""
import dataclasses

import numpy as np
import pandas
import scipy.stats
import xarray
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import ShuffleSplit

from . import scoring
from .recordings import Recordings

ALPHAS = np.concatenate([
    [0.01, 0.1, 0.5, 1.0],
    np.linspace(1e1, 1e2, 4, endpoint=False),
    *(np.linspace(10.0 ** k, 10.0 ** (k + 1), 18, endpoint=False) for k in (2, 3, 4, 5)),
    np.linspace(1e6, 1e7, 19)])


@dataclasses.dataclass
class Problem:
    features: np.ndarray | None
    target: Recordings
    splits: int  # that the metric has
    timed: int   # the first ones, that are computed


def regress(metric, problem):
    """r per neuroid of the first folds."""
    metric = metric | {"splits": problem.splits}
    folds = scoring.folds(metric, problem.target)[:problem.timed]
    return [scoring.score_fold(metric, problem.features, problem.target, fold) for fold in folds]


def pls_cv(problem):
    return regress({"name": "pls"}, problem)


def ridge_cv(problem):
    return regress({"name": "ridge"}, problem)


def pls_cv_reduced(problem):
    """The strongest thing a user of scikit-learn can do: reduce the features to the space of the stimuli first."""
    return pls_cv(dataclasses.replace(problem, features=scoring.row_space(problem.features)))


def ridge_cv_reduced(problem):
    return ridge_cv(dataclasses.replace(problem, features=scoring.row_space(problem.features)))


def first_fold(target):
    return scoring.folds({"splits": 1}, target)[0]


def ridgecv_split(problem):
    train, test = first_fold(problem.target)
    fitted = RidgeCV(alphas=ALPHAS, store_cv_values=True).fit(problem.features[train], problem.target.values[train])
    return [scoring.correlations(problem.target.values[test], fitted.predict(problem.features[test]))]


def without_diagonal(kernel):
    np.fill_diagonal(kernel, 0)
    return kernel


def hsic(k, other):
    n = len(k)
    sums, others = k.sum(axis=0), other.sum(axis=0)
    total = np.sum(k * other) + k.sum() * other.sum() / ((n - 1) * (n - 2)) - 2 * (sums @ others) / (n - 2)
    return total / (n * (n - 3))


def cka(problem):
    """Unbiased, with features that are not centred, in their own type."""
    k = without_diagonal(problem.features @ problem.features.T)
    other = without_diagonal(problem.target.values @ problem.target.values.T)
    return aligned(hsic(k, other), hsic(k, k), hsic(other, other))


def aligned(cross, own, other):
    product = own * other
    return [[cross / (np.sqrt(product) + 1e-12) if product > 0 else 0.0]]


def cka_kernels_anew(problem):
    """The same with the kernels multiplied out for each of the three HSIC, as a function of two tables does."""
    def hsic_of(one, two):
        return hsic(without_diagonal(one @ one.T), without_diagonal(two @ two.T))
    x, y = problem.features, problem.target.values
    return aligned(hsic_of(x, y), hsic_of(x, x), hsic_of(y, y))


def rdm(problem):
    above = np.triu_indices(len(problem.features), k=1)
    triangles = [(1 - np.corrcoef(rows))[above] for rows in (problem.features, problem.target.values)]
    return [[scipy.stats.spearmanr(*triangles)[0]]]


@dataclasses.dataclass(frozen=True, order=True)
class Labels:
    """All labels of a presentation as one value: a bare tuple would be taken for levels of an index."""

    values: tuple


def mean_over_repetitions(assembly, names):
    combined = np.empty(assembly.sizes["presentation"], dtype=object)
    combined[:] = [Labels(values) for values in zip(*(assembly[name].values.tolist() for name in names))]
    return assembly.assign_coords(group=("presentation", combined)).groupby("group").mean(dim="presentation")


def internal_consistency(problem):
    table = problem.target
    names = sorted(table.presentations)
    index = pandas.MultiIndex.from_arrays([table.presentations[name] for name in names], names=names)
    assembly = xarray.DataArray(table.values, dims=("presentation", "neuroid"), coords={"presentation": index})
    others = [name for name in names if name != "repetition"]
    repetitions = np.unique(table.presentations["repetition"])
    splitter = ShuffleSplit(n_splits=problem.splits, train_size=0.5, random_state=scoring.RANDOM_STATE)
    raw = []
    for halves in list(splitter.split(repetitions))[:problem.timed]:
        one, other = (mean_over_repetitions(assembly[np.isin(assembly["repetition"].values, repetitions[half])], others)
                      for half in halves)
        r = scoring.correlations(one.values, other.values)
        raw.append(2 * r / (1 + r))
    return raw


FORMS = {form.__name__: form for form in (
    pls_cv, ridge_cv, ridgecv_split, cka, cka_kernels_anew, rdm, internal_consistency, pls_cv_reduced, ridge_cv_reduced)}


def as_the_reference(name, features):
    """The type of the features on which the reference fits `name`."""
    return features.astype(np.float64) if name in ("pls_cv", "pls_cv_reduced", "ridge_cv_reduced") else features
