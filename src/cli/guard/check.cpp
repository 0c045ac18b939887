// SPDX-License-Identifier: MIT
#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <string>

#include "cli/guard/ci_files.h"
#include "cli/guard/guard_flags.h"
#include "cli/guard/guard_subcommands.h"

#include "base/format.h"
#include "base/json/json.h"
#include "base/json/json_text.h"
#include "base/side_note.h"
#include "base/text/characters.h"
#include "base/text/duration_text.h"
#include "guard/gates/guard_gates.h"
#include "guard/output/answer_text.h"
#include "guard/subject/guard_entry.h"

namespace aaco {

namespace {

constexpr int64_t kShortestBudgetNs = 1'000'000'000;

struct CheckFlags {
  GuardFlags subject;
  std::string against;
  std::string budget = "5m";
  std::string gates;
  double min_effect_pct = 100 * kGuardMinEffect;
  bool record = false;
  bool allow_inconclusive = false;
  CiFiles files;
};

Result<CheckEnd> judge_subject(const CheckFlags& flags) {
  const GuardFlags& subject = flags.subject;
  if (!subject.session.empty()) {
    return check_session(subject.request, subject.session);
  }
  if (!subject.command.empty()) {
    return check_command(subject.request, subject.command, flags.against);
  }
  AACO_ASSIGN(const std::vector<GivenValue> values, given_values(subject));
  return check_values(subject.request, values);
}

Result<CheckEnd> check_subject(CheckFlags& flags) {
  CheckRequest& request = flags.subject.request;
  AACO_TRY(expect_one_subject(flags.subject));
  if (!flags.against.empty() && flags.subject.command.empty()) {
    return Error{ErrorKind::kUsage, "--against is for a command", "aaco guard check --against OLD -- ./bench"};
  }
  const std::optional<int64_t> budget_ns = duration_ns_of_text(flags.budget);
  if (!budget_ns || *budget_ns < kShortestBudgetNs) {
    return Error{ErrorKind::kUsage, fmt::format("--budget {}: not a duration of 1s or more", printable(flags.budget)),
                 "for example 90s, 5m, 1h"};
  }
  request.budget_ns = *budget_ns;
  request.min_effect = flags.min_effect_pct / 100;
  std::vector<GuardGate> gates;
  if (!flags.gates.empty()) {
    AACO_ASSIGN(gates, read_gates(flags.gates));
  }
  if (flags.record) {  // where the history cannot be written that is said before the budget is spent
    AACO_TRY(GuardStore::open(request.store));
  }
  AACO_ASSIGN(CheckEnd end, judge_subject(flags));
  end.answer.gates = judge_gates(gates, end.entry, expected_samples(end.entry));
  if (!gates.empty() && end.answer.gates.empty()) {
    note("warning: none of the {} of {} is for subject {}\n", counted(gates.size(), "gate", "gates"),
         printable(flags.gates), end.entry.record.place.subject);
  }
  return end;
}

Result<void> record_check(const CheckFlags& flags, const CheckEnd& end) {
  if (!may_become_baseline(end.answer)) {
    note("not recorded: a slower state, or one that misses a gate, must not become the next baseline\n");
    return {};
  }
  AACO_ASSIGN(const GuardStore store, GuardStore::open(flags.subject.request.store));
  return keep_recording(store, end.entry);
}

Result<int> check(CheckFlags& flags, bool json) {
  AACO_ASSIGN(const CheckEnd end, check_subject(flags));
  const GuardAnswer& answer = end.answer;
  // The answer took the whole budget: it must not be lost because a file or the history cannot be written.
  fmt::print("{}", json ? indented_json_text(Json(answer)) : answer_text(answer));
  const Result<void> written = write_ci_files(flags.files, answer, json);
  const Result<void> recorded = flags.record ? record_check(flags, end) : Result<void>();
  for (const Result<void>* done : {&written, &recorded}) {
    if (!*done) {
      return done->error();
    }
  }
  const bool allowed = flags.allow_inconclusive && verdict_of(answer) == Verdict::kInconclusive;
  return allowed ? 0 : exit_code_of(answer);
}

}  // namespace

void add_guard_check(cli::Command guard, Invocation& invocation) {
  cli::Command command =
      guard.add_subcommand("check", "Did it become slower? Measures both sides until that is decided");
  const auto flags = std::make_shared<CheckFlags>();
  add_guard_subject(command, flags->subject);
  command.add_option("--against", flags->against, "Program to measure beside the command's, with the same arguments")
      .type_name("PROGRAM");
  command.add_option("--budget", flags->budget, "Time for measuring both sides again")
      .type_name("TIME")
      .capture_default_str();
  command.add_option("--min-effect", flags->min_effect_pct, {0, 100}, "smallest change that matters, in percent")
      .capture_default_str()
      .type_name("PCT");
  command.add_option("--gates", flags->gates, "Limits that must hold besides, in YAML").type_name("FILE");
  command.add_flag("--record", flags->record, "Keep this recording as history, unless it was found slower");
  command.add_flag("--accept-unconfirmed", flags->subject.request.accept_unconfirmed,
                   "Let a slowdown count that could not be measured again");
  command.add_flag("--allow-inconclusive", flags->allow_inconclusive, "exit 0 instead of 4 when inconclusive");
  add_ci_flags(command, flags->files);
  command.rare({"--allow-inconclusive", "--accept-unconfirmed"});
  add_quiet_flag(command, invocation);
  add_json_flag(command, invocation);
  set_examples(command,
               "  aaco guard check --against ./bench-of-main -- ./bench --size 3\n"
               "  aaco guard check --session latest --record --junit guard.xml\n"
               "  aaco guard check --value p99=12.3ms,12.5ms,12.4ms --gates gates.yaml\n"
               "Exit codes: 0 equivalent or improved, 1 regressed, 4 inconclusive or invalid.");
  command.callback([flags, &invocation] {
    if (!invocation.quiet) {
      flags->subject.request.progress = [](const std::string& text) { note("aaco: {}\n", printable(text)); };
    }
    invocation.finish(check(*flags, invocation.json));
  });
}

}  // namespace aaco
