#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_cost_check.py REPOSITORY: scripts/check_build_cost judges a build that compiled everything, by the right line of the table, and
no other build."""
import importlib.machinery
import importlib.util
import json
import pathlib
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(sys.argv.pop(1)) / "scripts" / "check_build_cost"
loader = importlib.machinery.SourceFileLoader("check_build_cost", str(SCRIPT))
check = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_build_cost", loader))
loader.exec_module(check)

TABLE = """
## What the build costs

| Since | Modules | Compilations | Why |
|---|---|---|---|
| 2026-01-02 | cuda, hip | 200 | first |
| 2026-02-03 | none | 90 | first |
| 2026-03-04 | cuda, hip | 260 | kernels |

## Style

| 2026-05-06 | cuda, hip | 900 | another table |
"""


class Table(unittest.TestCase):
    def test_the_last_line_for_the_same_modules_counts(self):
        self.assertEqual(check.admitted_cost(TABLE, "cuda, hip"), 260)
        self.assertEqual(check.admitted_cost(TABLE, "none"), 90)

    def test_other_modules_and_other_sections_have_no_line(self):
        self.assertIsNone(check.admitted_cost(TABLE, "hip"))
        self.assertIsNone(check.admitted_cost("## Style\n", "none"))


class Cost(unittest.TestCase):
    def test_the_longer_unit_counts(self):
        self.assertEqual(check.cost_of(1000, 5, 4), 200)
        self.assertEqual(check.cost_of(1000, 0, 4), 250)


class Verdict(unittest.TestCase):
    def test_a_tenth_more_passes_and_what_is_beyond_fails(self):
        self.assertEqual(check.verdict(110.0, 100, "none")[0], 0)
        status, text = check.verdict(110.5, 100, "none")
        self.assertEqual(status, 1)
        self.assertIn("10 % more than the 100", text)

    def test_a_build_without_a_line_is_not_judged(self):
        status, text = check.verdict(50, None, "hip")
        self.assertEqual(status, 77)
        self.assertIn("no line to compare with", text)


class Judged(unittest.TestCase):
    def reason(self, misses, hits, sources):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "compile_commands.json").write_text(json.dumps([{}] * sources))
            file = "# src/a.cpp\n"  # as ccache 4 writes it: a line for the source, then its counters
            (folder / "log").write_text((file + "cache_miss\ndirect_cache_miss\nlocal_storage_write\n") * misses
                                        + (file + "direct_cache_hit\nlocal_storage_hit\n") * hits)
            return check.why_not_judged(folder / "log", folder)

    def test_a_build_from_an_empty_cache_is_judged(self):
        self.assertIsNone(self.reason(misses=300, hits=0, sources=300))
        self.assertIsNone(self.reason(misses=299, hits=2, sources=300))

    def test_what_the_cache_gave_back_is_not(self):
        self.assertEqual(self.reason(misses=290, hits=10, sources=300), "the cache gave back 10 of 300 files")

    def test_what_was_built_before_is_not(self):
        self.assertEqual(self.reason(misses=3, hits=0, sources=300), "3 of 300 sources were compiled, the others were built before")

    def test_no_log_is_not(self):
        self.assertIn("no log", check.why_not_judged("/nonexistent/log", pathlib.Path("/nonexistent")))


class Unit(unittest.TestCase):
    def test_a_compilation_of_the_fixed_source_takes_processor_time(self):
        self.assertGreater(check.unit_seconds(rounds=1, jobs=1), 0)


if __name__ == "__main__":
    unittest.main()
