#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make_board.py: writes grafana.json beside it, from the panels below. tests/monitor runs each of their queries against a Prometheus."""
import json
import pathlib

# Title, unit of Grafana, query, what a series is called.
PANELS = [
    ("GPU busy", "percentunit", "aaco_gpu_busy_ratio", "{{device}}"),
    ("GPU power", "watt", "aaco_gpu_power_watts", "{{device}}"),
    ("GPU core clock", "hertz", "aaco_gpu_core_clock_hertz", "{{device}}"),
    ("GPU temperature", "celsius", "aaco_gpu_temperature_celsius", "{{device}}"),
    ("Share of time throttled", "percentunit", "rate(aaco_gpu_throttled_seconds_total[5m])", "{{device}}"),
    ("What acts on the clock", "short", "aaco_gpu_clock_event == 1", "{{device}} {{event}}"),
    ("Processors busy", "percentunit", "aaco_host_cpu_ratio", "all"),
    ("Tasks that run or wait to", "short", "aaco_host_runnable_tasks", "tasks"),
    ("Memory available", "bytes", "aaco_host_memory_available_bytes", "available"),
    ("Time in which tasks waited", "percentunit", '{__name__=~"aaco_host_psi_.*_some_ratio"}', "{{__name__}}"),
    ("Context switches", "cps", "rate(aaco_host_context_switches_total[1m])", "switches"),
    ("Collectors", "short", "aaco_collector_up", "{{collector}} {{reason}}"),
    ("Alerts", "short", "aaco_alert_active", "{{alertname}} {{alertstate}} {{device}}"),
]


def panel(number, title, unit, query, legend):
    source = {"type": "prometheus", "uid": "${source}"}
    return {"id": number + 1, "type": "timeseries", "title": title, "datasource": source,
            "gridPos": {"x": 12 * (number % 2), "y": 8 * (number // 2), "w": 12, "h": 8},
            "fieldConfig": {"defaults": {"unit": unit, "min": 0}, "overrides": []},
            "targets": [{"refId": "A", "datasource": source, "expr": query, "legendFormat": legend}]}


def board():
    return {"title": "aaco monitor", "uid": "aaco-monitor", "tags": ["aaco", "gpu"], "schemaVersion": 38, "refresh": "10s",
            "time": {"from": "now-1h", "to": "now"},
            "templating": {"list": [{"name": "source", "type": "datasource", "query": "prometheus", "label": "Prometheus"}]},
            "panels": [panel(number, *words) for number, words in enumerate(PANELS)]}


def text():
    return json.dumps(board(), indent=1) + "\n"


if __name__ == "__main__":
    pathlib.Path(__file__).with_name("grafana.json").write_text(text())
