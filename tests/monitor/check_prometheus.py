#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_prometheus.py AACO NVML_FOLDER SOURCE: a real Prometheus (Debian's package) scrapes aaco monitor; promtool accepts metrics and rules, each query
of the Grafana board gives what the machine has, and rules fire there as in aaco. Looks for the programs on the path and in .deps/prometheus."""
import importlib.util
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import skipping  # noqa: E402
from check_monitor import Monitor  # noqa: E402


def program(name, source):
    own = pathlib.Path(source) / ".deps/prometheus/usr/bin" / name
    return str(own) if own.exists() else shutil.which(name) or skipping.skip(f"{name} is not installed")


def free_port():
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        return place.getsockname()[1]


def answer(port, path, **words):
    url = f"http://127.0.0.1:{port}/api/v1/{path}?{urllib.parse.urlencode(words)}"
    with urllib.request.urlopen(url, timeout=20) as reply:
        return json.load(reply)["data"]


def promtool_accepts(promtool, aaco, environment, rules):
    metrics = subprocess.run([aaco, "monitor", "--once"], env=environment, capture_output=True, check=True).stdout
    lint = subprocess.run([promtool, "check", "metrics"], input=metrics, capture_output=True)
    assert lint.returncode == 0 and not lint.stderr, lint.stderr.decode()
    checked = subprocess.run([promtool, "check", "rules", str(rules)], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    print("promtool: metrics and rules without a complaint")


def board_queries(source):
    path = pathlib.Path(source) / "configs/monitor/make_board.py"
    spec = importlib.util.spec_from_file_location("make_board", path)
    board = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(board)
    assert path.with_name("grafana.json").read_text() == board.text(), "run configs/monitor/make_board.py"
    return [target["expr"] for panel in json.loads(board.text())["panels"] for target in panel["targets"]]


def wait_for(what, seconds, condition):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        value = condition()
        if value:
            return value
        time.sleep(0.2)
    raise AssertionError(f"not within {seconds} s: {what}")


def main(aaco, nvml_folder, source):
    prometheus, promtool = program("prometheus", source), program("promtool", source)
    environment = {**os.environ, "LD_LIBRARY_PATH": nvml_folder}
    promtool_accepts(promtool, aaco, environment, pathlib.Path(source) / "configs/monitor/alerts.yaml")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        rules = folder / "rules.yaml"
        rules.write_text("groups:\n- name: a\n  rules:\n  - alert: Hot\n    expr: aaco_gpu_temperature_celsius > 60\n"
                         "  - alert: Missing\n    expr: absent(aaco_no_such_metric)\n  - alert: Cold\n    expr: aaco_gpu_temperature_celsius < 60\n")
        with Monitor(aaco, environment, "--rules", str(rules)) as monitor:
            port = free_port()
            (folder / "prometheus.yml").write_text(json.dumps({
                "global": {"scrape_interval": "500ms", "evaluation_interval": "500ms"}, "rule_files": [str(rules)],
                "scrape_configs": [{"job_name": "aaco", "static_configs": [{"targets": [f"127.0.0.1:{monitor.port}"]}]}]}))
            server = subprocess.Popen([prometheus, f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data",
                                       f"--web.listen-address=127.0.0.1:{port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                def vector(query):
                    try:
                        return answer(port, "query", query=query)["result"]
                    except OSError:
                        return []
                wait_for("a scrape", 60, lambda: any(sample["value"][1] == "1" for sample in vector("up")))
                for query in board_queries(source):
                    result = wait_for(query, 30, lambda query=query: vector(query))
                    assert all(sample["value"][1] not in ("NaN", "+Inf") for sample in result), (query, result)
                took = float(vector("scrape_duration_seconds")[0]["value"][1])
                kind = answer(port, "metadata", metric="aaco_gpu_power_watts")["aaco_gpu_power_watts"][0]
                assert (kind["type"], kind["unit"]) == ("gauge", "watts"), kind  # only OpenMetrics has a unit
                theirs = wait_for("alerts", 30, lambda: sorted(alert["labels"]["alertname"] for alert in answer(port, "alerts")["alerts"]))
                ours = sorted(sample["metric"]["alertname"] for sample in vector('aaco_alert_active{alertstate="firing"}'))
                assert ours == theirs == ["Hot", "Hot", "Missing"], (ours, theirs)
                print(f"prometheus: {len(board_queries(source))} queries of the board answered; the last scrape took {took * 1000:.1f} ms; the same alerts")
            finally:
                server.send_signal(signal.SIGTERM)
                server.wait(timeout=30)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
