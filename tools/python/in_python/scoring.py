"""Cross-validated regression scores and their ceiling with scikit-learn, in the reference's order.

Brain-Score's `CrossRegressedCorrelation`, `InternalConsistency` and `explained_variance`, without
their xarray bookkeeping, which costs the reference time but changes no number.
"""
import dataclasses
import warnings

import numpy as np
from scipy.stats import pearsonr
from sklearn.cross_decomposition import PLSRegression
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold, ShuffleSplit, StratifiedKFold, StratifiedShuffleSplit

from .recordings import mean_over_repetitions

RANDOM_STATE = 1


@dataclasses.dataclass
class Value:
    value: float
    error: float
    raw: np.ndarray  # split × neuroid


def folds(metric, target):
    """Row indices (train, test) of each split, drawn on the target's row order."""
    count = len(target.stimulus_ids())
    strata_name = metric.get("stratification", "object_name")
    strata = None if strata_name == "none" else target.presentations[strata_name]
    splits = metric.get("splits", 10)
    if metric.get("kfold"):
        kind = KFold if strata is None else StratifiedKFold
        splitter = kind(n_splits=splits, shuffle=True, random_state=RANDOM_STATE)
    else:
        train_size, test_size = (None if metric.get(name, default) == "none" else metric.get(name, default)
                                 for name, default in (("train_size", 0.9), ("test_size", None)))
        kind = ShuffleSplit if strata is None else StratifiedShuffleSplit
        splitter = kind(n_splits=splits, train_size=train_size, test_size=test_size,
                        random_state=RANDOM_STATE)
    return list(splitter.split(np.zeros(count), strata))


def regression(metric):
    if metric["name"] == "pls":
        return PLSRegression(n_components=metric.get("n_components", 25), scale=False)
    if metric["name"] == "ridge":
        return Ridge(alpha=metric.get("alpha", 1))
    raise SystemExit(f"metric {metric['name']} is not one of pls, ridge")


def correlations(target, other):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a constant column is NaN, as wanted
        return np.array([np.nan if np.isnan(a).any() or np.isnan(b).any() else pearsonr(a, b)[0]
                         for a, b in zip(target.T, other.T)])


def by_stimulus(rows, ids):
    return rows[np.argsort(ids[rows], kind="stable")]


def score_fold(metric, features, target, fold):
    """r per neuroid, in the order of neuroid_id. `features` has the target's row order."""
    ids = target.stimulus_ids()
    train, test = (by_stimulus(rows, ids) for rows in fold)
    columns = np.argsort(target.neuroids["neuroid_id"], kind="stable")
    fitted = regression(metric).fit(features[train], target.values[train])
    return correlations(target.values[test], fitted.predict(features[test]))[columns]


def aggregated(raw):
    centre = np.nanmedian(raw, axis=1)
    return Value(np.nanmean(centre), np.nanstd(centre) / np.sqrt(len(centre)), raw)


def cross_validated(metric, features, target):
    return aggregated(np.array([score_fold(metric, features, target, fold)
                                for fold in folds(metric, target)]))


def internal_consistency(recordings):
    repetition = recordings.presentations["repetition"]
    repetitions = np.unique(repetition)
    splitter = ShuffleSplit(n_splits=10, train_size=0.5, random_state=RANDOM_STATE)
    raw = []
    for halves in splitter.split(repetitions):
        one, other = (mean_over_repetitions(recordings.rows(np.isin(repetition, repetitions[half]))) for half in halves)
        if not one.index.equals(other.index):
            raise ValueError("a stimulus has no repetition in one of the halves")
        r = correlations(one.values, other.values)
        raw.append(2 * r / (1 + r))
    return aggregated(np.array(raw))


def normalised(value, ceiling, how):
    if how == "explained_variance":
        return value ** 2 / ceiling
    return value / ceiling if how == "ceil_score" else value


def row_space(features):
    """The same stimuli in at most as many features as there are stimuli.

    An orthogonal rotation of the centred features: PLS (but for its signs, which cancel) and ridge
    are the same for both, and 600 instead of 373248 columns make the difference of hours.
    """
    centred = features.astype(np.float64)
    centred -= centred.mean(axis=0)
    return np.linalg.qr(centred.T, mode="r").T if centred.shape[1] > centred.shape[0] else centred
