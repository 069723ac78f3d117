"""The regressions of Brain-Score, all in float64: fit on train rows, predict test rows (NUMERICS section 6)."""
import numpy as np
import scipy.linalg
from sklearn.cross_decomposition import PLSRegression
from sklearn.linear_model import Ridge, RidgeCV

from .reference_forms import ALPHAS


def pls(options, x, y, x_test):
    model = PLSRegression(n_components=options.get("n_components", 25), scale=False)
    return model.fit(x, y).predict(x_test), None


def ridge(options, x, y, x_test):
    return Ridge(alpha=options.get("alpha", 1)).fit(x, y).predict(x_test), None


def linear_predictivity(_, x, y, x_test):
    """With the rank cut-off that makes it well defined where features outnumber rows."""
    refuse_nan(x, y, x_test)
    x_mean, y_mean = x.mean(axis=0), y.mean(axis=0)
    weights = scipy.linalg.lstsq(x - x_mean, y - y_mean, cond=max(x.shape) * np.finfo(float).eps)[0]
    return (x_test - x_mean) @ weights + y_mean, None


def normalised_columns(values):
    centred = values - values.mean(axis=0)
    return centred / np.linalg.norm(centred, axis=0)


def neuron_to_neuron(_, x, y, x_test):
    """nanargmax raises where a target correlates with no feature. Target by target: the order of numpy's additions,
    and with it whether a constant target is its own mean, depends on it."""
    with np.errstate(invalid="ignore", divide="ignore"):
        features = normalised_columns(x)
        chosen = [np.nanargmax((features * normalised_columns(y[:, target:target + 1])).sum(axis=0))
                  for target in range(y.shape[1])]
    return x_test[:, chosen], None


def ridgecv(options, x, y, x_test):
    alphas = options.get("alphas", "ALPHA_LIST")
    model = RidgeCV(alphas=ALPHAS if alphas == "ALPHA_LIST" else alphas, store_cv_values=True).fit(x, y)
    return model.predict(x_test), model.alpha_


def dual_ridge(options, x, y, x_test):
    if len(x) >= x.shape[1]:
        return ridge(options, x, y, x_test)
    return in_rows(x, y, x_test, options.get("alpha", 1)), None


def in_rows(x, y, x_test, alpha):
    refuse_nan(x, y, x_test)
    x_mean, y_mean = x.mean(axis=0), y.mean(axis=0)
    centred = x - x_mean
    kernel = centred @ centred.T + alpha * np.eye(len(x))
    inverse = np.linalg.solve(kernel, np.eye(len(x)))
    return (x_test - x_mean) @ centred.T @ (inverse @ (y - y_mean)) + y_mean


def dual_ridgecv(options, x, y, x_test):
    if len(x) >= x.shape[1]:
        return ridgecv(options, x, y, x_test)
    refuse_nan(x, y, x_test)
    centred = x - x.mean(axis=0)
    eigenvalues, vectors = np.linalg.eigh(centred @ centred.T)
    small = vectors * np.sqrt(np.maximum(eigenvalues, 0))
    alpha = ridgecv(options, small, y, small)[1]
    return in_rows(x, y, x_test, alpha), alpha


def refuse_nan(*tables):
    """As scikit-learn does."""
    if not all(np.isfinite(table).all() for table in tables):
        raise ValueError("Input contains NaN or infinity")


FORMS = {form.__name__: form for form in (
    pls, ridge, linear_predictivity, neuron_to_neuron, ridgecv, dual_ridge, dual_ridgecv)}
