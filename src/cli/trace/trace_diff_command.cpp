// SPDX-License-Identifier: MIT
#include "cli/trace/trace_diff_command.h"

#include <fmt/format.h>
#include <memory>
#include <string>

#include "cli/trace/trace_arguments.h"

#include "analysis/timeline/operators/trace_diff.h"
#include "base/json.h"
#include "base/json_text.h"
#include "import/trace_source.h"
#include "report/table_sinks.h"
#include "report/trace/losses.h"
#include "report/trace/trace_diff_report.h"

namespace aaco {

namespace {

struct DiffFlags {
  std::string before;
  std::string after;
  size_t top = 10;
  bool csv = false;
};

Result<int> diff_trace(const DiffFlags& flags, bool json) {
  AACO_ASSIGN(const imports::LoadedTrace before, imports::load_trace({{flags.before}, ""}));
  AACO_ASSIGN(const imports::LoadedTrace after, imports::load_trace({{flags.after}, ""}));
  warn_of_shard(before);
  warn_of_shard(after);
  const TraceDiff diff = diff_traces(before.events, after.events);
  if (json) {
    fmt::print("{}", indented_json_text(report::trace_diff_json(diff, before.origin, after.origin)));
  } else if (flags.csv) {
    const std::unique_ptr<report::TableSink> sink = report::make_table_sink(report::TableForm::kCsv);
    fmt::print("{}", sink->add(report::trace_diff_table(diff)));
    fmt::print("{}", sink->end());
    fmt::print(stderr, "before\n{}after\n{}", report::losses_text(diff.losses_before),
               report::losses_text(diff.losses_after));
  } else {
    fmt::print("{}", report::trace_diff_text(diff, before.origin, after.origin, flags.top));
  }
  const bool in_part = diff.losses_before.in_part() || diff.losses_after.in_part();
  return in_part ? static_cast<int>(ErrorKind::kPartial) : 0;
}

}  // namespace

void add_trace_diff(cli::Command trace, Invocation& invocation) {
  auto flags = std::make_shared<DiffFlags>();
  cli::Command command = trace.add_subcommand(
      "diff", "What changed on the device from one trace to another: more executions, or slower ones");
  command.add_option("BEFORE", flags->before, "A file or a folder of one trace, or the session of an import")
      .required();
  command.add_option("AFTER", flags->after, "The same of the other trace").required();
  command.add_option("--top", flags->top, "Lines to show of each list").capture_default_str();
  command.add_flag("--csv", flags->csv, "All rows as comma-separated values");
  add_json_flag(command, invocation);
  set_examples(command,
               "  aaco trace diff before.json.gz after.json.gz\n"
               "  aaco trace diff sessions/2026-01-31/20260131_101500_12ab34 after.json.gz --csv");
  command.callback([flags, &invocation] { invocation.finish(diff_trace(*flags, invocation.json)); });
}

}  // namespace aaco
