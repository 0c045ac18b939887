// SPDX-License-Identifier: MIT
// What `aaco guard check` is asked, of whatever it checks.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "guard/judgement/guard_answer.h"
#include "guard/store/guard_store.h"
#include "guard/subject/guard_entry.h"

namespace aaco {

inline constexpr double kGuardMinEffect = 0.01;  // with 2 %, as in diff, no number of pairs is sure of a change of 3 %
inline constexpr int64_t kMostPairs = 500;

struct CheckRequest {
  std::string store = "guard";
  std::string sessions = "sessions";
  EntryLabels labels;
  double min_effect = kGuardMinEffect;
  int64_t budget_ns = 300'000'000'000;
  int64_t processes = 10;  // of a command whose baseline cannot be measured again
  int64_t warm_up = 1;
  // A change that could not be measured again, interleaved, counts all the same.
  bool accept_unconfirmed = false;
  std::function<void(const std::string&)> progress;
};

// What was checked, and the recording of its newer side, which `--record` keeps.
struct CheckEnd {
  GuardAnswer answer;
  GuardEntry entry;
};

// The newest valid recording of the same place and source, other than the test's own. None with the reason in
// `answer.no_baseline`.
Result<void> choose_baseline(const GuardStore& store, const GuardRecord& test, GuardAnswer& answer);

// What is to be done about sides that were measured in turns and are not decided: more time, where that helps.
void advise_on_pairs(Comparison& comparison);

// Why both sides cannot be measured again, and what to do about it: "record the baseline again".
struct NotAgain {
  std::string why;
  std::string way_out;
};

// Makes of changes that rest on recordings alone what they are: not confirmed. Sets `answer.not_again`; a slowdown
// stays `found_slower`.
void mark_unconfirmed(const CheckRequest& request, const NotAgain& reason, GuardAnswer& answer);

// After turns: what the recordings showed to be slower stays `found_slower`, unless the turns show the contrary.
// `recorded`: as judged before them.
void keep_found_slower(const std::vector<JudgedSample>& recorded, GuardAnswer& answer);

// What one side alone has is neither better nor worse: an inconclusive sample for each. `unpaired`: as compare_pairs
// says it.
void add_one_sided(const std::vector<std::string>& unpaired, const std::string& remedy,
                   std::vector<JudgedSample>& samples);

// `again`: of the recorded baseline, where its program is still there and is another one.
Result<CheckEnd> check_command(const CheckRequest& request, const std::vector<std::string>& arguments,
                               const std::string& against);
Result<CheckEnd> check_session(const CheckRequest& request, const std::string& session);
Result<CheckEnd> check_values(const CheckRequest& request, const std::vector<GivenValue>& values);

// Times a command for `aaco guard record`. Errors: as time_process.
Result<TimedCommand> timed_command(const CheckRequest& request, const std::vector<std::string>& arguments);

}  // namespace aaco
