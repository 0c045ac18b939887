#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every field of every trace format, corrupted one at a time: missing, empty, of another type, out of any range. Whatever it
is, `aaco trace report` ends with 0 or 5 and a report whose device time adds up, or with 2 and one line that says why; it never
crashes, hangs or prints half a report. The files are the seeds of the fuzzers: one small trace a format.

Of the values of a field it tries one or two, others for the next field; --full tries all.

Usage: check_corrupt_fields.py AACO REPOSITORY [--full]
"""
import concurrent.futures
import copy
import csv
import io
import itertools
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

AACO, REPOSITORY, FULL = sys.argv[1], pathlib.Path(sys.argv[2]), "--full" in sys.argv
CORPUS = REPOSITORY / "fuzz" / "corpus"
EVERY = 1 if FULL else 6  # fewer than any format has values for a field, so that each field is tried
SECONDS = 20  # no small file takes as long, even where a sanitizer looks on


def json_files(text):
    """Each path of keys once, whatever the index in its lists: deleted, and with each of the values."""
    whole = json.loads(text)
    seen = set()

    def visit(value, path, names):
        if isinstance(value, (dict, list)):
            for key, member in list(value.items()) if isinstance(value, dict) else list(enumerate(value)):
                name = names + (key if isinstance(value, dict) else "[]",)
                if name not in seen:
                    seen.add(name)
                    yield path + [key], name
                yield from visit(member, path + [key], name)

    for path, name in list(visit(whole, [], ())):
        for wrong in ("gone", None, True, "x", "", -1, 0, 2**63, 10**400, 1e308, [], {}, [[{}]]):
            changed = copy.deepcopy(whole)
            holder = changed
            for key in path[:-1]:
                holder = holder[key]
            if wrong == "gone":
                del holder[path[-1]]
            else:
                holder[path[-1]] = wrong
            yield f"{'.'.join(map(str, name))} = {str(wrong)[:20]!r}", json.dumps(changed).encode()


def csv_files(text):
    rows = list(csv.reader(io.StringIO(text)))
    header = next(i for i, row in enumerate(rows) if len(row) == max(map(len, rows)))

    def written(changed):
        out = io.StringIO()
        csv.writer(out, quoting=csv.QUOTE_ALL).writerows(changed)
        return out.getvalue().encode()

    for column, name in enumerate(rows[header]):
        cut = [row[:column] + row[column + 1:] if i >= header else row for i, row in enumerate(rows)]
        yield f"column {name} is gone", written(cut)
        yield f"column {name} is called something else", written([row[:column] + ["x"] + row[column + 1:] if i == header else row for i, row in enumerate(rows)])
        for wrong in ("", "x", "-1", "0", "9223372036854775808", "1e308", "nan", "\"", "a" * 3000):
            yield f"column {name} = {wrong[:20]!r}", written([row[:column] + [wrong] + row[column + 1:] if i > header and len(row) > column else row for i, row in enumerate(rows)])


def xml_files(text):
    for index, element in enumerate(xml.etree.ElementTree.fromstring(text).iter()):
        for wrong in ("gone", "", "x", "-1", "9223372036854775808", "1e308", "N/A"):
            root = xml.etree.ElementTree.fromstring(text)
            changed = list(root.iter())[index]
            if wrong == "gone":
                parents = [parent for parent in root.iter() if changed in list(parent)]
                if not parents:
                    continue
                parents[0].remove(changed)
            else:
                changed.text = wrong
            yield f"{element.tag} = {wrong!r}", xml.etree.ElementTree.tostring(root)


def fields_of(message):
    """Of a protocol buffer: (number, wire type, value), or None where the bytes are none."""
    fields, at = [], 0

    def varint():
        nonlocal at
        value = shift = 0
        while at < len(message) and shift < 64:
            byte = message[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value
        return None
    while at < len(message):
        key = varint()
        if not key or key >> 3 == 0:
            return None
        kind = key & 7
        length = 8 if kind == 1 else 4 if kind == 5 else varint() if kind == 2 else 0
        value = varint() if kind == 0 else None
        if kind not in (0, 1, 2, 5) or length is None or at + length > len(message) or (kind == 0 and value is None):
            return None
        if kind != 0:
            value = message[at:at + length]
            at += length
        fields.append((key >> 3, kind, value))
    return fields


def encoded(fields):
    def varint(value):
        out = bytearray()
        while value >= 0x80:
            out.append(value & 0x7F | 0x80)
            value >>= 7
        return bytes(out) + bytes([value])
    return b"".join(varint(number << 3 | kind) + (varint(value) if kind == 0 else varint(len(value)) + value if kind == 2 else value) for number, kind, value in fields)


def perfetto_files(content):
    """Each field once, by the numbers that lead to it."""
    seen = set()

    def changes(message, names, rebuild):
        for i, (number, kind, value) in enumerate(fields_of(message) or []):
            fields = fields_of(message)
            name = names + (number,)
            put = lambda *instead, fields=fields, i=i: rebuild(encoded(fields[:i] + list(instead) + fields[i + 1:]))
            if name not in seen:
                seen.add(name)
                wrong = [[], [(number, 0, 0)], [(number, 0, 2**64 - 1)], [(number, 2, b"")], [(number, 2, b"\xff" * 40)], [(number, 1, b"\xff" * 8)], [(2**29 - 1, 0, 1)]]
                for each in wrong:
                    yield f"field {'.'.join(map(str, name))} = {each}", put(*each)
            if kind == 2 and len(name) < 6:
                yield from changes(value, name, lambda inner, put=put, number=number: put((number, 2, inner)))

    yield from changes(content, (), lambda whole: whole)


def sqlite_files(content, folder):
    path = folder / "seed.db"
    path.write_bytes(content)
    with sqlite3.connect(path) as seed:
        tables = {table: [row[1] for row in seed.execute(f'PRAGMA table_info("{table}")')]
                  for table, in seed.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").fetchall()}
    seed.close()

    def changed(*statements):
        path.write_bytes(content)
        connection = sqlite3.connect(path)
        try:
            for statement, *values in statements:
                connection.execute(statement, values)
            connection.commit()
        except sqlite3.Error:  # a key or a view is in the way: that field cannot be so
            return None
        finally:
            connection.close()
        return path.read_bytes()

    for table, columns in tables.items():
        yield f"table {table} is gone", changed((f'DROP TABLE "{table}"',))
        yield f"table {table} is empty", changed((f'DELETE FROM "{table}"',))
        for column in columns:
            yield f"column {table}.{column} is gone", changed((f'ALTER TABLE "{table}" DROP COLUMN "{column}"',))
            for wrong in (None, "x", "", -1, 0, 2**63 - 1, -2**63, 1e308, b"\xff\xfe"):
                yield f"{table}.{column} = {wrong!r}", changed((f'UPDATE "{table}" SET "{column}" = ?', wrong))


def corrupted(folder):
    """(what, bytes, extension) of every file to try."""
    as_text = {"json": json_files, "csv": csv_files, "xml": xml_files}
    for target in ("kineto", "rocprof_json", "rocprofv3_json", "ort_profile", "amd_smi", "nvidia_smi", "csv_traces", "perfetto", "sqlite_traces", "export"):
        for seed in sorted((CORPUS / f"fuzz_{target}").iterdir()):
            kind = seed.suffix[1:]
            if kind not in as_text and kind not in ("pftrace", "db"):  # compressed: its content is another seed's
                continue
            content = seed.read_bytes()
            try:
                files = perfetto_files(content) if kind == "pftrace" else sqlite_files(content, folder) if kind == "db" else as_text[kind](content.decode())
                for what, changed in files:
                    if changed is not None:
                        yield f"{target}/{seed.name}: {what}", changed, seed.suffix
            except (json.JSONDecodeError, UnicodeDecodeError, sqlite3.DatabaseError):  # a seed that is damaged itself, or no UTF-8
                continue


def problem_of(what, content, path):
    path.write_bytes(content)
    try:
        done = subprocess.run([AACO, "trace", "report", "--json", str(path)], capture_output=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return f"{what}: takes more than {SECONDS} s"
    finally:
        path.unlink()
    lines = done.stderr.decode(errors="replace").splitlines()
    if done.returncode == 2:
        good = not done.stdout and len(lines) == 2 and lines[0].startswith("aaco: ") and lines[1].startswith("hint: ")
        return None if good else f"{what}: exit 2 without its two lines: {lines[:3]}"
    if done.returncode not in (0, 5):
        return f"{what}: exit {done.returncode}: {lines[:3]}"
    for device in json.loads(done.stdout)["devices"]:
        parts = sum(device[part] for part in ("computation_ns", "exposed_communication_ns", "exposed_copy_ns", "idle_ns"))
        if parts != device["window_ns"]:
            return f"{what}: {parts} ns of {device['window_ns']}"
    return None


def main():
    failures, tried = [], {}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            runs = []
            for i, (what, content, suffix) in enumerate(itertools.islice(corrupted(folder), 0, None, EVERY)):
                tried[what.split("/")[0]] = tried.get(what.split("/")[0], 0) + 1
                runs.append(pool.submit(problem_of, what, content, folder / f"{i}{suffix}"))
            failures = [problem for run in runs if (problem := run.result())]
    print("\n".join(failures[:40]) or "corrupted files: " + ", ".join(f"{count} of {target}" for target, count in tried.items()))
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
