"""Assemblies of BrainIO with several time bins or one, read and written as the reference stores them."""
import dataclasses

import netCDF4
import numpy as np

from .assembly_file import write_blocks
from .recordings import Recordings

ROWS, COLUMNS, TIME = "presentation", "neuroid", "time_bin"


@dataclasses.dataclass
class Assembly:
    values: np.ndarray   # presentation × neuroid × time_bin
    presentations: dict  # coordinates along the presentations, in stored order
    neuroids: dict
    time_bins: dict = dataclasses.field(default_factory=dict)

    def at_bin(self, position):
        return Recordings(self.values[:, :, position], self.presentations, self.neuroids)

    def single(self):
        return self.at_bin(0)

    rows = Recordings.rows

    def in_float64(self):
        return dataclasses.replace(self, values=self.values.astype(np.float64))


def read_assembly(path):
    with netCDF4.Dataset(path) as file:
        file.set_auto_mask(False)
        stored = next(v for v in file.variables.values() if ROWS in v.dimensions and v.ndim > 1)
        along = {dim: {name: v[:] for name, v in file.variables.items() if v.dimensions == (dim,)}
                 for dim in (ROWS, COLUMNS, TIME)}
        dims = list(stored.dimensions)
        values = stored[:]
    if TIME not in dims:
        dims, values = dims + [TIME], values[..., np.newaxis]
    return Assembly(values.transpose([dims.index(dim) for dim in along]), *along.values())


def write_assembly(path, assembly, dims=(ROWS, COLUMNS)):
    """`dims`: the order in the file; without time_bin there must be one only."""
    lengths = dict(zip((ROWS, COLUMNS, TIME), assembly.values.shape))
    order = [list(lengths).index(dim) for dim in dims]
    along = {ROWS: assembly.presentations, COLUMNS: assembly.neuroids, TIME: assembly.time_bins}
    values = assembly.values if TIME in dims else assembly.values[:, :, 0]
    write_blocks(path, {dim: lengths[dim] for dim in dims}, along, values.dtype, [(..., values.transpose(order))])
