# SPDX-License-Identifier: MIT
"""Damage to files, drawn from a random generator: bytes, values of JSON, lines, and the files of a folder. mutate.py runs the program on it."""
import json
import os
import pathlib
import shutil

NUMBERS = [0, -1, 1, 2**31, -2**31, 2**32, 2**53 + 1, 2**63 - 1, -2**63, 2**64, 10**30, 1e308, -1e308, 5e-324, 0.1, -0.0]
TOKENS = ["NaN", "Infinity", "-Infinity", "nan", "-nan", "1e999", "-1e999", "99999999999999999999", "0x10", "01", "+1", ".5", "1.", "true", "null", "''"]
TEXTS = ["", "x" * 5000, "a\x1b[31mb", "</script><img src=x onerror=alert(1)>", "=1+2", "%s%n", "../../x", "\u202egnp", "\ud83d\ude00", "\x00", "7", "nan", "\u2028", "-rf", "a\nb"]
VALUES = [*NUMBERS, *TEXTS, None, True, False, [], {}, [[]], [None], {"a": {}}, "NaN"]


def damaged_bytes(rng, data):
    """A cut, a flip, a block elsewhere or twice, a number of another size."""
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 1, 2, 5, 20])):
        if not data:
            return bytes(data)
        at, length = rng.randrange(len(data)), rng.choice([1, 2, 4, 8, 16, 64, 1000])
        how = rng.randrange(9)
        if how == 0:
            del data[at:]
        elif how == 1:
            data[at] ^= 1 << rng.randrange(8)
        elif how == 2:
            data[at:at + length] = bytes(rng.randrange(256) for _ in range(min(length, len(data) - at)))
        elif how == 3:
            del data[at:at + length]
        elif how == 4:
            data[at:at] = data[at:at + length]
        elif how == 5:
            data[at:at + length] = rng.choice([b"\0", b"\xff", b"\x7f", b"\x80"]) * min(length, len(data) - at)
        elif how == 6:
            other = rng.randrange(len(data))
            data[at:at + length], data[other:other + length] = data[other:other + length], data[at:at + length]
        elif how == 7:
            data[at:at] = rng.choice([b"\xff\xfe", b"\xef\xbb\xbf", b"\0", b"\n", b'"', b"{", b"]", b"\x1b[2J", b"\xc2\x9b", b"\xed\xa0\x80"])
        else:
            data[at:at + 8] = rng.choice([2**63, 2**64 - 1, 2**32, 0, 1]).to_bytes(8, rng.choice(["little", "big"]))
    return bytes(data)


def places_of(value, found=None):
    """(container, key) of every value in a document."""
    found = [] if found is None else found
    for key in (value if isinstance(value, dict) else range(len(value))):
        found.append((value, key))
        if isinstance(value[key], (dict, list)):
            places_of(value[key], found)
    return found


class Token(str):
    """Written into the JSON as it is."""


def nested(rng):
    depth = rng.choice([100, 201, 2000, 100_000])
    return Token("[" * depth + "]" * depth)


def damaged_json(rng, text):
    """Values of other types, huge and missing ones, keys twice, deep nesting; as text, which need not be JSON any more."""
    document = json.loads(text)
    if not isinstance(document, (dict, list)):
        return json.dumps(rng.choice(VALUES))
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        places = places_of(document)
        if not places:
            break
        holder, key = rng.choice(places)
        how = rng.randrange(8)
        if how == 0 and isinstance(holder, dict):
            holder[rng.choice([str(key) + " ", "", "id", "name", "\x1b"])] = holder.pop(key)
        elif how == 1:
            del holder[key]
        elif how == 2:
            other, other_key = rng.choice(places)
            try:
                holder[key], other[other_key] = other[other_key], holder[key]
                json.dumps(document)
            except (ValueError, RecursionError, KeyError, IndexError):  # a value within itself
                return damaged_bytes(rng, text.encode()).decode(errors="surrogateescape")
        elif how == 3:
            holder[key] = Token(rng.choice(TOKENS))
        elif how == 4 and isinstance(holder, list):
            holder[key:key] = [holder[key]] * rng.choice([1, 3, 50])
        elif how == 5:
            holder[key] = nested(rng)
        elif how == 6 and isinstance(holder[key], (int, float)):
            holder[key] = rng.choice([-holder[key], holder[key] * 10**9, rng.choice(NUMBERS)])
        else:
            holder[key] = rng.choice(VALUES)
    return written(rng, document)


def written(rng, document):
    tokens = []

    def mark(value):
        if isinstance(value, Token):
            tokens.append(str(value))
            return f"@token{len(tokens) - 1}@"
        if isinstance(value, dict):
            return {key: mark(member) for key, member in value.items()}
        return [mark(member) for member in value] if isinstance(value, list) else value

    text = json.dumps(mark(document), ensure_ascii=rng.random() < 0.5)
    for number, token in enumerate(tokens):
        text = text.replace(f'"@token{number}@"', token)
    if rng.random() < 0.1 and text.startswith("{") and '"' in text[1:]:  # the first key twice
        key = text[1:text.index(":")] if ":" in text else '"a"'
        text = "{" + key + ": " + rng.choice(["1", "null", '"x"', "[]"]) + ", " + text[1:]
    return text


def damaged_lines(rng, text):
    """Lines gone, twice, elsewhere, cut in the middle; fields of other types. Of CSV, YAML and logs."""
    lines = text.split("\n")
    for _ in range(rng.choice([1, 1, 2, 5])):
        at = rng.randrange(len(lines))
        how = rng.randrange(8)
        if how == 0:
            del lines[at]
        elif how == 1:
            lines.insert(at, lines[rng.randrange(len(lines))])
        elif how == 2:
            lines[at] = lines[at][:rng.randrange(len(lines[at]) + 1)]
        elif how == 3:
            lines[at] = rng.choice(["---", "...", "a: &a [*a]", "\t", "\0", '"', "- " * 300, "[" * 1000, ",,,,", "{", "\u202e", "%YAML 9"])
        else:
            separator = next((mark for mark in (",", ": ", "=", " ") if mark in lines[at]), ",")
            fields = lines[at].split(separator)
            fields[rng.randrange(len(fields))] = str(rng.choice([*TOKENS, *TEXTS, *NUMBERS]))
            lines[at] = separator.join(fields)
        lines = lines or [""]
    return "\n".join(lines)


def damaged(rng, name, data):
    """The bytes of a file after damage that fits its form."""
    text = None
    if rng.random() < 0.75:
        try:
            text = data.decode()
        except UnicodeDecodeError:
            pass
    if text is None:
        return damaged_bytes(rng, data)
    if name.endswith(".json") and rng.random() < 0.8:
        try:
            return damaged_json(rng, text).encode(errors="surrogatepass")
        except (json.JSONDecodeError, RecursionError):
            pass
    if name.endswith(".jsonl") and rng.random() < 0.6:
        lines = text.splitlines() or ["{}"]
        at = rng.randrange(len(lines))
        try:
            lines[at] = damaged_json(rng, lines[at])
            return "\n".join(lines).encode(errors="surrogatepass")
        except (json.JSONDecodeError, RecursionError):
            pass
    if "." in name and not name.endswith((".json", ".db")) and rng.random() < 0.8:
        return damaged_lines(rng, text).encode(errors="surrogatepass")
    return damaged_bytes(rng, data)


def damage_folder(rng, folder):
    """One or two of its files: other content, gone, empty, a link, a folder, another file's content. What was done."""
    told = []
    for _ in range(rng.choice([1, 1, 1, 2])):
        files = sorted(path for path in pathlib.Path(folder).rglob("*") if path.is_file() and not path.is_symlink())
        if not files:
            break
        # session.json, manifest.json and documents steer what is read; Parquet files are many.
        documents = [path for path in files if path.suffix in (".json", ".jsonl", ".jrn")]
        path = rng.choice(documents if documents and rng.random() < 0.7 else files)
        how = rng.choice(["content"] * 8 + ["gone", "empty", "folder", "link", "dangling", "loop", "other", "pipe"])
        told.append(f"{how} {path.relative_to(folder)}")
        if how == "content":
            path.write_bytes(damaged(rng, path.name, path.read_bytes()))
        elif how == "other":
            path.write_bytes(rng.choice(files).read_bytes())
        elif how == "empty":
            path.write_bytes(b"")
        else:
            path.unlink()
            if how == "folder":
                path.mkdir()
            elif how == "pipe":
                os.mkfifo(path)
            elif how != "gone":
                path.symlink_to({"link": "/etc/passwd", "dangling": "nowhere", "loop": path.name}[how])
    return ", ".join(told)


def copy_of(folder, into):
    """A folder with its compressed files unpacked, as the golden tests keep them."""
    import lzma
    shutil.copytree(folder, into, symlinks=True)
    for path in pathlib.Path(into).rglob("*.xz"):
        path.with_suffix("").write_bytes(lzma.decompress(path.read_bytes()))
        path.unlink()
