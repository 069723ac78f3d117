"""Assemblies of BrainIO, written as the reference stores them."""
import netCDF4


def write_blocks(path, dims, labels, dtype, blocks):
    """`dims`: their lengths by name, in the order of the file. `labels`: coordinates by name, along each of them.
    `blocks`: (place, values), one after another, so that not all values need be in memory."""
    with netCDF4.Dataset(path, "w") as file:
        for dim, length in dims.items():
            file.createDimension(dim, length)
            for name, along in labels[dim].items():
                variable = file.createVariable(name, str if along.dtype == object else along.dtype, (dim,))
                variable[:] = along
        variable = file.createVariable("data", dtype, tuple(dims))
        variable.set_auto_maskandscale(False)
        for place, values in blocks:
            variable[place] = values
        file.assembly_class = "NeuroidAssembly"
