// SPDX-License-Identifier: MIT
#include <algorithm>
#include <fmt/format.h>

#include "base/format.h"
#include "base/json/json.h"
#include "base/text/characters.h"
#include "kind/sharded/logs/sharded_logs.h"

namespace aaco::imports {

namespace {

std::optional<double> ratio(const std::optional<double>& part, const std::optional<double>& whole) {
  return part && whole && *whole > 0 ? std::optional(*part / *whole) : std::nullopt;
}

struct LogColumn {
  const char* name;
  std::optional<double> (*of)(const ShardedLog& log);
};

// The public tool's names, where it has one.
constexpr LogColumn kColumns[] = {
    {"mean_loss", [](const ShardedLog& log) { return log.loss; }},
    {"mean_total_ms", [](const ShardedLog& log) { return log.total_ms; }},
    {"mean_compute_ms", [](const ShardedLog& log) { return log.compute_ms; }},
    {"mean_overlap_ms", [](const ShardedLog& log) { return log.overlap_ms; }},
    {"overlap_ratio", [](const ShardedLog& log) { return ratio(log.overlap_ms, log.compute_ms); }},
    {"mean_communication_ms", [](const ShardedLog& log) { return log.communication_ms; }},
    {"mean_exposed_communication_ms", [](const ShardedLog& log) { return log.exposed_ms; }},
    {"communication_hidden", [](const ShardedLog& log) { return ratio(log.overlap_ms, log.communication_ms); }},
};

std::vector<double> values_of(const LabelledLogs& logs, const LogColumn& column) {
  std::vector<double> values;
  for (const ShardedLog& run : logs.runs) {
    if (const auto value = column.of(run)) {
      values.push_back(*value);
    }
  }
  return values;
}

std::string shown(const std::optional<Estimate>& estimate) {
  if (!estimate) {
    return "no data";
  }
  return estimate->interval ? fmt::format("{:.4g} [{:.4g}, {:.4g}]", estimate->value, estimate->interval->low,
                                          estimate->interval->high)
                            : fmt::format("{:.4g}", estimate->value);
}

// "rank_00_metrics.jsonl:2: loss is "bad", not a number; ..."
std::string lost_text(const ShardedLog& run) {
  std::string text;
  for (const LostLine& line : run.lost) {
    text += fmt::format("{}{}:{}: {}", text.empty() ? "" : "; ", line.file, line.line, line.why);
  }
  return static_cast<size_t>(run.lost_lines) > run.lost.size() ? text + "; ..." : text;
}

std::vector<std::string> notes_of(const LabelledLogs& logs) {
  constexpr double kSlowFirstStep = 3;
  std::vector<std::string> notes;
  for (const ShardedLog& run : logs.runs) {
    if (run.lost_lines > 0) {
      notes.push_back(fmt::format("{}: {} could not be read, and no figure has {}: {}", run.folder,
                                  counted(run.lost_lines, "line", "lines"), run.lost_lines == 1 ? "it" : "them",
                                  lost_text(run)));
    }
  }
  if (std::any_of(logs.runs.begin(), logs.runs.end(), [](const ShardedLog& run) { return run.is_public; })) {
    notes.push_back(fmt::format(
        "{}: the public tool's ranges of collectives lie on streams of their own, which NCCL does not use: their "
        "overlap is how long the host took to call them, and gathers are not among them",
        logs.label));
  }
  for (const ShardedLog& run : logs.runs) {
    if (run.first_step.value_or(0) > kSlowFirstStep) {
      notes.push_back(fmt::format("{}: the first step computed {:.1f} times as long as the median one: --skip-steps 1",
                                  run.folder, *run.first_step));
    }
  }
  if (logs.runs.size() < 3) {
    notes.push_back(fmt::format("{}: intervals need three runs, each a --log-dir with this label", logs.label));
  }
  return notes;
}

}  // namespace

std::vector<LogFigure> log_figures(const LabelledLogs& logs) {
  std::vector<LogFigure> figures;
  for (const LogColumn& column : kColumns) {
    const std::vector<double> values = values_of(logs, column);
    LogFigure figure{column.name, std::nullopt};
    if (const auto value = mean(values)) {
      figure.value = Estimate{*value, std::nullopt};
      if (const auto half = half_width_over_processes(values)) {
        figure.value->interval = {*value - *half, *value + *half};
      }
    }
    figures.push_back(figure);
  }
  return figures;
}

std::vector<LogChange> log_changes(const LabelledLogs& reference, const LabelledLogs& candidate) {
  constexpr size_t kLeastRuns = 3;
  std::vector<LogChange> changes;
  for (const LogColumn& column : kColumns) {
    const std::vector<double> before = values_of(reference, column);
    const std::vector<double> after = values_of(candidate, column);
    const auto positive = [](const std::vector<double>& values) {
      return !values.empty() && std::all_of(values.begin(), values.end(), [](double value) { return value > 0; });
    };
    if (!positive(before) || !positive(after)) {
      continue;
    }
    LogChange change{column.name, *mean(after) / *mean(before), std::nullopt};
    if (const auto welch = welch_log_ratio(before, after, 0.95);
        welch && before.size() >= kLeastRuns && after.size() >= kLeastRuns) {
      change.ratio = welch->ratio;
      change.interval = welch->interval;
    }
    changes.push_back(change);
  }
  return changes;
}

Json sharded_logs_json(const std::vector<LabelledLogs>& logs) {
  Json json = {{"kind", "overlap_report"}, {"datasets", Json::object()}, {"comparison", Json::array()}};
  for (const LabelledLogs& one : logs) {
    Json& dataset = json["datasets"][one.label];
    dataset["notes"] = notes_of(one);
    for (const ShardedLog& run : one.runs) {
      Json lost = Json::array();
      for (const LostLine& line : run.lost) {
        lost.push_back({{"file", line.file}, {"line", line.line}, {"why", line.why}});
      }
      dataset["runs"].push_back({{"folder", run.folder},
                                 {"ranks", run.ranks},
                                 {"count", run.steps},
                                 {"lost_lines", run.lost_lines},
                                 {"lost", std::move(lost)}});
    }
    for (const LogFigure& figure : log_figures(one)) {
      dataset[figure.name] = nullptr;
      if (figure.value) {
        dataset[figure.name] = figure.value->value;
        if (figure.value->interval) {
          dataset[fmt::format("{}_interval", figure.name)] = {figure.value->interval->low,
                                                              figure.value->interval->high};
        }
      }
    }
  }
  for (size_t i = 1; i < logs.size(); ++i) {
    Json changes = {{"reference", logs.front().label}, {"candidate", logs[i].label}, {"changes", Json::array()}};
    for (const LogChange& change : log_changes(logs.front(), logs[i])) {
      Json entry = {{"figure", change.name}, {"ratio", change.ratio}, {"low", nullptr}, {"high", nullptr}};
      if (change.interval) {
        entry["low"] = change.interval->low;
        entry["high"] = change.interval->high;
      }
      changes["changes"].push_back(std::move(entry));
    }
    json["comparison"].push_back(std::move(changes));
  }
  return json;
}

std::string sharded_logs_text(const std::vector<LabelledLogs>& logs) {
  std::vector<std::vector<std::string>> rows = {{"figure"}, {"runs, ranks, lines"}};
  for (const LabelledLogs& one : logs) {
    rows[0].push_back(one.label);
    rows[1].push_back(fmt::format("{}, {}, {}", one.runs.size(), one.runs.front().ranks, one.runs.front().steps));
  }
  for (size_t row = 0; row < std::size(kColumns); ++row) {
    rows.push_back({kColumns[row].name});
    for (const LabelledLogs& one : logs) {
      rows.back().push_back(shown(log_figures(one)[row].value));
    }
  }
  std::string text = format_table(rows);
  for (size_t i = 1; i < logs.size(); ++i) {
    text += fmt::format("\n{} over {}\n", logs[i].label, logs.front().label);
    for (const LogChange& change : log_changes(logs.front(), logs[i])) {
      text += fmt::format(
          "  {:<30} {:.4g}{}\n", change.name, change.ratio,
          change.interval ? fmt::format(" [{:.4g}, {:.4g}]", change.interval->low, change.interval->high) : "");
    }
  }
  for (const LabelledLogs& one : logs) {
    for (const std::string& note : notes_of(one)) {
      text += fmt::format("note    {}\n", printable(note));
    }
  }
  return text;
}

}  // namespace aaco::imports
