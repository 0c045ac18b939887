# SPDX-License-Identifier: MIT
"""Spark reads the rows of a history that pyarrow reads: all columns, types and partitions of both tables, and what the documents' SELECT answers.
usage: check_spark.py AACO"""
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import skipping  # noqa: E402

try:
    import pyarrow.dataset
    import pyspark.sql
except ImportError as error:
    skipping.skip(f"{error.name} is not installed (scripts/setup --full)")
if not (os.environ.get("JAVA_HOME") or shutil.which("java")):
    skipping.skip("Java is not installed (scripts/setup --full)")

TYPES = {"int64": "bigint", "double": "double", "string": "string"}


def record(aaco, folder):
    """Values, rates and a command: two subjects, of which one looks like a number, and a month merged from eight files."""
    for i in range(9):
        words = ["--subject", "2026", "--value", f"latency={10 + i}ms,{11 + i}ms,{12.5 + i}ms", "--rate", f"images={800 - i}"]
        subprocess.run([aaco, "guard", "record", "--commit", f"c{i // 3}", *words], cwd=folder, check=True, capture_output=True)
    subprocess.run([aaco, "guard", "record", "--subject", "a/b", "--processes", "3", "--", "true"], cwd=folder, check=True, capture_output=True)


def rows_of(names, rows):
    return sorted((tuple(row[name] for name in names) for row in rows), key=repr)


def check_table(spark, folder, counts):
    table = pyarrow.dataset.dataset(folder, format="parquet", partitioning=pyarrow.dataset.partitioning(flavor="hive")).to_table()
    frame = spark.read.parquet(str(folder))
    types = dict(frame.dtypes)
    for field in table.schema:
        text = "string" if pyarrow.types.is_dictionary(field.type) else str(field.type)
        assert types[field.name] == TYPES[text], (field, types)
    names = table.schema.names
    assert sorted(names) == sorted(types), (names, types)
    ours, theirs = rows_of(names, table.to_pylist()), rows_of(names, (row.asDict() for row in frame.collect()))
    assert len(ours) in counts and ours == theirs, (len(ours), len(theirs), [pair for pair in zip(ours, theirs) if pair[0] != pair[1]][:2])
    return frame, len(ours)


def main():
    aaco = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        record(aaco, folder)
        os.environ["SPARK_LOCAL_DIRS"] = name
        builder = pyspark.sql.SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false").config("spark.driver.host", "127.0.0.1")
        spark = builder.config("spark.driver.bindAddress", "127.0.0.1").config("spark.sql.shuffle.partitions", "1").getOrCreate()
        try:
            spark.sparkContext.setLogLevel("ERROR")
            # Three processes of a command have cycles too where the machine counts them.
            values, rows = check_table(spark, folder / "guard" / "values", (39, 42))
            check_table(spark, folder / "guard" / "records", (10,))
            values.createOrReplaceTempView("recorded")
            answer = spark.sql("SELECT commit, median(value) AS value FROM recorded WHERE subject = '2026' AND name = 'latency' GROUP BY commit").collect()
            expected = {f"c{k}": statistics.median(1e6 * (level + i) for i in range(3 * k, 3 * k + 3) for level in (10, 11, 12.5)) for k in range(3)}
            assert {row.commit: row.value for row in answer} == expected, (answer, expected)
        finally:
            spark.stop()
    print(f"summary: {rows} values and 10 records as pyarrow reads them")


if __name__ == "__main__":
    main()
