// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <memory>

#include "cli/command/progress_line.h"
#include "cli/command/session_page.h"
#include "cli/overlap/overlap_subcommands.h"
#include "cli/queue/queue_flags.h"

#include "base/json/json.h"
#include "base/json/json_text.h"
#include "base/text/characters.h"
#include "kind/copy/copy_report.h"
#include "kind/copy/copy_request.h"
#include "kind/copy/copy_run.h"
#include "report/sinks.h"

namespace aaco {

namespace {

struct Flags {
  CopyRequest request;
  std::string device;
  std::vector<std::string> directions;
  bool always_on = false;
  std::string output;
};

// "0" is a device of the first accelerator, as in the script that this stands for. Errors: kUnavailable where there is
// none: its sizes would take a CPU many minutes.
Result<std::string> device_id(const std::string& named) {
  const DefaultDevice first = default_device();
  if (named.empty()) {
    return first.id;
  }
  const bool number =
      std::all_of(named.begin(), named.end(), [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
  if (!number) {
    return named;
  }
  if (first.id.starts_with("cpu")) {
    return Error{
        ErrorKind::kUnavailable,
        fmt::format("--device {}: a number is a GPU's, and none can be used here (aaco devices says why)", named),
        "on the CPU: aaco overlap copy --device cpu:0 --matrix-size 256 --copy-mb 4"};
  }
  return first.id.substr(0, first.id.find(':') + 1) + named;
}

Result<int> run(const Flags& flags, const Invocation& invocation) {
  CopyRequest request = flags.request;
  AACO_ASSIGN(request.device, device_id(flags.device));
  if (!request.peer.empty()) {
    AACO_ASSIGN(request.peer, device_id(request.peer));
  }
  request.command_line = invocation.command_line;
  AACO_ASSIGN(request, complete_copy_request(std::move(request), flags.directions));
  ProgressLine progress(invocation.quiet);
  AACO_ASSIGN(const CopyDocument document, run_copy_overlap(request, progress.callback()));
  progress.wipe();
  const Json json = copy_json(document);
  if (!flags.output.empty()) {
    AACO_TRY(write_json(flags.output, json));
  }
  AACO_ASSIGN(const std::filesystem::path page, write_session_page(document.bundle));
  fmt::print("{}",
             invocation.json ? indented_json_text(json) : report::render_text(report::build_copy_summary(document)));
  if (!invocation.json) {
    fmt::print("{}", page_line(page));
  }
  return 0;
}

}  // namespace

void add_overlap_copy(cli::Command overlap, Invocation& invocation) {
  cli::Command command = overlap.add_subcommand("copy", "Copies beside matrix products: what overlapping them saves");
  auto flags = std::make_shared<Flags>();
  CopyRequest& request = flags->request;
  command.add_option("--device", flags->device, "As cuda:0, or a number of the first kind of GPU; default: its first")
      .type_name("ID");
  command.add_option("--peer", request.peer, "Device that peer copies go to, as cuda:1; without it there are none")
      .type_name("ID");
  command.add_option("--directions", flags->directions, "Of d2h, h2d and peer, by comma; default: all that can be")
      .delimiter(',');
  command.add_option("--matrix-size", request.matrix_size, {0, 65536},
                     "Rows and columns of the products; 0: 4096, on a CPU 256");
  command.add_option("--copy-mb", request.copy_mb, {0, 1 << 17}, "MiB of a copy; 0: 64, on a CPU 4");
  command.add_option("--products", request.products, {1, 10'000}, "Products beside one copy").capture_default_str();
  command.add_option("--precision", request.precision, "fp32 or bf16; default: bf16, on a CPU fp32");
  command
      .add_option("--iterations", request.rounds, {1, 1'000'000}, "Measured rounds of a process, the variants in turns")
      .capture_default_str();
  command.add_option("--cold-iters", request.warmup, {0, 1'000'000}, "Rounds before them, which are not measured")
      .capture_default_str();
  command.add_option("--processes", request.processes, {1, 1000}, "Fresh processes; intervals are over them")
      .capture_default_str();
  command.add_option("--seed", request.seed, {}, "Of the values").capture_default_str();
  command.rare({"--directions", "--products", "--cold-iters", "--seed"});
  command.add_flag("--generate-report", flags->always_on, "Always on: each session has its page");
  command.of_originals({"--generate-report"});
  add_sessions_folder(command, request.sessions);
  add_tag_flag(command, invocation);
  command.add_option("-o,--output", flags->output, "Write the JSON to a file too").type_name("FILE").written();
  add_quiet_flag(command, invocation);
  add_json_flag(command, invocation);
  set_examples(command,
               "  aaco overlap copy --device 0 --matrix-size 4096 --copy-mb 64\n"
               "  aaco overlap copy --device cuda:0 --peer cuda:1 --products 8\n"
               "  aaco overlap copy --device cpu:0 --matrix-size 128 --copy-mb 1 --processes 3 --json");
  command.callback([flags, &invocation] { invocation.finish(run(*flags, invocation)); });
}

}  // namespace aaco
