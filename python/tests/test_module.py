# SPDX-License-Identifier: MIT
"""The Python module on recorded sessions and traces. AACO_PROGRAM names the program, PYTHONPATH the module's folder."""

import io
import json
import os
import shlex
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from unittest import mock

import aaco
from aaco._start import program

SOURCE = Path(__file__).resolve().parents[2]
RUN = next((SOURCE / "tests/golden/sessions/run_gpu").glob("*/*/session.json")).parent
TRACE = SOURCE / "tests/golden/traces/before_rank0.json"


def has_pyarrow() -> bool:
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        return False
    return True


class Sessions(unittest.TestCase):
    def test_a_session_is_found_by_path_by_id_and_as_the_latest(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            day = Path(folder) / RUN.parent.name
            day.mkdir()
            (day / RUN.name).symlink_to(RUN)
            (Path(folder) / "latest").symlink_to(RUN)
            for named in (RUN, str(RUN), "latest", RUN.name, RUN.name[:12]):
                self.assertEqual(aaco.open(named, sessions=folder).folder.name, RUN.name)
                self.assertIn(RUN.name, aaco.report(named, sessions=folder).text)
            with self.assertRaisesRegex(aaco.AacoError, "no session at 1999"):
                aaco.open("1999", sessions=folder)

    def test_the_version_is_the_programs(self) -> None:
        said = subprocess.run([program(), "--version"], capture_output=True, text=True, check=True).stdout
        self.assertIn(aaco.__version__, said.split())

    def test_documents_are_dicts(self) -> None:
        session = aaco.open(RUN)
        self.assertEqual(session.document("session")["session_id"], RUN.name)
        self.assertEqual(session.document("metrics/bottleneck"), session.document("bottleneck"))
        self.assertIn("metrics/bottleneck", session.documents)
        with self.assertRaisesRegex(KeyError, "has no document 'nothing'; it has env"):
            session.document("nothing")

    def test_sql_is_the_programs(self) -> None:
        session = aaco.open(RUN)
        rows = session.sql("SELECT count(*) AS n FROM kernels")
        self.assertEqual(list(rows[0]), ["n"])
        self.assertGreater(rows[0]["n"], 0)
        with self.assertRaisesRegex(aaco.AacoError, 'Referenced column "nope" not found') as caught:
            session.sql("SELECT nope FROM kernels")
        self.assertEqual(caught.exception.exit_code, 2)

    @unittest.skipUnless(has_pyarrow(), "pyarrow is not installed")
    def test_a_table_has_the_rows_that_sql_counts(self) -> None:
        session = aaco.open(RUN)
        for name in session.tables:
            rows = session.sql(f"SELECT count(*) AS n FROM {name}")
            self.assertEqual(session.table(name).num_rows, rows[0]["n"], name)
        with self.assertRaisesRegex(KeyError, "has no table 'nothing'; it has graph_edges"):
            session.table("nothing")

    def test_a_name_that_is_taken_gives_way_to_the_path(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            bundle = Path(folder)
            for inner in ("trace/events", "profiler/step/trace/events", "profiler/nsys/events", "report/events"):
                (bundle / inner).parent.mkdir(parents=True, exist_ok=True)
                (bundle / f"{inner}.parquet").touch()
            self.assertEqual(aaco.Session(bundle).tables, ["events", "profiler/nsys/events", "report/events", "step_events"])

    def test_without_pyarrow_one_line_says_what_to_install(self) -> None:
        code = "import sys; sys.modules['pyarrow'] = None; import aaco; aaco.open(sys.argv[1]).table('kernels')"
        ended = subprocess.run([sys.executable, "-c", code, str(RUN)], capture_output=True, text=True)
        self.assertEqual(ended.returncode, 1)
        self.assertTrue(ended.stderr.splitlines()[-1].endswith("tables need pyarrow: pip install 'aaco[arrow]' (.sql() works without it)"))


class Reports(unittest.TestCase):
    def test_every_form_is_the_programs(self) -> None:
        report = aaco.report(TRACE, top=3)
        command = [program(), "trace", "report", str(TRACE), "--top", "3"]
        printed = {form: subprocess.run([*command, "--format", form], capture_output=True, text=True, check=True).stdout for form in ("text", "json")}
        self.assertEqual((str(report), report.text), (printed["text"],) * 2)
        self.assertEqual(report.json, json.loads(printed["json"]))
        self.assertTrue(report.html.lstrip().lower().startswith("<!doctype html>"))

    def test_a_notebook_gets_the_page_in_a_frame_of_its_own(self) -> None:
        drawn = aaco.report(TRACE)._repr_html_()
        self.assertTrue(drawn.startswith('<iframe sandbox="allow-scripts"'))
        inner = drawn.split('srcdoc="', 1)[1].rsplit('"', 1)[0]
        self.assertNotIn('"', inner)  # the page ends where the attribute does
        self.assertIn("&lt;html", inner)

    def test_what_is_not_there_is_pythons_own_error(self) -> None:
        with self.assertRaises(FileNotFoundError):
            aaco.report("/nowhere/trace.json")


class HostRanges(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = Path(self.folder.name) / "mine.json"

    def events(self, phase: str) -> list:
        return [event for event in json.loads(self.path.read_text())["traceEvents"] if event["ph"] == phase]

    def test_a_range_is_as_long_as_its_block_and_stays_where_the_block_raises(self) -> None:
        with self.assertRaises(ZeroDivisionError), aaco.ranges(self.path) as ranges, ranges.range("load", batch=3):
            before = time.monotonic_ns()
            time.sleep(0.01)
            inner = time.monotonic_ns() - before
            1 / 0
        event = self.events("X")[0]
        self.assertEqual((event["name"], event["args"]), ("load", {"batch": 3}))
        self.assertGreaterEqual(event["dur"] * 1000, inner)

    def test_a_decorated_function_is_a_range_for_each_call(self) -> None:
        ranges = aaco.ranges()

        @ranges
        def double(number: int) -> int:
            """Twice."""
            return 2 * number

        self.assertEqual([double(3), double(number=4), double.__doc__], [6, 8, "Twice."])
        ranges.save(self.path)
        self.assertEqual([event["name"].split(".")[-1] for event in self.events("X")], ["double", "double"])

    def test_nothing_of_any_thread_is_lost(self) -> None:
        with aaco.ranges(self.path) as ranges:

            def work() -> None:
                for number in range(500):
                    with ranges.range("step", number=number):
                        ranges.value("queue", number)

            threads = [threading.Thread(target=work, name=f"worker {i}") for i in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        events = self.events("X")
        self.assertEqual((len(events), len(self.events("C"))), (2000, 2000))
        by_thread: dict = {}
        for event in events:
            by_thread.setdefault(event["tid"], []).append(event["args"]["number"])
        self.assertEqual(list(by_thread.values()), [list(range(500))] * 4)

    def test_the_program_reads_them_with_every_nanosecond(self) -> None:
        ranges = aaco.ranges(self.path)
        with ranges.range("outer"), ranges.range("inner"):
            pass
        ranges.value("loss", 1.5)
        ranges.save()
        sessions = Path(self.folder.name) / "sessions"
        subprocess.run([program(), "trace", "import", str(self.path), "--sessions", str(sessions)], check=True, capture_output=True)
        rows = aaco.open("latest", sessions=sessions).sql("SELECT name, duration_ns FROM events WHERE kind = 'host_range' ORDER BY duration_ns")
        recorded = sorted((end - start, name) for name, start, end, _, _ in ranges._ranges)
        self.assertEqual([(row["duration_ns"], row["name"]) for row in rows], recorded)
        readings = aaco.open("latest", sessions=sessions).sql("SELECT count(*) AS n FROM events WHERE name = 'loss'")
        self.assertEqual(readings, [{"n": 1}])
        self.assertTrue(aaco.report(self.path).text)

    def test_a_change_of_the_wall_clock_moves_nothing(self) -> None:
        ranges = aaco.ranges(self.path)
        backwards = iter(range(10**18, 0, -(10**9)))
        with mock.patch("time.time_ns", lambda: next(backwards)):
            with ranges.range("step"):
                time.sleep(0.002)
            ranges.save()
        self.assertGreaterEqual(self.events("X")[0]["dur"], 2000)

    def test_a_value_that_json_has_no_word_for_breaks_nothing(self) -> None:
        ranges = aaco.ranges(self.path)
        ranges.value("loss", float("nan"))
        ranges.save()
        self.assertEqual(self.events("C")[0]["args"], {"value": "nan"})

    def test_an_argument_that_json_has_no_word_for_costs_no_range(self) -> None:
        class Unspoken:
            def __str__(self) -> str:
                raise ValueError("no text")

        itself: list = []
        itself.append(itself)
        with aaco.ranges(self.path) as ranges:
            with ranges.range("step", shapes={(1, 2): 3}, loss=float("nan"), all=[float("inf")], unspoken=Unspoken(), itself=itself):
                pass
            with ranges.range("next"):
                pass
        self.assertNotIn("NaN", self.path.read_text())
        self.assertEqual([event["name"] for event in self.events("X")], ["step", "next"])
        expected = {"shapes": {"(1, 2)": 3}, "loss": "nan", "all": ["inf"], "unspoken": "not shown: ValueError", "itself": "not shown: RecursionError"}
        self.assertEqual(self.events("X")[0]["args"], expected)

    def test_the_exception_of_a_block_is_not_hidden_by_a_file_that_cannot_be_written(self) -> None:
        nowhere = Path(self.folder.name) / "nowhere" / "mine.json"
        with mock.patch("sys.stderr", io.StringIO()) as said, self.assertRaises(ZeroDivisionError), aaco.ranges(nowhere):
            1 / 0
        self.assertIn("ranges were not saved", said.getvalue())
        with self.assertRaises(FileNotFoundError), aaco.ranges(nowhere):
            pass

    def test_an_argument_may_be_called_name(self) -> None:
        with aaco.ranges(self.path) as ranges, ranges.range("load", name="resnet50"):
            pass
        self.assertEqual((self.events("X")[0]["name"], self.events("X")[0]["args"]), ("load", {"name": "resnet50"}))

    def test_a_forked_child_leaves_the_parents_file_and_ranges_alone(self) -> None:
        ranges = aaco.ranges(self.path)
        with ranges.range("parent"):
            pass
        child = os.fork()
        if child == 0:
            with ranges.range("child"):
                pass
            ranges.save()
            os._exit(0)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertFalse(self.path.exists())
        ranges.save()
        self.assertEqual([event["name"] for event in self.events("X")], ["parent"])
        self.path = self.path.with_name(f"mine.{child}.json")
        self.assertEqual([event["name"] for event in self.events("X")], ["child"])

    def test_the_example_of_the_documents_runs_and_shows_its_ranges(self) -> None:
        _, python, _, commands, _ = (SOURCE / "docs/install.md").read_text().split("## Python\n")[1].split("```", 4)
        example = python[python.index("ranges = aaco.ranges") :]
        ended = subprocess.run([sys.executable, "-c", "import aaco\n" + example], cwd=self.folder.name, capture_output=True, text=True)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual([event["name"] for event in self.events("X")], ["load", "step"])
        for line in commands.strip().splitlines():
            ended = subprocess.run([program(), *shlex.split(line)[1:]], cwd=self.folder.name, capture_output=True, text=True)
            self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertRegex(ended.stdout, r"(?s)load.*step")


class Start(unittest.TestCase):
    def test_the_program_learns_where_this_interpreter_finds_packages(self) -> None:
        from aaco._start import environment

        folders = environment()["AACO_PYTHON_PACKAGES"].split(":")
        self.assertEqual(folders[0], str(Path(aaco.__file__).parent.parent))
        self.assertFalse([folder for folder in folders if folder.endswith(("lib-dynload", ".zip"))])

    def test_a_program_that_is_not_there_is_exit_code_3(self) -> None:
        ended = subprocess.run([sys.executable, "-m", "aaco"], env={"AACO_PROGRAM": "/nowhere", "PYTHONPATH": str(SOURCE / "python")}, capture_output=True, text=True)
        self.assertEqual((ended.returncode, ended.stderr.count("\n")), (3, 1))

    def test_the_package_starts_without_what_only_the_module_needs(self) -> None:
        code = "import sys; before = set(sys.modules); import aaco._start; print(*sorted(set(sys.modules) - before))"
        said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        self.assertEqual(said.split(), ["aaco", "aaco._start"])


if __name__ == "__main__":
    unittest.main()
