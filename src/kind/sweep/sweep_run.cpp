// SPDX-License-Identifier: MIT
#include "kind/sweep/sweep_run.h"

#include <algorithm>

#include "base/version.h"
#include "engine/orchestrator.h"
#include "observe/environment.h"
#include "session/bundle/layout.h"

namespace aaco {

namespace {

// The session that names those of the members.
class SweepStrategy : public Strategy {
 public:
  SweepStrategy(const SweepSession& sweep, const std::optional<Error>& failure, SweepHead& head,
                const std::function<Result<void>(SessionWriter&)>& write)
      : sweep_(sweep), failure_(failure), head_(head), write_(write) {}

  Result<SessionStart> prepare() override {
    SessionStart start{sweep_.sessions, {}, {}};
    start.info.kind = sweep_.kind.traits;
    start.info.command_line = sweep_.command_line;
    start.info.planes[sweep_.plane] = {PlaneStatus::kRecorded, ""};
    start.info.facts = sweep_.facts;
    return start;
  }

  Result<SessionEnd> store(Orchestrator& run) override {
    SessionWriter& session = run.session();
    head_ = {program_version(), session.info().created_utc, session.path().string()};
    AACO_TRY(session.write_json_file(layout::kEnvironment, capture_environment(EnvironmentOptions())));
    AACO_TRY(write_(session));
    return end_after(failure_);
  }

 private:
  const SweepSession& sweep_;
  const std::optional<Error>& failure_;
  SweepHead& head_;
  const std::function<Result<void>(SessionWriter&)>& write_;
};

}  // namespace

std::vector<SweepMember> members_in_turns(size_t baseline, size_t test) {
  std::vector<SweepMember> members;
  for (size_t i = 0; i < std::max(baseline, test); ++i) {
    if (i < baseline) {
      members.push_back({0, i});
    }
    if (i < test) {
      members.push_back({1, i});
    }
  }
  return members;
}

std::optional<Error> run_turns(const SweepTurns& turns, const ProgressCallback& progress, const RunMember& run) {
  const size_t total = turns.members * turns.rounds;
  for (size_t turn = 0; turn < total; ++turn) {
    const size_t round = turn / turns.members;
    const auto share = [&](const std::string& what, double fraction) {
      progress(what, (static_cast<double>(turn) + fraction) / static_cast<double>(total));
    };
    Result<void> ended = check_interrupt();
    if (ended) {
      ended = run((turn + round) % turns.members, round, share);
    }
    if (!ended) {
      return ended.error();
    }
  }
  return std::nullopt;
}

Result<void> keep_sweep(const SweepSession& sweep, const std::optional<Error>& failure, SweepHead& head,
                        const std::function<Result<void>(SessionWriter&)>& write) {
  SweepStrategy strategy(sweep, failure, head, write);
  return orchestrate(strategy);
}

}  // namespace aaco
