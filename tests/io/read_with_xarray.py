"""What ventral writes xarray reads, and the other way round.

usage: read_with_xarray.py IO_XARRAY_PARTNER; ends with 77 (skipped) without xarray and netCDF4.
"""

import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import netCDF4
    import numpy as np
    import xarray as xr
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

partner = sys.argv[1]


def run(*words):
    done = subprocess.run([partner, *map(str, words)], capture_output=True, text=True)
    assert done.returncode == 0, f"{words}: {done.stderr}"
    return done.stdout


def assert_values(found, expected, name):
    """`found` is what the partner printed, `expected` an array of numpy."""
    expected = np.asarray(expected).ravel()
    kind = {"f4": "float32", "f8": "float64"}.get(expected.dtype.str[1:], "int64")
    if expected.dtype.kind in "OUS":
        assert found["type"] == "string", name
        assert found["texts"] == list(expected), name
        return
    if name != "the data" and kind == "float32":
        kind = "float64"
    assert found["type"] == kind, (name, found["type"], kind)
    for text, value in zip(found["texts"], expected, strict=True):
        if kind == "int64":
            assert int(text) == int(value), (name, text, value)
        else:
            same = expected.dtype.type(text) == value
            assert same or (math.isnan(float(text)) and np.isnan(value)), (name, text, value)


def assert_same(array, path, *layer):
    found = json.loads(run("print", path, *layer))
    assert found["dims"] == [[dim, size] for dim, size in zip(array.dims, array.shape)]
    assert_values(found["values"], array.values, "the data")
    one_dimensional = {name: coord for name, coord in array.coords.items() if coord.ndim == 1}
    assert set(found["coordinates"]) == set(one_dimensional), found["coordinates"].keys()
    for name, coord in one_dimensional.items():
        assert found["coordinates"][name]["dim"] == coord.dims[0]
        assert_values(found["coordinates"][name], coord.values, name)
    return found


def recordings(dtype):
    rng = np.random.RandomState(0)
    if dtype is str:
        values = np.array(["dog", "", "Käse, süß"], dtype=object)[rng.randint(0, 3, (6, 4, 2))]
    else:
        values = (rng.standard_normal((6, 4, 2)) * 100).astype(dtype)
    if np.dtype(values.dtype).kind == "f":
        values[1, 2, 0] = np.nan
    return xr.DataArray(
        values,
        dims=["presentation", "neuroid", "time_bin"],
        coords={
            "stimulus_id": ("presentation", [f"s{i // 2}" for i in range(6)]),
            "repetition": ("presentation", np.arange(6, dtype="i4") % 2),
            "is_real": ("presentation", np.arange(6) % 3 == 0),
            "angle": ("presentation", np.linspace(0, 1, 6).astype("f4")),
            "neuroid_id": ("neuroid", ["n-a", "n-b", "ñ", ""]),
            "count": ("neuroid", np.array([1, 2, 3, 200], dtype="u1")),
            "neuroid": [0.5, 1.5, 2.5, 3.5],
            "time_bin_start": ("time_bin", [70, 80]),
            "session": 3,
            "depth": (("neuroid", "time_bin"), np.ones((4, 2))),
        },
        name="recorded",
        attrs={"identifier": "test", "degrees": 8.0, "list": [1, 2]},
    )


def check_reading(folder):
    dtypes = ["f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "bool", str]
    for number, dtype in enumerate(dtypes):
        array = recordings(dtype)
        orders = [array.dims, array.dims[::-1]]
        for order, dims in enumerate(orders):
            for options in ({}, {"zlib": True, "shuffle": True, "complevel": 4}):
                if options and dtype is str:
                    continue  # netCDF cannot compress strings of variable length
                path = folder / f"{number}-{order}-{len(options)}.nc"
                array.transpose(*dims).to_netcdf(path, encoding={"recorded": options})
                found = assert_same(array.transpose(*dims), path)
                assert found["name"] == "recorded"
                assert found["attributes"]["identifier"] == "test"
                assert found["attributes"]["degrees"] == 8
                assert found["attributes"]["list"] == "[1, 2]"
                assert found["attributes"]["session"] == 3


def check_packed(folder):
    """xarray unpacks small integers in float32 where no offset asks for more, and where values may be missing."""
    path = folder / "packed.nc"
    array = recordings("f8").round(1)
    fill, offset = {"_FillValue": 99}, {"add_offset": 0.3}
    for dtype in ("i1", "u1", "i2", "u2", "i4", "f4", "f8"):
        for more in ({}, fill, offset, fill | offset):
            array.to_netcdf(path, encoding={"recorded": {"dtype": dtype, "scale_factor": 0.0123, **more}})
            with xr.open_dataset(path) as dataset:
                expected = dataset["recorded"].values
            texts = json.loads(run("print", path))["values"]["texts"]
            values = np.array([float(text) for text in texts]).reshape(expected.shape)
            if dtype == "f4":  # its numbers are written as short as float32 may be
                values = values.astype(dtype)
            np.testing.assert_array_equal(values, expected, f"{dtype} {more}")


def check_encodings(folder):
    path = folder / "encoded.nc"
    array = recordings("f8").round(1)
    packed = {"dtype": "i2", "scale_factor": 0.1, "add_offset": 5.0, "_FillValue": -9999}
    encoding = {"recorded": packed, "stimulus_id": {"dtype": "S1"}}
    array.to_netcdf(path, encoding=encoding, unlimited_dims=["presentation"])
    found = json.loads(run("print", path))
    assert found["coordinates"]["stimulus_id"]["texts"] == list(array["stimulus_id"].values)

    nameless = recordings("f8")
    nameless.name = None
    nameless.to_netcdf(path)
    assert json.loads(run("print", path))["name"] == "data"
    nameless.name = "repetition"  # a name that a coordinate has too
    nameless.rename(repetition="session_number").to_netcdf(path)
    assert json.loads(run("print", path))["name"] == "repetition"

    for kind in ("NETCDF3_CLASSIC", "NETCDF3_64BIT", "NETCDF4_CLASSIC"):
        classic = recordings("f4").drop_vars(["is_real", "count"])
        classic.attrs.pop("list")
        classic.to_netcdf(path, format=kind)
        assert_same(classic, path)


def check_choices(folder):
    path = folder / "two.nc"
    array = recordings("f8")
    xr.Dataset({"a": array, "b": array}).to_netcdf(path)
    done = subprocess.run([partner, "print", path], capture_output=True, text=True)
    assert done.returncode == 1 and "a, b" in done.stderr and "--variable" in done.stderr


def check_writing(folder):
    for dtype in ("f4", "f8", "i8", str):
        array = recordings(dtype).drop_vars("depth")
        array.to_netcdf(folder / "from.nc")
        for command, group in (("copy", None), ("group", "recorded")):
            run(command, folder / "from.nc", folder / "to.nc")
            check_copy(folder / "to.nc", group, array)


def check_copy(path, group, array):
    with xr.open_dataarray(path, group=group, engine="netcdf4") as copy:
        assert copy.name == "recorded" and copy.dims == array.dims
        np.testing.assert_array_equal(copy.values, array.values)
        assert copy.values.dtype == array.values.dtype
        for name in set(array.coords) - {"session"}:
            np.testing.assert_array_equal(copy[name].values, array[name].values)
            assert copy[name].dims == array[name].dims
        assert copy.attrs["identifier"] == "test" and copy.attrs["degrees"] == 8.0


def check_activations(folder):
    for level in (0, 1, 9):
        check_activations_of(folder / f"activations{level}.h5", level)


def check_activations_of(path, level):
    run("activations", path, level)
    with netCDF4.Dataset(path) as file:
        assert list(file.groups) == ["features.5", "logits"]
        assert file.getncattr("key") == "0123abc"
        assert file.getncattr("format_version") == 2
        assert file.getncattr("provenance.commit") == "deadbeef"
    for layer, features in (("features.5", 12), ("logits", 5)):
        with xr.open_dataset(path, group=layer, engine="netcdf4") as dataset:
            assert list(dataset.data_vars) == ["activations"], dataset
            array = dataset["activations"]
            assert (array.encoding["zlib"], array.encoding["shuffle"]) == (level > 0, level > 0), array.encoding
            assert array.dims == ("presentation", "neuroid") and array.dtype == np.float32
            assert array.shape == (7, features)
            rows, columns = np.indices(array.shape)
            np.testing.assert_array_equal(array.values, rows * 100 + columns)
            assert list(dataset["stimulus_id"].values) == [f"s{i}" for i in range(7)]
            assert list(dataset["object_name"].values) == ["dög" if i % 2 else "" for i in range(7)]
            np.testing.assert_array_equal(dataset["size"].values, np.arange(7) / 2)
            np.testing.assert_array_equal(dataset["neuroid_num"].values, np.arange(features))
            if features == 12:
                channel, y, x = np.unravel_index(np.arange(12), (3, 2, 2))
                np.testing.assert_array_equal(dataset["channel"].values, channel)
                np.testing.assert_array_equal(dataset["y"].values, y)
                np.testing.assert_array_equal(dataset["x"].values, x)
            assert_same(array.load(), path, layer)


with tempfile.TemporaryDirectory() as name:
    for check in (check_reading, check_packed, check_encodings, check_choices, check_writing, check_activations):
        check(Path(name))
        print(f"{check.__name__}: ok")
