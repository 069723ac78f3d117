"""TOML records as text: strings, numbers, lists and tables, enough for the files of `configs/`."""
import json


def value_text(value):
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key_text(key)} = {value_text(each)}" for key, each in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(value_text, value)) + "]"
    return json.dumps(value)  # TOML writes strings, numbers, true and false as JSON does


def key_text(key):
    bare = key and all(letter.isascii() and (letter.isalnum() or letter in "-_") for letter in key)
    return key if bare else json.dumps(key)


def lines_of(table):
    """`key = value` with the equals signs below each other."""
    keys = [key_text(key) for key in table]
    width = max(map(len, keys), default=0)
    return [f"{key:{width}} = {value_text(value)}" for key, value in zip(keys, table.values())]


def record_text(record, tables=()):
    """The keys in `tables` become sections behind the others."""
    lines = lines_of({key: value for key, value in record.items() if key not in tables})
    for name in tables:
        if name in record:
            lines += ["", f"[{key_text(name)}]", *lines_of(record[name])]
    return "\n".join(lines) + "\n"


def write_record(path, record, tables=()):
    with open(path, "w", encoding="utf-8") as file:
        file.write(record_text(record, tables))
