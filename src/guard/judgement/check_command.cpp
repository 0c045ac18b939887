// SPDX-License-Identifier: MIT
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "base/clock.h"
#include "base/files/file.h"
#include "base/format.h"
#include "base/json/json.h"
#include "base/statistics.h"
#include "guard/command/interleaved_commands.h"
#include "guard/judgement/check_request.h"
#include "guard/judgement/clock_or_code.h"
#include "guard/judgement/crowded_commands.h"
#include "guard/sequential/looks.h"
#include "observe/environment.h"
#include "observe/telemetry/other_load.h"
#include "verdict/drift.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

constexpr const char* kPairGroup = "guard";
// The schedule leaves the budget some room: a process may take longer than those of the warm-up.
constexpr double kBudgetShare = 0.9;

// The file that a shell would run; empty where there is none.
fs::path program_file(const std::string& program) {
  std::error_code ignored;
  if (program.find('/') != std::string::npos) {
    return fs::is_regular_file(program, ignored) ? fs::path(program) : fs::path();
  }
  const char* const path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const size_t colon = rest.find(':');
    const fs::path file = fs::path(rest.substr(0, colon)) / program;
    if (fs::is_regular_file(file, ignored) && ::access(file.c_str(), X_OK) == 0) {
      return file;
    }
    rest = colon == std::string_view::npos ? "" : rest.substr(colon + 1);
  }
  return {};
}

std::string program_hash(const std::string& program) {
  const fs::path file = program_file(program);
  const Result<std::string> sha256 = file.empty() ? Result<std::string>(std::string()) : sha256_of_file(file);
  return sha256 ? *sha256 : "";
}

TimedCommand command_of(const CheckRequest& request, const std::vector<std::string>& arguments) {
  TimedCommand command;
  command.title =
      request.labels.subject.empty() ? fs::path(arguments.front()).filename().string() : request.labels.subject;
  command.arguments = arguments;
  command.program_sha256 = program_hash(arguments.front());
  return command;
}

void tell(const CheckRequest& request, const std::string& text) {
  if (request.progress) {
    request.progress(text);
  }
}

std::optional<double> median_time(const RunSample& sample) { return median(sample.process_medians_ns); }

std::optional<ClockEvidence> clock_evidence(const TimedCommand& baseline, const TimedCommand& test,
                                            const NamedSample& baseline_times, const NamedSample& test_times) {
  auto sides = at_one_clock(baseline, test, baseline_times, test_times);
  if (!sides) {
    return std::nullopt;
  }
  return ClockEvidence{std::move(sides->baseline.sample), std::move(sides->test.sample), sides->clock_ratio};
}

// Both sides, and at one clock too.
JudgedSample judge_times(const TimedCommand& baseline, const TimedCommand& test, const NamedSample& baseline_times,
                         const NamedSample& test_times, const CompareOptions& options) {
  JudgedSample sample;
  sample.comparison = compare(baseline_times.sample, test_times.sample, options);
  sample.baseline_value = median_time(baseline_times.sample);
  sample.test_value = median_time(test_times.sample);
  judge_clock(clock_evidence(baseline, test, baseline_times, test_times), options, sample);
  return sample;
}

// Sides that were measured in turns, judged at a level.
JudgedSample judge_commands(const TimedCommand& baseline, const TimedCommand& test, const Json& environment,
                            const CompareOptions& options) {
  const std::string now = format_utc(wall_clock_ns());
  return judge_times(baseline, test, command_sample(baseline, environment, now, kPairGroup),
                     command_sample(test, environment, now, kPairGroup), options);
}

bool is_decided(const JudgedSample& sample) { return sample.comparison.verdict != Verdict::kInconclusive; }

// Interleaved until decided.
Result<TimedCommand> measure_both(const CheckRequest& request, TimedCommand baseline, TimedCommand test,
                                  const Json& environment, GuardAnswer& answer) {
  const int64_t start_ns = monotonic_ns();
  const int64_t end_ns = start_ns + request.budget_ns;
  InterleavedCommands both(std::move(baseline), std::move(test));
  tell(request, "warm-up of both sides");
  AACO_ASSIGN(const int64_t pair_ns, both.warm_up(std::max<int64_t>(1, request.warm_up)));
  const auto left_ns = static_cast<double>(end_ns - monotonic_ns()) * kBudgetShare;
  const int64_t affordable = static_cast<int64_t>(left_ns / static_cast<double>(std::max<int64_t>(1, pair_ns)));
  const std::vector<Look> looks = plan_looks(std::clamp<int64_t>(affordable, kMinProcesses, kMostPairs), kVerdictLevel,
                                             (1 - kEquivalenceConfidence) / 2);
  CompareOptions options;
  options.min_effect = request.min_effect;
  answer.samples.assign(1, JudgedSample());
  const auto decide = [&](const Look& look) -> Result<bool> {
    options.level = look.level;
    options.equivalence_confidence = 1 - 2 * look.equivalence_level;
    answer.samples.front() = judge_commands(both.baseline(), both.test(), environment, options);
    tell(request, fmt::format("{} pairs: {}", look.pairs, headline_of(answer)));
    return is_decided(answer.samples.front());
  };
  AACO_ASSIGN(const LooksEnd end,
              look_until_decided(looks, [&](int64_t pairs) { return both.measure(pairs, end_ns, {}); }, decide));
  JudgedSample& sample = answer.samples.front();
  if (end.looks == 0) {
    sample.comparison.verdict = Verdict::kInconclusive;
    sample.comparison.reason = fmt::format("the budget ended before {} pairs were measured", looks.front().pairs);
    sample.comparison.remedy = "Give --budget more time, or measure a shorter command.";
  }
  TimedCommand measured = both.test();
  measured.others_share = both.others_share();  // what is refused here is no baseline either
  advise_on_pairs(sample.comparison);
  refuse_crowd(measured.others_share, sample.comparison);
  sample.cause = command_cause(both.baseline(), both.test());
  answer.measured_again = true;
  answer.pairs = end.pairs;
  answer.looks = end.looks;
  answer.seconds = static_cast<double>(monotonic_ns() - start_ns) / 1e9;
  return measured;
}

// Why the baseline's program cannot run again beside this one; "" where it can.
std::string why_not_again(const TimedCommand& baseline, const TimedCommand& test) {
  const std::string now = program_hash(baseline.arguments.front());
  if (now.empty() || now != baseline.program_sha256) {
    return fmt::format("{}, the baseline's program, is not there any more", baseline.arguments.front());
  }
  if (now == test.program_sha256) {
    return fmt::format("{} is the program of both sides: what else changed cannot be undone here",
                       baseline.arguments.front());
  }
  return "";
}

Json lockbox() { return capture_environment(EnvironmentOptions()); }

}  // namespace

Result<TimedCommand> timed_command(const CheckRequest& request, const std::vector<std::string>& arguments) {
  TimedCommand command = command_of(request, arguments);
  for (int64_t i = 0; i < request.warm_up; ++i) {
    AACO_ASSIGN([[maybe_unused]] const ProcessTimes unused, time_process(arguments));
  }
  const std::optional<ProcessorTimes> start = processor_times(HostFiles(), {});
  for (int64_t i = 0; i < request.processes; ++i) {
    AACO_ASSIGN(const ProcessTimes times, time_process(arguments));
    command.processes.push_back(times);
    tell(request,
         fmt::format("{} of {}: {}", i + 1, request.processes, format_duration_ns(static_cast<double>(times.wall_ns))));
  }
  command.others_share = others_share_since(start, command.processes);
  return command;
}

Result<CheckEnd> check_command(const CheckRequest& request, const std::vector<std::string>& arguments,
                               const std::string& against) {
  const JsonValue environment = lockbox();
  CheckEnd end;
  GuardAnswer& answer = end.answer;
  answer.min_effect = request.min_effect;
  TimedCommand test = command_of(request, arguments);
  if (!against.empty()) {
    std::vector<std::string> words = arguments;
    words.front() = against;
    TimedCommand baseline = command_of(request, words);
    baseline.title = test.title;
    AACO_ASSIGN(const TimedCommand measured,
                measure_both(request, std::move(baseline), std::move(test), environment, answer));
    end.entry = command_entry(measured, environment, request.labels);
    answer.test = end.entry.record;
    return end;
  }
  const GuardStore store = GuardStore::for_reading(request.store);
  AACO_ASSIGN(const TimedCommand measured, timed_command(request, arguments));
  end.entry = command_entry(measured, environment, request.labels);
  answer.test = end.entry.record;
  AACO_TRY(choose_baseline(store, answer.test, answer));
  if (!answer.baseline) {
    return end;
  }
  AACO_ASSIGN(TimedCommand baseline, recorded_command(*answer.baseline));
  AACO_ASSIGN(const JsonValue before, recorded_environment(*answer.baseline));
  const std::string utc = format_utc(answer.baseline->recorded_ns);
  CompareOptions options;
  options.min_effect = request.min_effect;
  AACO_TRY(add_measured_drift(environment, options));
  JudgedSample& sample = answer.samples.emplace_back(
      judge_times(baseline, measured, command_sample(baseline, before, utc, ""),
                  command_sample(measured, environment, answer.test.record_id, ""), options));
  sample.cause = command_cause(baseline, measured);
  if (sample.comparison.verdict == Verdict::kEquivalent || sample.comparison.verdict == Verdict::kImproved ||
      !sample.comparison.configuration_differences.empty()) {  // measured again, it would be other work too
    return end;
  }
  if (std::string why = why_not_again(baseline, measured); !why.empty()) {
    mark_unconfirmed(request, {why, "name the earlier program: --against OLD"}, answer);
    return end;
  }
  baseline.processes.clear();
  const std::vector<JudgedSample> recorded = answer.samples;
  AACO_ASSIGN([[maybe_unused]] const TimedCommand again,
              measure_both(request, std::move(baseline), std::move(test), environment, answer));
  keep_found_slower(recorded, answer);
  return end;
}

}  // namespace aaco
