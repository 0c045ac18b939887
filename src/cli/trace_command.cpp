// SPDX-License-Identifier: MIT
#include "cli/trace_command.h"

#include <filesystem>
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

Result<int> report_trace(const TraceFlags& flags, bool json) {
  AACO_ASSIGN(const ReadTrace trace,
              read_trace(std::vector<std::filesystem::path>(flags.files.begin(), flags.files.end())));
  report::TraceOrigin origin;
  for (const ReadTrace::File& file : trace.files) {
    origin.files.push_back({file.path.string(), file.format->id, file.bytes});
  }
  for (const std::filesystem::path& path : trace.unknown) {
    origin.unknown_files.push_back(path.string());
  }
  const TraceSummary summary = summarise_trace(trace.events);
  if (json) {
    const Json report = report::trace_report_json(origin, trace.events, summary);
    fmt::print("{}\n", report.dump(2, ' ', false, Json::error_handler_t::replace));
  } else {
    fmt::print("{}", report::trace_report_text(origin, trace.events, summary, flags.top));
  }
  return loaded_in_part(summary.losses) ? static_cast<int>(ErrorKind::kPartial) : 0;
}

}  // namespace

void add_trace_command(CLI::App& app, Invocation& invocation) {
  CLI::App* command = app.add_subcommand("trace", "Read a trace that another profiler recorded");
  command->require_subcommand(1);
  auto flags = std::make_shared<TraceFlags>();
  CLI::App* report = command->add_subcommand(
      "report",
      "Device time budget, kernel statistics and what was lost, of PyTorch profiler traces (.json, .json.gz)");
  report->add_option("FILE", flags->files, "Files, or folders of them, as one trace; formats are known by the content")
      ->required();
  report->add_option("--top", flags->top, "Kernels to show of each device")->capture_default_str();
  add_json_flag(*report, invocation);
  set_examples(*report,
               "  aaco trace report trace.json.gz\n  aaco trace report rank0.json.gz rank1.json.gz --top 20\n"
               "  aaco trace report profiler-output/ --json");
  report->callback([flags, &invocation] { invocation.finish(report_trace(*flags, invocation.json)); });
}

}  // namespace aaco
