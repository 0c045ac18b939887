// SPDX-License-Identifier: MIT
#include "cli/trace_command.h"

#include <fmt/format.h>
#include <memory>
#include <string>
#include <vector>

#include "analysis/timeline/trace_summary.h"
#include "ingest/trace_format.h"
#include "report/trace_report.h"

namespace aaco {

namespace {

struct TraceFlags {
  std::vector<std::string> files;
  size_t top = 10;
};

// Something of the file is in no figure.
bool loaded_in_part(const LossTable& losses) {
  const auto entries = losses.entries();
  return !entries.empty() && loss_info(entries.front().loss).severity == LossSeverity::kSevere;
}

Result<int> report_traces(const TraceFlags& flags, bool json) {
  Json reports = Json::array();
  int code = 0;
  for (const std::string& path : flags.files) {
    AACO_ASSIGN(const ReadTrace trace, read_trace(path));
    const TraceSummary summary = summarise_trace(trace.events);
    const report::TraceFile file{path, trace.format->id, trace.file_bytes};
    if (loaded_in_part(summary.losses)) {
      code = static_cast<int>(ErrorKind::kPartial);
    }
    if (json) {
      reports.push_back(report::trace_report_json(file, trace.events, summary));
    } else {
      fmt::print("{}{}", path == flags.files.front() ? "" : "\n",
                 report::trace_report_text(file, trace.events, summary, flags.top));
    }
  }
  if (json) {
    fmt::print("{}\n", reports.dump(2, ' ', false, Json::error_handler_t::replace));
  }
  return code;
}

}  // namespace

void add_trace_command(CLI::App& app, Invocation& invocation) {
  CLI::App* command = app.add_subcommand("trace", "Read a trace that another profiler recorded");
  command->require_subcommand(1);
  auto flags = std::make_shared<TraceFlags>();
  CLI::App* report = command->add_subcommand(
      "report",
      "Device time budget, kernel statistics and what was lost, of PyTorch profiler traces (.json, .json.gz)");
  report->add_option("FILE", flags->files, "Traces; the format is known by the content")->required();
  report->add_option("--top", flags->top, "Kernels to show of each device")->capture_default_str();
  add_json_flag(*report, invocation);
  set_examples(*report,
               "  aaco trace report trace.json.gz\n  aaco trace report rank0.json.gz rank1.json.gz --top 20\n"
               "  aaco trace report trace.json.gz --json");
  report->callback([flags, &invocation] { invocation.finish(report_traces(*flags, invocation.json)); });
}

}  // namespace aaco
