// SPDX-License-Identifier: MIT
#include "guard/judgement/guard_answer.h"

#include <gtest/gtest.h>
#include <optional>
#include <utility>
#include <vector>

#include "base/json/json.h"
#include "guard/command/command_sample.h"
#include "guard/gates/guard_gates.h"
#include "guard/judgement/check_request.h"
#include "guard/judgement/clock_or_code.h"
#include "guard/output/answer_text.h"
#include "guard/output/ci_formats.h"
#include "guard/output/ci_issues.h"
#include "guard/subject/guard_entry.h"
#include "verdict/change/process_sample.h"
#include "verdict/named_sample.h"

namespace aaco {
namespace {

NamedSample side(double ns, double mhz) {
  NamedSample named = measured_sample("", "", {ns, ns * 1.001, ns * 0.999, ns * 1.0005, ns * 0.9995, ns});
  named.sample.interleave_group = "g";
  if (mhz > 0) {
    named.sample.cpu_frequency_mhz = mhz;
  }
  return named;
}

JudgedSample judged(const NamedSample& a, const NamedSample& b) {
  JudgedSample sample;
  CompareOptions options;
  options.min_effect = 0.01;
  sample.comparison = compare(a.sample, b.sample, options);
  judge_clock(recorded_clock(a.sample, b.sample), options, sample);
  return sample;
}

TEST(ClockOrCode, ASlowerClockIsNoSlowerCode) {
  const JudgedSample sample = judged(side(1e6, 3000), side(1.0638e6, 2820));
  EXPECT_EQ(sample.clock, ClockAnswer::kClock);
  EXPECT_EQ(sample.comparison.verdict, Verdict::kInvalid);
  EXPECT_EQ(sample.clock_words.find("slower, because the clock was 6.0 % lower"), 0U) << sample.clock_words;
  GuardAnswer answer;
  answer.samples = {sample};
  EXPECT_FALSE(may_become_baseline(answer)) << "a slower state, whatever made it slower";
  answer.samples = {judged(side(1.0638e6, 2820), side(1e6, 3000))};
  EXPECT_EQ(answer.samples.front().clock, ClockAnswer::kClock);
  EXPECT_TRUE(may_become_baseline(answer)) << "a faster clock made no slower state";
}

TEST(ClockOrCode, ASlowerProgramAtOneClockIsTheCode) {
  const JudgedSample sample = judged(side(1e6, 3000), side(1.06e6, 3000));
  EXPECT_EQ(sample.clock, ClockAnswer::kCode);
  EXPECT_EQ(sample.comparison.verdict, Verdict::kRegressed);
}

TEST(ClockOrCode, WithoutClocksTheVerdictStands) {
  const JudgedSample sample = judged(side(1e6, 0), side(1.06e6, 3000));
  EXPECT_EQ(sample.clock, ClockAnswer::kUnknown);
  EXPECT_EQ(sample.comparison.verdict, Verdict::kRegressed);
  EXPECT_NE(sample.clock_words.find("clock unknown"), std::string::npos);
}

ProcessTimes process_of(int64_t ns, double cycles_per_ns) {
  ProcessTimes times;
  times.wall_ns = times.user_ns = ns;
  times.cycles = cycles_per_ns * static_cast<double>(ns);
  return times;
}

TEST(ClockOrCode, CyclesOfACommandTell) {
  TimedCommand a{"bench", {"a"}, "", {}, {}};
  TimedCommand b = a;
  for (int i = 0; i < 6; ++i) {
    // The same cycles, at 3 GHz and at 2.7: the test takes longer and does no more.
    const auto jitter = int64_t{1000} * i;
    a.processes.push_back(process_of(100'000'000 + jitter, 3.0));
    b.processes.push_back(process_of(111'111'111 + jitter, 2.7));
  }
  const NamedSample of_a = command_sample(a, nullptr, "", "g");
  const NamedSample of_b = command_sample(b, nullptr, "", "g");
  const auto sides = at_one_clock(a, b, of_a, of_b);
  ASSERT_TRUE(sides);
  EXPECT_NEAR(sides->clock_ratio, 0.9, 1e-9);
  EXPECT_NEAR(sides->test.sample.process_medians_ns.front() / sides->baseline.sample.process_medians_ns.front(), 1,
              1e-6);
  b.processes.front().cycles.reset();
  EXPECT_FALSE(at_one_clock(a, b, of_a, of_b));
}

GuardAnswer answer_of(Verdict verdict) {
  GuardAnswer answer;
  answer.test.place = {"bench", "cpu", "m"};
  JudgedSample& sample = answer.samples.emplace_back();
  sample.comparison.verdict = verdict;
  sample.comparison.ratio = 1.05;
  sample.comparison.interval = {1.04, 1.06};
  sample.comparison.reason = "because <b> & \"so\"\nand more";
  return answer;
}

TEST(GuardAnswer, TheWorstDecides) {
  EXPECT_EQ(exit_code_of(answer_of(Verdict::kRegressed)), 1);
  EXPECT_EQ(exit_code_of(answer_of(Verdict::kImproved)), 0);
  EXPECT_EQ(exit_code_of(answer_of(Verdict::kEquivalent)), 0);
  EXPECT_EQ(exit_code_of(answer_of(Verdict::kInvalid)), 4);
  EXPECT_EQ(exit_code_of(answer_of(Verdict::kInconclusive)), 4);
  GuardAnswer answer = answer_of(Verdict::kInvalid);
  answer.samples.push_back(answer_of(Verdict::kRegressed).samples.front());
  EXPECT_EQ(exit_code_of(answer), 1);
  GuardAnswer alone;
  EXPECT_EQ(exit_code_of(alone), 4) << "without a baseline nothing is decided";
  alone.gates.push_back({.words = "p99 at most 1 ms", .value = 5e5, .value_words = "500 us", .passed = true});
  EXPECT_EQ(verdict_of(alone), Verdict::kInconclusive) << "a gate that holds compares nothing";
  answer = answer_of(Verdict::kEquivalent);
  answer.gates.push_back({.words = "p99 at most 1 ms", .value = 2e6, .value_words = "2 ms", .passed = false});
  EXPECT_EQ(exit_code_of(answer), 1);
}

TEST(GuardAnswer, ASlowdownThatWasNotMeasuredAgainIsOpen) {
  GuardAnswer answer = answer_of(Verdict::kRegressed);
  mark_unconfirmed({}, {"nobody can", "ask somebody"}, answer);
  EXPECT_EQ(exit_code_of(answer), 4);
  EXPECT_EQ(answer.samples.front().comparison.remedy,
            "To settle it ask somebody; --accept-unconfirmed lets it count as it is.");
  EXPECT_FALSE(may_become_baseline(answer));
  answer = answer_of(Verdict::kRegressed);
  CheckRequest request;
  request.accept_unconfirmed = true;
  mark_unconfirmed(request, {"nobody can", "ask somebody"}, answer);
  EXPECT_EQ(exit_code_of(answer), 1);
}

TEST(GuardAnswer, WhatTurnsLeaveOpenIsNoNextBaseline) {
  EXPECT_FALSE(may_become_baseline(answer_of(Verdict::kRegressed)));
  const std::vector<JudgedSample> slower = answer_of(Verdict::kRegressed).samples;
  for (const auto& [in_turns, becomes] : {std::pair{Verdict::kInconclusive, false}, std::pair{Verdict::kInvalid, false},
                                          std::pair{Verdict::kEquivalent, true}}) {
    GuardAnswer answer = answer_of(in_turns);
    EXPECT_TRUE(may_become_baseline(answer));
    keep_found_slower(slower, answer);
    EXPECT_EQ(may_become_baseline(answer), becomes) << verdict_name(in_turns);
  }
}

// As of a sweep that was cut short.
TEST(GuardAnswer, WhatOneSideAloneHasIsOpen) {
  GuardAnswer answer = answer_of(Verdict::kEquivalent);
  add_one_sided({"only in the baseline: 8 streams", "only in the test: 9 streams"}, "Measure both.", answer.samples);
  ASSERT_EQ(answer.samples.size(), 3U);
  EXPECT_EQ(exit_code_of(answer), 4);
  EXPECT_TRUE(answer.samples.back().is_one_sided);
  EXPECT_EQ(headline_of(answer), "inconclusive: only in the baseline: 8 streams");
}

TEST(AnswerText, AChartHasItsIntervalWhereItIs) {
  EXPECT_EQ(interval_chart({1.05, {1.04, 1.06}}), "-10 % ...............|.....[=o]...... +10 %");
  EXPECT_EQ(interval_chart({1.0, {0.98, 1.02}}), "-10 % ............[==o==]............ +10 %");
}

// 800 a second became 400: times doubled, and the rate is half.
TEST(AnswerText, ARateIsNoTime) {
  GuardAnswer answer = answer_of(Verdict::kRegressed);
  JudgedSample& sample = answer.samples.front();
  sample.baseline_kind = sample.kind = ValueKind::kRate;
  sample.baseline_value = 800;
  sample.test_value = 400;
  sample.comparison.ratio = 2;
  sample.comparison.interval = {1.6, 2.5};
  const AnswerRow row = answer_rows(answer).front();
  EXPECT_EQ(row.before, "800");
  EXPECT_EQ(row.after, "400");
  EXPECT_EQ(row.change, "-50 % [-60 %, -37.5 %]");
  EXPECT_EQ(headline_of(answer), "regressed: -50 % [-60 %, -37.5 %]");
  EXPECT_NE(answer_markdown(answer).find("slower -60 % [=o==="), std::string::npos) << answer_markdown(answer);
  sample.kind = ValueKind::kNumber;
  EXPECT_EQ(answer_rows(answer).front().after, "400");
}

TEST(AnswerText, TheFooterNamesTheSidesThatThereAre) {
  GuardAnswer answer = answer_of(Verdict::kInconclusive);
  answer.samples.clear();
  answer.no_baseline = "no baseline of bench";
  EXPECT_NE(answer_text(answer).find("\nno baseline, test of an unknown commit; nothing was compared\n"),
            std::string::npos)
      << answer_text(answer);
  answer.test.commit = "4be2a90112ff";
  answer.measured_again = true;
  EXPECT_NE(answer_text(answer).find("\nbaseline measured beside the test, test 4be2a90112; measured"),
            std::string::npos);
  answer.baseline.emplace().commit = "1f3a77c0deff";
  EXPECT_NE(answer_markdown(answer).find("baseline 1f3a77c0de, test 4be2a90112</sub>"), std::string::npos);
}

TEST(AnswerText, MarkdownCallsNobodyAndLinksNothing) {
  GuardAnswer answer = answer_of(Verdict::kRegressed);
  answer.samples.front().name = "@everyone [x](http://a) | `b` <img>";
  const std::string text = answer_markdown(answer);
  for (const char* bad : {"@everyone", "[x]", "<img>", "`b`"}) {
    EXPECT_EQ(text.find(bad), std::string::npos) << bad << text;
  }
  answer.samples.assign(5000, answer.samples.front());
  EXPECT_LT(answer_markdown(answer).size(), 65'536U);
}

TEST(CiFormats, AnnotationsStayOnTheirLineAndWithinTheLimit) {
  GuardAnswer answer = answer_of(Verdict::kRegressed);
  answer.samples.front().name = "a:b,c%";
  const std::string text = github_annotations(answer);
  EXPECT_EQ(text.find("::error title=bench%3A a%3Ab%2Cc%25 regressed::+5 %25 [+4 %25, +6 %25]; "), 0U) << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
  answer.samples.assign(50, answer.samples.front());
  const std::string many = github_annotations(answer);
  EXPECT_EQ(std::count(many.begin(), many.end(), '\n'), 10);
}

// GitLab shows the first of several issues with one fingerprint only.
TEST(CiFormats, TwoGatesAreTwoIssues) {
  GuardAnswer answer = answer_of(Verdict::kEquivalent);
  for (const char* words : {"p99 at most 1 ms", "mean at most 1 ms"}) {
    answer.gates.push_back({.words = words, .value = 2e6, .value_words = "2 ms", .passed = false});
  }
  const std::vector<CiIssue> issues = ci_issues(answer);
  ASSERT_EQ(issues.size(), 2U);
  EXPECT_EQ(issues[0].name, "bench: p99 at most 1 ms");
  EXPECT_NE(fingerprint(answer, issues[0]), fingerprint(answer, issues[1]));
  answer.gates.front().value_words = "3 ms";
  EXPECT_EQ(fingerprint(answer, ci_issues(answer).front()), fingerprint(answer, issues[0])) << "of the same problem";
}

TEST(CiFormats, WithoutABaselineGatesThatHoldAreNoSuccess) {
  GuardAnswer answer = answer_of(Verdict::kInconclusive);
  answer.samples.clear();
  answer.no_baseline = "no baseline of bench";
  answer.gates.push_back({.words = "p99 at most 1 ms", .value = 5e5, .value_words = "500 us", .passed = true});
  const std::vector<CiIssue> issues = ci_issues(answer);
  ASSERT_EQ(issues.size(), 1U);
  EXPECT_EQ(issues.front().rule, "inconclusive");
  EXPECT_EQ(issues.front().message, "no baseline of bench");
  const std::string junit = junit_xml(answer);
  EXPECT_NE(junit.find(R"(tests="2" failures="0" errors="1")"), std::string::npos) << junit;
  answer.gates.front().passed = false;
  EXPECT_NE(junit_xml(answer).find(R"(tests="2" failures="1" errors="1")"), std::string::npos) << junit_xml(answer);
}

TEST(GivenValue, IsANameAndNumbers) {
  const auto given = parse_given_value("p99=12.3ms,12500us", false);
  ASSERT_TRUE(given);
  EXPECT_EQ(given->name, "p99");
  EXPECT_EQ(given->unit, "ns");
  EXPECT_DOUBLE_EQ(given->values[0], 12.3e6);
  EXPECT_DOUBLE_EQ(given->values[1], 12.5e6);
  EXPECT_EQ(parse_given_value("x=5", true)->unit, "");
  for (const char* bad : {"x", "=5", "x=", "x=0", "x=-1", "x=nan", "x=1,", "x=1,2ms", "x=1h"}) {
    EXPECT_FALSE(parse_given_value(bad, false)) << bad;
  }
  EXPECT_EQ(parse_given_value("p=-5ms", false).error().message,
            "--value p=-5ms: '-5ms' is not above zero: changes are compared as ratios");
  EXPECT_EQ(parse_given_value("p=5ms", true).error().message, "--rate p=5ms: '5ms' is no number");
  EXPECT_EQ(parse_given_value("p=1,2ms", false).error().message,
            "--value p=1,2ms: durations and numbers without a unit are mixed");
}

GuardEntry entry_of(const std::string& text) {
  return value_entry({*parse_given_value(text, false)}, nullptr, {.subject = "s", .commit = "c", .branch = "b"});
}

TEST(GuardGates, HoldOrNot) {
  const auto gates = parse_gates(
      "gates:\n- {figure: value, at_most: 12ms}\n- {figure: value, at_least: 1ms, subject: s}\n"
      "- {figure: p99, at_most: 1ms, subject: other}\n- {figure: p99, at_most: 1ms}\n"
      "- {figure: value, at_most: 12}\n",
      "g.yaml");
  ASSERT_TRUE(gates) << gates.error().message;
  const std::vector<JudgedGate> judged = judge_gates(*gates, entry_of("t=13ms,11ms,11ms"), {});
  ASSERT_EQ(judged.size(), 4U);
  EXPECT_TRUE(judged[0].passed) << judged[0].value_words;
  EXPECT_TRUE(judged[1].passed);
  EXPECT_FALSE(judged[2].passed);
  EXPECT_EQ(judged[2].value_words, "p99 was not recorded");
  EXPECT_FALSE(judged[3].passed) << "a time is not compared with a number";
  EXPECT_FALSE(judge_gates(*gates, entry_of("t=13ms,13ms,11ms"), {}).front().passed);
}

// Who records `--value p99=` writes `figure: p99` in the gates, as of a session.
TEST(GuardGates, AGivenValueIsNamedAsAFigure) {
  const auto gates =
      parse_gates("gates:\n- {figure: p99, at_most: 12ms}\n- {figure: p99, at_most: 12ms, name: other}\n", "g.yaml");
  ASSERT_TRUE(gates);
  const std::vector<JudgedGate> held = judge_gates(*gates, entry_of("p99=11ms,11ms,11ms"), {});
  EXPECT_TRUE(held[0].passed) << held[0].value_words;
  EXPECT_EQ(held[0].value_words, "11.00 ms in p99");
  EXPECT_FALSE(held[1].passed) << "a gate with a name is of that name alone";
  EXPECT_FALSE(judge_gates(*gates, entry_of("p99=13ms,13ms,13ms"), {})[0].passed);
  EXPECT_FALSE(judge_gates(*gates, entry_of("p90=11ms,11ms,11ms"), {})[0].passed);
}

NamedSample processes_of(const std::string& name, const std::vector<int64_t>& iterations) {
  NamedSample named = measured_sample(name, "", std::vector<double>(iterations.size(), 1e6));
  for (const int64_t count : iterations) {
    ProcessSample& process = named.sample.processes.emplace_back();
    process.iterations = count;
    process.mean_ns = 1e6;
    process.quantiles_ns.assign(kSampleQuantiles, 1e6);
  }
  return named;
}

// The median of the processes that have a figure would be one of a part of the data; so would that of some members.
TEST(GuardGates, AFigureThatAProcessOrAMemberLacksDoesNotHold) {
  const auto gates = parse_gates(
      "gates:\n- {figure: p90, at_most: 2ms}\n- {figure: p99, at_most: 2ms}\n"
      "- {figure: p99, at_most: 2ms, name: long}\n- {figure: median, at_most: 2ms}\n",
      "g.yaml");
  ASSERT_TRUE(gates);
  ComparedSession session;
  session.environment = Json::object();
  session.samples = {processes_of("long", {300, 300, 300})};
  const GuardEntry alone = session_entry(session, {});
  for (const JudgedGate& gate : judge_gates(*gates, alone, expected_samples(alone))) {
    EXPECT_TRUE(gate.passed) << gate.words << ": " << gate.value_words;
  }
  session.samples.push_back(processes_of("short", {300, 298, 300}));
  const GuardEntry both = session_entry(session, {});
  const std::vector<JudgedGate> judged = judge_gates(*gates, both, expected_samples(both));
  EXPECT_TRUE(judged[0].passed) << judged[0].value_words;
  EXPECT_FALSE(judged[1].passed);
  EXPECT_EQ(judged[1].value_words, "p99 was not recorded in short");
  EXPECT_TRUE(judged[2].passed) << judged[2].value_words;
  EXPECT_TRUE(judged[3].passed) << judged[3].value_words;
}

TEST(GuardGates, RefusesWhatItDoesNotKnow) {
  for (const char* bad : {"", "gates: 3", "gates:\n- 3", "gates:\n- {at_most: 1}", "gates:\n- {figure: p99}",
                          "gates:\n- {figure: p98, at_most: 1}", "gates:\n- {figure: p99, at_most: 1, at_least: 2}",
                          "gates:\n- {figure: p99, at_most: -1}", "gates:\n- {figure: p99, most: 1}",
                          "gates: []\nmore: 1", "other: []"}) {
    const auto gates = parse_gates(bad, "g.yaml");
    ASSERT_FALSE(gates) << bad;
    EXPECT_EQ(gates.error().kind, ErrorKind::kUsage);
    EXPECT_EQ(gates.error().message.find("g.yaml:"), 0U) << gates.error().message;
  }
}

TEST(GuardEntry, GivesBackItsSamples) {
  const GuardEntry entry = entry_of("t=13ms,12ms,11ms");
  EXPECT_EQ(entry.record.place.subject, "s");
  EXPECT_EQ(entry.record.valid, 1);
  const auto samples = recorded_samples(entry.record);
  ASSERT_TRUE(samples) << samples.error().message;
  EXPECT_EQ(samples->front().sample.process_medians_ns, (std::vector<double>{13e6, 12e6, 11e6}));
  EXPECT_FALSE(recorded_command(entry.record));
}

TEST(GuardEntry, AThrottledOrCrowdedRunIsNoBaseline) {
  RunSample sample = side(1e6, 0).sample;
  EXPECT_EQ(why_no_baseline(sample), "");
  sample.others_share = 0.5;
  EXPECT_EQ(why_no_baseline(sample).find("crowded"), 0U);
  sample.throttled_share = 0.5;
  EXPECT_EQ(why_no_baseline(sample).find("throttled"), 0U);
}

// Each process is too short to tell; all of them together are not.
TEST(GuardEntry, ACommandThatWasTimedInACrowdIsNoBaseline) {
  TimedCommand command{"bench", {"bench"}, "", {process_of(10'000'000, 3.0), process_of(10'000'000, 3.0)}, 0.2};
  EXPECT_EQ(command_entry(command, Json::object(), {}).record.valid, 1);
  command.others_share = 0.5;
  const GuardEntry entry = command_entry(command, Json::object(), {});
  EXPECT_EQ(entry.record.valid, 0);
  EXPECT_EQ(entry.record.reason, "crowded: other programs held 50 % of the machine's processors");
  const auto kept = recorded_command(entry.record);
  ASSERT_TRUE(kept) << kept.error().message;
  EXPECT_EQ(kept->others_share, 0.5);
}

// The same share decides whether turns are refused: a recording that they accept can be a baseline.
TEST(GuardEntry, TheShareOverAllProcessesDecidesWhereItIsKnown) {
  TimedCommand command{"bench", {"bench"}, "", {process_of(300'000'000, 3.0), process_of(300'000'000, 3.0)}, 0.1};
  command.processes.front().others_share = 0.9;
  EXPECT_EQ(command_entry(command, Json::object(), {}).record.valid, 1);
  command.others_share.reset();
  EXPECT_EQ(command_entry(command, Json::object(), {}).record.reason,
            "crowded: other programs held 90 % of the machine's processors");
}

// What each process is known of, at one clock.

// Each process has 1,000 iterations, so many of which are slower by half.
NamedSample side_of_two_modes(size_t slow, double mhz) {
  constexpr size_t kIterations = 1000;
  NamedSample named = side(1e6, mhz);
  for (const double median_ns : named.sample.process_medians_ns) {
    std::vector<double> latencies_ns(kIterations - slow, median_ns);
    latencies_ns.insert(latencies_ns.end(), slow, 1.5 * median_ns);
    named.sample.processes.push_back(make_process_sample(latencies_ns, std::nullopt));
  }
  return named;
}

// The medians are the same, and more iterations are in the slow mode.
TEST(ClockOrCode, AModeThatGrewIsTheCode) {
  const JudgedSample sample = judged(side_of_two_modes(100, 3000), side_of_two_modes(400, 3000));
  EXPECT_EQ(sample.comparison.basis, "means of two modes");
  EXPECT_EQ(sample.clock, ClockAnswer::kCode) << sample.clock_words;
  EXPECT_EQ(sample.comparison.verdict, Verdict::kRegressed) << sample.comparison.reason;
}

// Medians that vary too much to tell; mean latency and 90th percentile are those of `ns` in each process.
NamedSample side_of_noisy_medians(std::vector<double> medians_ns, double ns, double mhz) {
  NamedSample named = measured_sample("", "", std::move(medians_ns));
  named.sample.interleave_group = "g";
  named.sample.cpu_frequency_mhz = mhz;
  ProcessSample process{.iterations = 100, .mean_ns = ns, .sigma_ns = ns / 1000, .elapsed_ns = {}, .quantiles_ns = {}};
  process.quantiles_ns.assign(kSampleQuantiles, ns);
  named.sample.processes.assign(named.sample.process_medians_ns.size(), process);
  return named;
}

// A lower clock makes means and tails longer too.
TEST(ClockOrCode, WhatLinesDecideIsJudgedAtOneClock) {
  const NamedSample baseline = side_of_noisy_medians({1.05e6, 0.95e6, 1e6, 1.04e6, 0.96e6, 1e6}, 1e6, 3000);
  const std::vector<double> slower{1.02e6, 1.11e6, 1.06e6, 1.01e6, 1.12e6, 1.06e6};
  const JudgedSample by_clock = judged(baseline, side_of_noisy_medians(slower, 1.0638e6, 2820));
  EXPECT_FALSE(by_clock.comparison.decided_by.empty()) << by_clock.comparison.reason;
  EXPECT_EQ(by_clock.clock, ClockAnswer::kClock) << by_clock.clock_words;
  EXPECT_EQ(by_clock.comparison.verdict, Verdict::kInconclusive);
  EXPECT_TRUE(by_clock.found_slower);
  const JudgedSample by_code = judged(baseline, side_of_noisy_medians(slower, 1.0638e6, 3000));
  EXPECT_EQ(by_code.clock, ClockAnswer::kCode) << by_code.clock_words;
  EXPECT_EQ(by_code.comparison.verdict, Verdict::kRegressed);
}

}  // namespace
}  // namespace aaco
