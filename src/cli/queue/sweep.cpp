// SPDX-License-Identifier: MIT
#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <memory>

#include "cli/command/progress_line.h"
#include "cli/command/session_page.h"
#include "cli/queue/queue_flags.h"
#include "cli/queue/queue_subcommands.h"

#include "base/files/file.h"
#include "base/json/json.h"
#include "base/json/json_text.h"
#include "kind/sweep/queue_sweep_run.h"
#include "kind/sweep/report/queue_sweep_report.h"
#include "report/sinks.h"
#include "workload/workload.h"

namespace aaco {

namespace {

struct SweepFlags {
  QueueFlags queue;
  std::vector<int32_t> streams{1, 2, 4, 8, 16};
  std::string output;
};

struct PriorityFlags {
  SweepFlags sweep;
  std::string priority;
};

Result<int> sweep(const SweepFlags& flags, const Invocation& invocation) {
  AACO_ASSIGN(const QueueRequest request, to_request(flags.queue, invocation));
  ProgressLine progress(invocation.quiet);
  AACO_ASSIGN(const auto outcome, run_queue_sweep(request, flags.streams, progress.callback()));
  progress.wipe();
  const Json document = Json(outcome.document);
  if (!flags.output.empty()) {
    AACO_TRY(write_json(flags.output, document));
  }
  AACO_ASSIGN(const std::filesystem::path page, write_session_page(outcome.document.bundle));
  fmt::print("{}", invocation.json
                       ? indented_json_text(document)
                       : report::render_text(report::build_queue_sweep_summary(outcome.document)) + page_line(page));
  return outcome.exit_code();
}

// Every workload of a priority, one after the other. One that fails does not end the others; the first failure is the
// command's.
Result<int> run_priority(PriorityFlags flags, const Invocation& invocation) {
  std::optional<Error> failure;
  std::vector<const WorkloadInfo*> chosen;
  std::ranges::copy_if(all_workloads(), std::back_inserter(chosen), [&](const WorkloadInfo* info) {
    return flags.priority == "all" || flags.priority == info->priority;
  });
  if (chosen.empty()) {
    return Error{ErrorKind::kUsage, fmt::format("{}: no workload has that priority", flags.priority),
                 "choose P0, P1, P2, P3 or all"};
  }
  Json documents = Json::array();
  ProgressLine progress(invocation.quiet);
  double done = 0;
  for (const WorkloadInfo* info : chosen) {
    flags.sweep.queue.request.workload = info->id;
    AACO_ASSIGN(const QueueRequest request, to_request(flags.sweep.queue, invocation));
    const auto outcome = run_queue_sweep(request, flags.sweep.streams, [&](const std::string& what, double fraction) {
      progress.show(what, (done + fraction) / static_cast<double>(chosen.size()));
    });
    progress.wipe();
    done += 1;
    const std::optional<Error> problem = outcome ? outcome->failure : std::optional(outcome.error());
    if (problem && problem->kind == ErrorKind::kInterrupted) {
      return *problem;
    }
    failure = failure ? failure : problem;
    if (outcome) {
      documents.push_back(outcome->document);
      if (!flags.sweep.output.empty()) {
        AACO_TRY(make_folders(flags.sweep.output));
        AACO_TRY(write_json(std::filesystem::path(flags.sweep.output) / fmt::format("{}_results.json", info->id),
                            documents.back()));
      }
    }
    if (outcome) {
      AACO_TRY(write_session_page(outcome->document.bundle));
    }
    if (!invocation.json) {
      fmt::print("{}\n", outcome ? report::render_text(report::build_queue_sweep_summary(outcome->document))
                                 : fmt::format("{}\n\nfailed: {}\n", info->id, outcome.error().message));
    }
  }
  if (invocation.json) {
    fmt::print("{}", indented_json_text(documents));
  }
  return failure ? Result<int>(*failure) : Result<int>(0);
}

void add_sweep_flags(cli::Command command, SweepFlags& flags) {
  command.add_option("-s,--streams", flags.streams, {1, kMostStreams}, "Stream counts, as 1,2,4,8,16")
      .delimiter(',')
      .capture_default_str();
  add_queue_flags(command, flags.queue);
  add_profile_flag(command, flags.queue);
}

}  // namespace

void add_queue_sweep(cli::Command queue, Invocation& invocation) {
  cli::Command command = queue.add_subcommand("sweep", "Run one workload with several stream counts");
  auto flags = std::make_shared<SweepFlags>();
  command.add_option("workload", flags->queue.request.workload, "Name: aaco queue list").required();
  add_sweep_flags(command, *flags);
  add_tag_flag(command, invocation);
  command.add_option("-o,--output", flags->output, "Write the JSON to a file too").type_name("FILE").written();
  add_quiet_flag(command, invocation);
  add_json_flag(command, invocation);
  set_examples(command, "  aaco queue sweep hetero_kernels --streams 1,2,4,8,16 --output sweep.json");
  command.callback([flags, &invocation] { invocation.finish(sweep(*flags, invocation)); });
}

void add_queue_run_priority(cli::Command queue, Invocation& invocation) {
  cli::Command command = queue.add_subcommand("run-priority", "Sweep every workload of a priority");
  auto flags = std::make_shared<PriorityFlags>();
  command.add_option("priority", flags->priority, "P0, P1, P2, P3 or all").required();
  add_sweep_flags(command, flags->sweep);
  add_tag_flag(command, invocation);
  command
      .add_option("-o,--output,--output-dir", flags->sweep.output,
                  "Write each workload's JSON into a folder too; --output-dir is its older name")
      .type_name("DIR");
  add_quiet_flag(command, invocation);
  add_json_flag(command, invocation);
  set_examples(command, "  aaco queue run-priority P0 --streams 1,8 --output results");
  command.callback([flags, &invocation] { invocation.finish(run_priority(*flags, invocation)); });
}

}  // namespace aaco
