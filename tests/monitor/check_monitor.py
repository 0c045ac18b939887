#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_monitor.py AACO NVML_FOLDER SOURCE: aaco monitor as a whole, on the double of NVML with two GPUs: what it prints and serves, who is refused, how it
starts and ends, alerts, OTLP and Parquet."""
import http.client
import http.server
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

OPEN = "application/openmetrics-text; version=1.0.0"


class Monitor:
    """Runs until the block ends, then by SIGTERM, and has to end well."""

    def __init__(self, aaco, environment, *flags):
        self.command, self.environment = [aaco, "monitor", "--port", "0", "--interval", "100ms", "--json", *flags], environment

    def __enter__(self):
        self.process = subprocess.Popen(self.command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        assert line, self.process.stderr.read()
        self.start = json.loads(line)
        self.port = int(re.search(r":(\d+)/", self.start["url"]).group(1))
        return self

    def __exit__(self, kind, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=30)
        self.rest, self.errors = self.process.stdout.read(), self.process.stderr.read()  # communicate() forgets what readline() read ahead
        assert kind or self.process.returncode == 0, (self.process.returncode, self.errors)

    def get(self, path="/metrics", host=None, method="GET", **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request(method, path, headers={"Host": host or f"localhost:{self.port}", **headers})
        answer = connection.getresponse()
        return answer.status, answer.getheader("Content-Type"), answer.read().decode()


def samples(text):
    return {name: float(value) for name, value in re.findall(r"^([^#\s][^ ]*(?:\{.*\})?) (\S+)$", text, re.M)}


def once(aaco, environment, _):
    start = time.monotonic()
    run = subprocess.run([aaco, "monitor", "--once"], env=environment, capture_output=True, text=True, timeout=60)
    values = samples(run.stdout)
    assert run.returncode == 0, run.stderr
    gpu = '{device="0000:1b:00.0",vendor="nvidia"}'
    assert values[f"aaco_gpu_power_watts{gpu}"] == 687.5, run.stdout
    assert values[f"aaco_gpu_core_clock_hertz{gpu}"] == 1.98e9
    assert values['aaco_gpu_clock_event{device="0000:1b:00.0",vendor="nvidia",event="sw_power_cap"}'] == 1
    assert 0 <= values["aaco_host_cpu_ratio"] <= 1
    assert "amdgpu" in run.stderr and "absent" in run.stderr, run.stderr
    document = json.loads(subprocess.run([aaco, "monitor", "--once", "--json"], env=environment, capture_output=True, check=True).stdout)
    states = {collector["collector"]: collector["state"] for collector in document["collectors"]}
    assert states["host"] == states["nvml"] == "up" and states["amdgpu"] == "absent", states
    assert not [series for series in values if "-1" in series]
    print(f"once: {len(values)} series in {time.monotonic() - start:.1f} s for two calls")


def served(aaco, environment, _):
    with Monitor(aaco, environment) as monitor:
        status, kind, text = monitor.get(Accept=f"{OPEN},text/plain;version=0.0.4;q=0.5")
        assert status == 200 and kind.startswith("application/openmetrics-text; version=1.0.0"), (status, kind)
        assert text.endswith("# EOF\n") and "# UNIT aaco_gpu_power_watts watts\n" in text
        status, kind, text = monitor.get()
        assert kind.startswith("text/plain; version=0.0.4") and "# EOF" not in text and "# UNIT" not in text
        assert len([line for line in text.splitlines() if 'device="0000:1b:00.0"' in line]) <= 200
        assert monitor.get("/healthz")[0] == 200 and monitor.get("/")[0] == 200 and monitor.get("/x")[0] == 404
        assert monitor.get(method="POST")[0] == 405
        assert monitor.get(host="evil.example")[0] == 421
        assert monitor.get("/metrics", method="HEAD")[2] == ""
        time.sleep(1)
        count = 'aaco_collector_samples_total{collector="host"}'
        assert samples(monitor.get()[2])[count] > samples(text)[count]
        taken = subprocess.run([aaco, "monitor", "--port", str(monitor.port)], env=environment, capture_output=True, text=True, timeout=60)
        assert taken.returncode == 6 and taken.stderr.splitlines()[0] == f"aaco: port {monitor.port} is in use", taken
        assert "--port" in taken.stderr.splitlines()[1], taken.stderr
    print("served: both formats, refusals, a port in use")


def token(aaco, environment, folder):
    refused = subprocess.run([aaco, "monitor", "--host", "0.0.0.0"], env=environment, capture_output=True, text=True, timeout=60)
    assert refused.returncode == 2 and "--token-file" in refused.stderr, refused
    (folder / "token").write_text("0123456789abcdef\n")
    with Monitor(aaco, environment, "--host", "0.0.0.0", "--token-file", str(folder / "token")) as monitor:
        assert monitor.get()[0] == 401
        assert monitor.get(Authorization="Bearer 0123456789abcdeX")[0] == 401
        assert monitor.get(host="node-3:1", Authorization="Bearer 0123456789abcdef")[0] == 200
    print("token: another address needs it")


def alerts(aaco, environment, folder):
    rules = folder / "rules.yaml"
    rules.write_text("groups:\n- name: a\n  rules:\n  - alert: Hot\n    expr: aaco_gpu_temperature_celsius > 60\n    for: 300ms\n"
                     "    labels: {severity: page}\n  - alert: Cold\n    expr: aaco_gpu_temperature_celsius < 60\n")
    with Monitor(aaco, environment, "--rules", str(rules)) as monitor:
        time.sleep(2)
        text = monitor.get()[2]
    firing = re.findall(r"^aaco_alert_active\{(.*)\} 1$", text, re.M)
    assert len(firing) == 2 and all('alertstate="firing"' in labels and 'severity="page"' in labels for labels in firing), firing
    changes = [(line["alert"], line["was"], line["state"]) for line in map(json.loads, monitor.rest.splitlines())]
    assert all(json.loads(line)["labels"].get("severity") == "page" for line in monitor.rest.splitlines())
    assert changes == 2 * [("Hot", "inactive", "pending")] + 2 * [("Hot", "pending", "firing")], changes
    rules.write_text("groups:\n- name: a\n  rules:\n  - alert: Hot\n    exp: x > 1\n")
    bad = subprocess.run([aaco, "monitor", "--rules", str(rules)], env=environment, capture_output=True, text=True, timeout=60)
    assert bad.returncode == 2 and f"{rules}:5: exp is not known here" in bad.stderr, bad
    print("alerts: pending, firing, and a fault with its line")


def otlp(aaco, environment, _):
    received = []

    class Collector(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            received.append((self.path, self.headers["Content-Type"], self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with Monitor(aaco, environment, "--otlp", f"http://127.0.0.1:{server.server_port}"):
        deadline = time.monotonic() + 30
        while not received and time.monotonic() < deadline:
            time.sleep(0.05)
    server.shutdown()
    path, kind, body = received[0]
    assert (path, kind) == ("/v1/metrics", "application/json"), (path, kind)
    metrics = {metric["name"]: metric for metric in json.loads(body)["resourceMetrics"][0]["scopeMetrics"][0]["metrics"]}
    assert {"hw.power", "hw.temperature", "hw.gpu.utilization", "aaco.gpu.core_clock", "aaco.gpu.throttled"} <= set(metrics), sorted(metrics)
    try:
        from google.protobuf import json_format
        from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2
    except ImportError:
        print("otlp: sent; not decoded, opentelemetry-proto is not here (scripts/setup --tools)")
        return
    request = json_format.Parse(body, metrics_service_pb2.ExportMetricsServiceRequest())
    decoded = {metric.name: metric for metric in request.resource_metrics[0].scope_metrics[0].metrics}
    point = decoded["hw.power"].gauge.data_points[0]
    attributes = {attribute.key: attribute.value.string_value for attribute in point.attributes}
    assert point.as_double == 687.5 and attributes["hw.id"] and attributes["hw.type"] == "gpu", point
    assert abs(point.time_unix_nano / 1e9 - time.time()) < 120
    assert len(decoded) == len(request.resource_metrics[0].scope_metrics[0].metrics), "two metrics have one name"
    throttled = decoded["aaco.gpu.throttled"]
    assert throttled.gauge.data_points[0].as_double == 1, throttled
    counter = decoded["aaco.collector.samples"].sum
    assert counter.is_monotonic and counter.aggregation_temporality == 2 and counter.data_points[0].start_time_unix_nano, counter
    print(f"otlp: {len(decoded)} metrics, decoded by opentelemetry-proto")


def store(aaco, environment, folder):
    with Monitor(aaco, environment, "--store", str(folder / "samples")):
        time.sleep(1)
    names = sorted(path.name for path in (folder / "samples").iterdir())
    assert len(names) == 2 and re.fullmatch(r"gpu_samples-\d{8}T\d{6}Z\.parquet", names[0]), names
    assert names[1].startswith("system_events-"), names
    assert all((folder / "samples" / name).read_bytes()[:4] == b"PAR1" for name in names)
    bad = subprocess.run([aaco, "monitor", "--store", "/proc/x"], env=environment, capture_output=True, text=True, timeout=60)
    assert bad.returncode == 6 and "/proc/x" in bad.stderr, bad
    print("store: both tables at the end")


def ends(aaco, environment, _):
    for number in (signal.SIGINT, signal.SIGTERM):
        with Monitor(aaco, environment) as monitor:
            # A client that says nothing holds nobody up.
            with socket.create_connection(("127.0.0.1", monitor.port)):
                start = time.monotonic()
                monitor.process.send_signal(number)
                assert monitor.process.wait(timeout=30) == 0, number
        print(f"ends: {number.name} after {time.monotonic() - start:.2f} s")


def lines(aaco, environment, folder):
    """A reader that leaves, and a full disk, end the lines alone."""
    rules = folder / "rules.yaml"
    rules.write_text("groups:\n- name: a\n  rules:\n  - alert: Hot\n    expr: aaco_gpu_temperature_celsius > 60\n    for: 1s\n")
    command = [aaco, "monitor", "--port", "0", "--interval", "100ms", "--json", "--rules", str(rules), "--store"]
    for name, code, why in (("pipe", 0, "Broken pipe"), ("full", 6, "No space left on device")):
        with open("/dev/full", "w") as full:
            process = subprocess.Popen([*command, str(folder / name)], env=environment, stdout=subprocess.PIPE if name == "pipe" else full,
                                       stderr=subprocess.PIPE, text=True)
        if name == "pipe":
            process.stdout.readline()
            process.stdout.close()
        time.sleep(3)
        assert process.poll() is None, process.returncode
        process.send_signal(signal.SIGTERM)
        errors = process.stderr.read()
        assert process.wait(timeout=30) == code, (process.returncode, errors)
        assert errors.count("standard output") == 1 and why in errors, errors
        assert len(list((folder / name).iterdir())) == 2
    print("lines: a reader that leaves, a full disk: said once, and the store is written")


def main(aaco, nvml_folder, _source):
    environment = {**os.environ, "LD_LIBRARY_PATH": nvml_folder + ":" + os.environ.get("LD_LIBRARY_PATH", "")}
    for check in (once, served, token, alerts, otlp, store, lines, ends):
        with tempfile.TemporaryDirectory() as folder:
            check(aaco, environment, pathlib.Path(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
