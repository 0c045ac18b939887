#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""scripts/ctest_counts on made results of ctest, and that no test skips but through AACO_SKIP and skipping.py, for a reason that is
either that of missing data or listed.

Usage: check_ctest_counts.py REPOSITORY
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.sax.saxutils

REPOSITORY = pathlib.Path(sys.argv[1]).resolve()
LISTED = [line for line in (REPOSITORY / "tests" / "skip_reasons.txt").read_text().splitlines() if line and not line.startswith("#")]


def case(name, output, status="notrun", message="SKIP_RETURN_CODE=77"):
    skipped = f'<skipped message="{message}"/>' if status == "notrun" else ""
    return f'<testcase name="{name}" status="{status}">{skipped}<system-out>{xml.sax.saxutils.escape(output)}</system-out></testcase>'


def counts(cases, *arguments):
    """([passed, failed, skipped], other lines, exit code)"""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "results.xml"
        path.write_text(f"<testsuite>{''.join(cases)}</testsuite>")
        done = subprocess.run([sys.executable, "-B", REPOSITORY / "scripts" / "ctest_counts", path, *arguments], capture_output=True, text=True)
    first, *others = done.stdout.splitlines()
    return [int(word) for word in first.split()], others, done.returncode


def is_listed(reason):
    return any(re.fullmatch(pattern, reason) for pattern in LISTED)


class Counts(unittest.TestCase):
    CASES = [case("passes", "", "run"), case("needs root", "a.cpp:7: Skipped\nskipped: mounting a small disk needs root\n", message="SKIP_REGULAR_EXPRESSION_MATCHED")]

    def test_a_listed_reason_is_a_skip(self):
        for arguments in ((), ("--require-data",)):
            numbers, lines, code = counts(self.CASES, *arguments)
            self.assertEqual((numbers, code), ([1, 0, 1], 0))
            self.assertEqual(lines, ["  1 skipped: mounting a small disk needs root"])

    def test_others_fail_where_data_is_required(self):
        for output in ("skipped: data not here: /data/onnx", "skipped: nobody listed this", "nothing to see", "",
                       "skipped: mounting a small disk needs root, and more", "it was skipped: mounting a small disk needs root"):
            cases = self.CASES + [case("other", output)]
            numbers, _, code = counts(cases)
            self.assertEqual((numbers, code), ([1, 0, 2], 0), output)
            numbers, lines, code = counts(cases, "--require-data")
            self.assertEqual((numbers, code), ([1, 1, 1], 1), output)
            self.assertTrue(lines[0].startswith("  failed: other: skipped: "), lines)

    def test_a_failed_one_shows_its_last_lines(self):
        said = [f"line {number}" for number in range(30)]
        numbers, lines, _ = counts(self.CASES + [case("broken", "\n".join(said), "fail")])
        self.assertEqual(numbers, [1, 1, 1])
        self.assertEqual(lines[:-1], ["  failed: broken", *(f"    {line}" for line in said[-12:])])

    def test_what_did_not_run_fails(self):
        self.assertEqual(counts([case("broken", "", "fail"), case("gone", "", "notrun", "Unable to find executable")])[0], [0, 2, 0])


class Tests(unittest.TestCase):
    def test_skip_through_the_helpers_alone(self):
        skips = {".cpp": r"\bGTEST_SKIP\b", ".h": r"\bGTEST_SKIP\b", ".py": r"\breturn 77\b|\bexit\(77\)|print\(f?\"skipped: "}
        helpers = [REPOSITORY / "src" / "base" / "test_skip.h", REPOSITORY / "tests" / "skipping.py", pathlib.Path(__file__).resolve()]
        files = [path for folder in ("src", "tests") for path in (REPOSITORY / folder).rglob("*") if path.suffix in skips and path not in helpers]
        self.assertGreater(len(files), 1000)
        found = [str(path) for path in files if re.search(skips[path.suffix], path.read_text(encoding="utf-8"))]
        self.assertEqual(found, [])

    def test_whole_reasons_are_listed(self):
        reasons = []
        for path in [*(REPOSITORY / "src").rglob("*_test.cpp"), *(REPOSITORY / "tests").rglob("*.cpp"), *(REPOSITORY / "tests").rglob("*.py")]:
            reasons += re.findall(r"\b(?:AACO_SKIP|skip)\(\"([^\"]*)\"\)", path.read_text(encoding="utf-8"))
        self.assertGreater(len(reasons), 10)
        self.assertEqual([reason for reason in reasons if not is_listed(reason)], [])

    def test_no_listed_reason_covers_missing_data(self):
        self.assertFalse(is_listed("data not here: /data/onnx"))
        self.assertFalse(is_listed(""))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
