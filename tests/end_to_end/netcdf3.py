"""A writer of small netCDF files (classic format) with the standard library alone.

The layout is that of the specification of the classic format, version 1:
https://docs.unidata.ucar.edu/netcdf-c/current/file_format_specifications.html
"""
import array
import struct
import sys

CHAR, DOUBLE = 2, 6
DIMENSIONS, VARIABLES, ATTRIBUTES = 10, 11, 12


def _padded(data):
    return data + b"\0" * (-len(data) % 4)


def _name(text):
    return struct.pack(">i", len(text.encode())) + _padded(text.encode())


def _list(tag, entries):
    return struct.pack(">ii", tag if entries else 0, len(entries)) + b"".join(entries)


def _text_attribute(name, text):
    return _name(name) + struct.pack(">ii", CHAR, len(text.encode())) + _padded(text.encode())


def _variable(name, dimensions, attributes, kind, values):
    head = _name(name) + struct.pack(f">i{len(dimensions)}i", len(dimensions), *dimensions)
    head += _list(ATTRIBUTES, [_text_attribute(*each) for each in attributes])
    return head + struct.pack(">ii", kind, len(values)), values


def _characters(texts, width):
    return _padded(b"".join(text.encode().ljust(width, b"\0") for text in texts))


def _doubles(rows):
    flat = array.array("d")
    for row in rows:
        flat.extend(row)
    if sys.byteorder == "little":
        flat.byteswap()
    return flat.tobytes()


def write_assembly(path, values, presentation, neuroid, further=None):
    """Writes the table `values` (a list of rows) with coordinates of texts along both dims.

    `presentation` and `neuroid` map the names of coordinates to their labels, `further` those of more variables to
    tables of the same shape.
    """
    rows, columns = len(values), len(values[0])
    labels = [(name, 0, texts) for name, texts in presentation.items()]
    labels += [(name, 1, texts) for name, texts in neuroid.items()]
    widths = [max(len(text.encode()) for text in texts) for _, _, texts in labels]
    dimensions = [("presentation", rows), ("neuroid", columns)]
    dimensions += [(f"string{i}", width) for i, width in enumerate(widths)]
    coordinates = " ".join(name for name, _, _ in labels)
    tables = {"recordings": values, **(further or {})}
    variables = [_variable(name, (0, 1), [("coordinates", coordinates)], DOUBLE, _doubles(table))
                 for name, table in tables.items()]
    variables += [_variable(name, (dim, 2 + i), [], CHAR, _characters(texts, widths[i]))
                  for i, (name, dim, texts) in enumerate(labels)]
    header = b"CDF\1" + struct.pack(">i", 0)
    header += _list(DIMENSIONS, [_name(name) + struct.pack(">i", size) for name, size in dimensions])
    header += _list(ATTRIBUTES, [])
    place = len(header) + 8 + sum(len(head) + 4 for head, _ in variables)
    entries, contents = [], b""
    for head, data in variables:
        entries.append(head + struct.pack(">i", place + len(contents)))
        contents += data
    path.write_bytes(header + _list(VARIABLES, entries) + contents)
