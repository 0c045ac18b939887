// SPDX-License-Identifier: MIT
// aaco guard bisect: which commit made a command slower.
#include <fmt/format.h>
#include <memory>
#include <string>

#include "cli/guard/guard_subcommands.h"

#include "base/interrupt.h"
#include "base/json/json.h"
#include "base/json/json_text.h"
#include "base/side_note.h"
#include "base/text/characters.h"
#include "guard/bisect/bisect_run.h"

namespace aaco {

namespace {

struct BisectFlags {
  BisectRequest request;
  std::string repository = ".";
  std::string state = "aaco-bisect.json";
  int64_t builds = 20;
  int64_t measurements = 100;
};

Result<int> bisect(BisectFlags& flags, const Invocation& invocation) {
  BisectRequest& request = flags.request;
  if (request.command.empty()) {
    return Error{ErrorKind::kUsage, "no command that measures", "give it behind --, as in aaco guard bisect --help"};
  }
  request.repository = flags.repository;
  request.state = flags.state;
  request.limits.builds = static_cast<size_t>(flags.builds);
  request.limits.measurements = static_cast<size_t>(flags.measurements);
  const Result<BisectAnswer> ended = run_bisect(request, [&](const std::string& line) {
    if (!invocation.quiet) {
      note("{}\n", line);
    }
  });
  if (!ended && interrupted()) {
    note("{} holds what was measured: the same command goes on from here\n", printable(flags.state));
  }
  AACO_TRY(ended);
  const BisectAnswer& answer = *ended;
  if (invocation.json) {
    fmt::print("{}", indented_json_text(bisect_json(answer)));
  } else {
    fmt::print("{}", bisect_text(answer, [&](const std::string& commit) {
                 return commit_subject(request.repository, commit);
               }));
  }
  return answer.end == BisectEnd::kDecided ? 0 : static_cast<int>(ErrorKind::kInvalid);
}

}  // namespace

void add_guard_bisect(cli::Command guard, Invocation& invocation) {
  cli::Command command = guard.add_subcommand("bisect", "Which commit made a command slower");
  const auto flags = std::make_shared<BisectFlags>();
  command.add_option(
      "COMMAND", flags->request.command,
      "Behind --: prints a line with a positive number, less is better; run in a checkout of the commit");
  command.add_option("--good", flags->request.good, "Commit that is fast").type_name("COMMIT").required();
  command.add_option("--bad", flags->request.bad, "Later commit that is slow").type_name("COMMIT").required();
  command.add_option("--build", flags->request.build, "Shell command that builds a commit, once in its checkout")
      .type_name("COMMAND");
  command.add_flag("--time", flags->request.time, "The wall time of the command counts, not what it prints");
  command.add_option("--repository", flags->repository, "The git repository").type_name("DIR").capture_default_str();
  command.add_option("--state", flags->state, "File with what was measured; the same command goes on from it")
      .type_name("FILE")
      .capture_default_str();
  command.add_option("--builds", flags->builds, {2, 100'000}, "Most commits to build").capture_default_str();
  command
      .add_option("--measurements", flags->measurements, {10, 1'000'000}, "Most measurements, of all commits together")
      .capture_default_str();
  add_json_flag(command, invocation);
  add_quiet_flag(command, invocation);
  set_examples(command,
               "  aaco guard bisect --good v1.2 --bad main -- ./build_and_measure.sh\n"
               "  aaco guard bisect --good v1.2 --bad main --build \"make -j\" --time -- ./bench --size 3");
  command.callback([flags, &invocation] { invocation.finish(bisect(*flags, invocation)); });
}

}  // namespace aaco
