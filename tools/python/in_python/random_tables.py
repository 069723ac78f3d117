"""Features and recordings with random oddities, as a hostile set of goldens would have them."""
import dataclasses

import numpy as np

from .assemblies import Assembly


def odd_count(generator, least, most):
    """Log-uniform."""
    return int(np.exp(generator.uniform(np.log(least), np.log(most + 0.99))))


def chance(generator, probability):
    return generator.uniform() < probability


def pick(generator, *choices):
    return choices[generator.integers(len(choices))]


def texts(values):
    return np.array(list(values), dtype=object)


def identifiers(generator, count):
    """Distinct, in random order; sorted, they come in another order than by number, or than by letter."""
    numbers = generator.permutation(3 * count + 5)[:count]
    kind = pick(generator, "numbers", "short", "long", "mixed")
    if kind == "numbers":
        return numbers.astype(np.int64) - pick(generator, 0, count)
    if kind == "short":
        return texts(f"{pick(generator, 's', 'S', 'é', '_')}{number}" for number in numbers)
    if kind == "long":
        return texts(f"{number * 2654435761 % 2 ** 32:08x}{number:06x}" for number in numbers)
    return texts(f"{number}" if number % 2 else f"{number:05d}.png" for number in numbers)


def class_labels(generator, count, least=2):
    """Labels of `count` presentations, classes of unequal size, each with at least `least`."""
    classes = int(generator.integers(1, max(2, min(9, count // 6))))
    weights = generator.dirichlet(np.full(classes, 2.0))
    codes = np.concatenate([np.repeat(np.arange(classes), least),
                            generator.choice(classes, max(0, count - least * classes), p=weights)])[:count]
    codes = generator.permutation(codes)
    names = texts(f"{pick(generator, 'o', 'Z', 'car ')}{code}" for code in range(classes))
    return codes.astype(np.int64) if chance(generator, 0.2) else names[codes]


def latent(generator, rows):
    count = int(generator.integers(2, 12))
    return generator.standard_normal((rows, count)) / np.sqrt(np.arange(1, count + 1)) ** pick(generator, 0, 1, 2)


def readout(generator, factors, columns, noise):
    weights = generator.standard_normal((factors.shape[1], columns))
    return factors @ weights + noise * generator.standard_normal((len(factors), columns))


def features(generator, factors, columns, told):
    kind = pick(generator, "linear", "relu", "white", "low rank", "integer", "sparse", "scales")
    told.append(f"{kind} features")
    noise = {"low rank": pick(generator, 1e-2, 1e-4), "white": 30.0}.get(kind, pick(generator, 0.1, 0.5, 2.0))
    values = readout(generator, factors, columns, noise)
    if kind == "relu":
        return np.maximum(values + generator.standard_normal(columns), 0)
    if kind == "integer":
        return np.round(2 * values)
    if kind == "sparse":
        return np.where(generator.uniform(size=values.shape) < 0.9, 0, values)
    return values * np.exp(2 * generator.standard_normal(columns)) if kind == "scales" else values


@dataclasses.dataclass(frozen=True)
class Limits:
    """What a metric's problems must not have, since the reference's answer is then made of its rounding."""
    scales: tuple = (1e-10, 1e-6, 1e-3, 1e3, 1e6)
    offsets: tuple = (1e4, -1e4, 1e2)
    constants: tuple = (0.0, 1.0, 0.1, 1234.567)


def limits_of(name):
    """Ridge of features that are tiny beside alpha adds its predictions to a mean in which they drown; products of
    responses far from zero cancel in the unbiased CKA, which centres nothing."""
    if "ridge" in name:
        return Limits(scales=(1e-3, 1e3, 1e6))
    return Limits(offsets=(1e2, -1e1)) if name.startswith("cka") else Limits()


def scaled(generator, values, limits, told, name):
    """The whole table with another scale, offset or sign, in half of the problems."""
    scale, offset, sign = 1.0, 0.0, 1
    if chance(generator, 0.25):
        scale = pick(generator, *limits.scales)
    if chance(generator, 0.2):
        offset = pick(generator, *limits.offsets)
    if chance(generator, 0.2):
        sign = -1
    if scale != 1 or offset or sign < 0:
        told.append(f"{name} × {sign * scale:g} + {offset:g}")
    return sign * scale * (values + offset)


def with_odd_columns(generator, values, constants, told, name):
    """A constant column, one that varies in a single row, one that is there twice."""
    rows, columns = values.shape
    column = int(generator.integers(columns))
    kind = pick(generator, "constant", "one row", "twice", "two rows") if chance(generator, 0.3) else None
    if kind == "constant":
        values[:, column] = pick(generator, *constants)
    elif kind in ("one row", "two rows"):
        values[:, column] = pick(generator, 0.0, 2.5)
        values[generator.integers(rows, size=1 + (kind == "two rows")), column] += values.std() or 1.0
    elif kind == "twice":
        values[:, column] = values[:, generator.integers(columns)]
    if kind:
        told.append(f"{name} column {column} {kind}")
    return values


def with_odd_rows(generator, values, told, name):
    rows = len(values)
    if chance(generator, 0.12):
        one, other = generator.integers(rows, size=2)
        values[one] = values[other]
        told.append(f"{name} rows {one} and {other} equal")
    if chance(generator, 0.1):
        values = np.round(values, 1)
        told.append(f"{name} rounded")
    if chance(generator, 0.06):
        one, times = generator.integers(rows), pick(generator, 1e2, 1e4)
        values[one] *= times
        told.append(f"{name} row {one} × {times:g}")
    return values


def stored_as(generator, values, told, name):
    kind = pick(generator, np.float64, np.float64, np.float32)
    if kind == np.float32:
        told.append(f"{name} float32")
    return values.astype(kind)


def neuroids(generator, count, **more):
    ids = identifiers(generator, count)
    labels = {"neuroid_id": ids, **more}
    if chance(generator, 0.4):
        labels["layer"] = texts(pick(generator, "", "conv 1", "Ü") for _ in range(count))
    if chance(generator, 0.3):
        labels["depth"] = np.where(generator.uniform(size=count) < 0.2, np.nan, generator.uniform(size=count))
    return labels


def recorded(generator, values, ids, classes, more=None):
    """values: rows × neuroids, or with a third axis of time bins."""
    labels = {"stimulus_id": ids}
    if classes is not None:
        labels["object_name"] = classes
    if chance(generator, 0.4):
        labels["variation"] = generator.integers(0, 7, len(ids))
    if chance(generator, 0.2):
        labels["size"] = np.where(generator.uniform(size=len(ids)) < 0.2, np.nan, generator.uniform(size=len(ids)))
    values = values if values.ndim == 3 else values[:, :, np.newaxis]
    return Assembly(values, labels, neuroids(generator, values.shape[1], **(more or {})))


def repeated(generator, assembly, times):
    """Each row as often as `times` says, with noise, in random order."""
    rows = generator.permutation(np.repeat(np.arange(len(times)), times))
    chosen = assembly.rows(rows)
    chosen.values = chosen.values + 0.3 * generator.standard_normal(chosen.values.shape) * assembly.values.std()
    return chosen


def shuffled(generator, assembly):
    return assembly.rows(generator.permutation(len(assembly.values)))


def tables(generator, name, rows, columns, targets, told):
    """Features and recordings of the same stimuli."""
    limits = limits_of(name)
    factors = latent(generator, rows)
    x = scaled(generator, features(generator, factors, columns, told), limits, told, "source")
    x = with_odd_columns(generator, with_odd_rows(generator, x, told, "source"), limits.constants, told, "source")
    y = readout(generator, factors, targets, pick(generator, 0.1, 0.5, 2.0))
    y = scaled(generator, np.round(y) if chance(generator, 0.15) else y, limits, told, "target")
    y = with_odd_columns(generator, with_odd_rows(generator, y, told, "target"), limits.constants, told, "target")
    return stored_as(generator, x, told, "source"), stored_as(generator, y, told, "target")
