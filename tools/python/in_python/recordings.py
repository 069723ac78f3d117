"""The recordings that a benchmark compares with."""
import dataclasses
import sys

import numpy as np
import pandas
import xarray


@dataclasses.dataclass
class Recordings:
    values: np.ndarray    # presentation × neuroid, float64
    presentations: dict   # coordinates along the presentations
    neuroids: dict        # coordinates along the neuroids

    def stimulus_ids(self):
        return self.presentations.get("stimulus_id", self.presentations.get("image_id"))

    def rows(self, chosen):
        return dataclasses.replace(self, values=self.values[chosen], presentations={
            name: labels[chosen] for name, labels in self.presentations.items()})


def fits(values, condition):
    if isinstance(condition, dict):
        return (values >= condition.get("min", -np.inf)) & (values <= condition.get("max", np.inf))
    return np.isin(values, condition if isinstance(condition, list) else [condition])


def selected(recordings, select):
    rows = np.full(recordings.values.shape[0], True)
    columns = np.full(recordings.values.shape[1], True)
    for coordinate, condition in (select or {}).items():
        if coordinate in recordings.neuroids:
            columns &= fits(recordings.neuroids[coordinate], condition)
        else:
            rows &= fits(recordings.presentations[coordinate], condition)
    wanted = recordings.rows(rows)
    return dataclasses.replace(wanted, values=wanted.values[:, columns], neuroids={
        name: labels[columns] for name, labels in recordings.neuroids.items()})


def as_text(labels):
    """Strings of a fixed length are bytes to xarray."""
    return np.char.decode(labels, "utf-8") if labels.dtype.kind == "S" else labels


def read_recordings(path, select):
    """The rows and columns of a netCDF assembly that `select` wants. A time axis must have length 1."""
    with xarray.open_dataset(path) as file:
        variable = next(v for v in file.data_vars.values() if "presentation" in v.dims)
        if "time_bin" in variable.dims:
            variable = variable.squeeze("time_bin")
        variable = variable.transpose("presentation", "neuroid").load()
    along = {axis: {name: as_text(coordinate.values) for name, coordinate in variable.coords.items()
                    if coordinate.dims == (axis,)} for axis in ("presentation", "neuroid")}
    whole = Recordings(variable.values.astype(np.float64), along["presentation"], along["neuroid"])
    return selected(whole, select)


def mean_over_repetitions(recordings):
    """A row per distinct tuple of the presentations' coordinates but `repetition`, in sorted order."""
    labels = [pandas.Series(values, name=name) for name, values in recordings.presentations.items()
              if name != "repetition"]
    return pandas.DataFrame(recordings.values).groupby(labels, sort=True).mean()


def averaged(recordings):
    means = mean_over_repetitions(recordings)
    labels = means.index.to_frame()
    return Recordings(means.to_numpy(), {name: labels[name].to_numpy() for name in labels}, recordings.neuroids)


def benchmark_recordings(run, benchmark, role):
    """The dataset's recordings of this role; without a 'target' the averages over the repetitions."""
    dataset = run.datasets[benchmark["dataset"]]
    files = dataset["assemblies"]
    if role == "target" and role not in files and "repetitions" in files:
        return averaged(benchmark_recordings(run, benchmark, "repetitions"))
    if role not in files:
        sys.exit(f"dataset {benchmark['dataset']} has no assembly '{role}', which is what is compared here")
    return read_recordings(run.path(files[role]["file"], dataset), benchmark.get("select"))
