// SPDX-License-Identifier: MIT
#include "cli/compare/diff_command.h"

#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/compare/baseline_command.h"

#include "base/files/file.h"
#include "base/json/json.h"
#include "base/test_folder.h"
#include "kind/compared_session.h"
#include "kind/copy/copy_kind.h"
#include "kind/copy/copy_samples.h"
#include "kind/model_run/model_run_kind.h"
#include "kind/training/document/training_run_document.h"
#include "kind/training/training_kind.h"
#include "session/bundle/layout.h"
#include "session/session.h"
#include "verdict/pair_comparisons.h"

namespace aaco {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

// A closed session of processes whose iterations all take process_us[i]; its path.
fs::path record(const fs::path& root, const std::vector<int64_t>& process_us,
                SessionStatus status = SessionStatus::kComplete, int64_t batch = 1,
                const TrainingRunDocument* training = nullptr) {
  SessionInfo info;
  info.kind = training != nullptr ? kTraining.traits : kModelRun.traits;
  info.facts.model_name = "tiny";
  info.facts.model_sha256 = "aa";
  info.facts.backend = "cpu";
  info.facts.batch = batch;
  info.facts.precision_executed = "fp32";
  std::vector<IterationRow> rows;
  for (size_t process = 0; process < process_us.size(); ++process) {
    ProcessFacts facts;
    facts.process = static_cast<int64_t>(process);
    facts.role = ProcessRole::kMeasure;
    facts.stationary = true;
    info.facts.process_facts.push_back(facts);
    for (int64_t i = 0; i < 10; ++i) {
      const int64_t duration_ns = process_us[process] * 1000;
      IterationRow row;
      row.process = facts.process;
      row.iter_idx = i;
      row.phase = IterationPhase::kMeasure;
      row.t_start_ns = i * duration_ns;
      row.t_end_ns = (i + 1) * duration_ns;
      row.latency_ms = static_cast<double>(duration_ns) / 1e6;
      rows.push_back(row);
    }
  }
  Result<SessionWriter> writer = SessionWriter::create(root, info);
  EXPECT_TRUE(writer && writer->write_json_file(layout::kEnvironment, {{"cpu", {{"model", "test"}}}}) &&
              writer->write_rows<IterationRow>(layout::kIterations, rows) &&
              (training == nullptr || writer->write_json_file(layout::kTraining, *training)) &&
              writer->close(status, ""));
  return writer->path();
}

TrainingRunDocument training_of(std::vector<double> losses) {
  TrainingRunDocument document;
  document.request.hidden = 64;
  document.gates = {{"gradients", true, "1e-06", "at most 1e-04"}};
  document.processes.resize(1);
  document.processes[0].losses = std::move(losses);
  return document;
}

// A closed session of copies of which the overlapped ones of process i take overlapped_us[i].
fs::path record_copies(const fs::path& root, const std::vector<double>& overlapped_us, const std::string& processor,
                       SessionStatus status = SessionStatus::kComplete, const Json& variables = Json::object()) {
  std::vector<CopyTimes> processes;
  for (const double us : overlapped_us) {
    processes.push_back({150e3, us * 1e3, 100e3, 50e3});
  }
  CopyDocument document;
  document.request.matrix_size = 64;
  document.request.copy_mb = 1;
  document.device_name = "a device";
  document.directions = {copy_figures(CopyDirection::kDeviceToHost, processes)};
  SessionInfo info;
  info.kind = kCopyOverlap.traits;
  Result<SessionWriter> writer = SessionWriter::create(root, info);
  const Json environment{{"cpu", {{"model", processor}}}, {"variables", variables}};
  EXPECT_TRUE(writer && writer->write_json_file(layout::kEnvironment, environment) &&
              writer->write_json_file(layout::kOverlap, copy_json(document)) && writer->close(status, "a reason"));
  return writer->path();
}

const Diff& run_diff_of(const DiffOutcome& outcome) { return std::get<Diff>(outcome.comparison.result); }

class DiffCommand : public testing::Test {
 protected:
  DiffCommand() {
    // No drift that somebody measured on this machine.
    ::setenv("AACO_CACHE", (folder_.path() / "cache").c_str(), 1);
    flags_.sessions_folder = (folder_.path() / "sessions").string();
    flags_.drift_pct = 0;
  }
  ~DiffCommand() override { ::unsetenv("AACO_CACHE"); }
  fs::path record_here(const std::vector<int64_t>& process_us, SessionStatus status = SessionStatus::kComplete,
                       int64_t batch = 1) {
    return record(flags_.sessions_folder, process_us, status, batch);
  }
  SaveBaselineFlags save_flags(const fs::path& session) {
    SaveBaselineFlags flags;
    flags.session = session.string();
    flags.sessions_folder = flags_.sessions_folder;
    flags.baselines_folder = (folder_.path() / "baselines").string();
    return flags;
  }

  TestFolder folder_;
  DiffFlags flags_;
};

TEST_F(DiffCommand, ARegressionIsExitOneAndWritesThreeFiles) {
  const fs::path a = record_here({1000, 1001, 1002, 1003, 1004});
  const fs::path b = record_here({1200, 1201, 1202, 1203, 1204});
  flags_.baseline = a.string();
  flags_.session = b.string();
  const Result<DiffOutcome> outcome = diff_sessions(flags_);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->exit_code, 1);
  EXPECT_THAT(outcome->text, testing::StartsWith("slower: latency +20 % ["));
  EXPECT_THAT(outcome->text, testing::HasSubstr("\nregressed: +19.9"));
  const Result<Json> verdict = read_json(outcome->folder / "verdict.json");
  ASSERT_TRUE(verdict);
  EXPECT_EQ(outcome->folder,
            folder_.path() / "sessions/comparisons" / (a.filename().string() + "_to_" + b.filename().string()));
  EXPECT_FALSE(fs::exists(b / "regress")) << "a comparison is no part of one of its sides";
  EXPECT_EQ((*verdict)["regression"], true);
  EXPECT_EQ((*verdict)["verdict"], "regressed");
  EXPECT_EQ((*verdict)["drift"], "measured: 0 %, given by --drift");
  const Result<Json> reference = read_json(outcome->folder / "baseline_ref.json");
  ASSERT_TRUE(reference);
  EXPECT_EQ((*reference)["kind"], "session");
  EXPECT_EQ((*reference)["session_json_sha256"], *sha256_of_file(a / layout::kSession));
  const Result<Json> diff = read_json(outcome->folder / "diff.json");
  ASSERT_TRUE(diff);
  EXPECT_EQ((*diff)["test"]["process_medians_ns"].size(), 5u);
}

TEST_F(DiffCommand, TrainingsAreComparedWhereTheyTrainedAlike) {
  const auto record_training = [&](const std::vector<int64_t>& process_us, const TrainingRunDocument& document) {
    return record(flags_.sessions_folder, process_us, SessionStatus::kComplete, 1, &document);
  };
  const TrainingRunDocument same = training_of({7, 3});
  flags_.baseline = record_training({1000, 1001, 1002}, same).string();
  fs::path last;
  const auto compared_with = [&](const TrainingRunDocument& document) {
    flags_.session = record_training({1200, 1201, 1202}, document).string();
    const Result<DiffOutcome> outcome = diff_sessions(flags_);
    EXPECT_TRUE(outcome) << outcome.error().message;
    last = outcome->folder;
    return outcome->exit_code;
  };
  const auto verdict_of = [&] { return read_json(last / "verdict.json")->dump(); };
  EXPECT_EQ(compared_with(same), 1);
  TrainingRunDocument larger = same;
  larger.request.hidden = 128;
  EXPECT_EQ(compared_with(larger), 4);
  EXPECT_THAT(verdict_of(), HasSubstr("hidden"));
  EXPECT_EQ(compared_with(training_of({7, 6})), 4);
  EXPECT_THAT(verdict_of(), HasSubstr("the mean loss of the first 2 steps is 5 in the baseline and 6.5 in the test"));
  const Result<fs::path> file = save_baseline(save_flags(flags_.baseline));
  ASSERT_TRUE(file) << file.error().message;
  flags_.baseline = file->string();
  EXPECT_EQ(compared_with(training_of({7, 6})), 4) << "a baseline file keeps the losses";
  EXPECT_THAT(verdict_of(), HasSubstr("they did not train alike"));
}

TEST_F(DiffCommand, ABaselineFileOutlivesItsSession) {
  const fs::path a = record_here({1000, 1001, 1002});
  const Result<fs::path> file = save_baseline(save_flags(a));
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->filename(), "tiny_cpu_b1.json");
  fs::remove_all(a);
  record_here({1000, 1001, 1003});
  flags_.baseline = file->string();
  const Result<DiffOutcome> outcome = diff_sessions(flags_);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->exit_code, 0);
  EXPECT_EQ(run_diff_of(*outcome).comparison.verdict, Verdict::kEquivalent);
  flags_.format = "html";
  const Result<DiffOutcome> page = diff_sessions(flags_);
  ASSERT_FALSE(page);
  EXPECT_EQ(page.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(page.error().message, HasSubstr("is no more at"));
}

// A session of several samples goes the way of a run: flags, files, exit codes, baselines.
TEST_F(DiffCommand, SamplesOfADocumentArePairedByName) {
  flags_.baseline = record_copies(flags_.sessions_folder, {110, 111, 109}, "test").string();
  const fs::path slower = record_copies(flags_.sessions_folder, {121, 122, 120}, "test");
  flags_.session = slower.string();
  const Result<fs::path> file = save_baseline(save_flags(flags_.baseline));
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->filename(), "copy_overlap_cpu-0.json");
  EXPECT_THAT(*show_baseline((folder_.path() / "baselines").string(), "copy_overlap_cpu-0", false),
              testing::ContainsRegex("d2h, overlapped +110.0 us"));
  EXPECT_EQ(parse_json(*list_baselines_text((folder_.path() / "baselines").string(), true), "x")->at(1).at("name"),
            "d2h, overlapped");
  for (const std::string& baseline : {flags_.baseline, file->string()}) {
    flags_.baseline = baseline;
    const Result<DiffOutcome> outcome = diff_sessions(flags_);
    ASSERT_TRUE(outcome) << outcome.error().message;
    EXPECT_EQ(outcome->exit_code, 1);
    EXPECT_THAT(outcome->text, testing::ContainsRegex("d2h, overlapped +regressed +10.0 %"));
    const Json verdict = *read_json(outcome->folder / "verdict.json");
    EXPECT_EQ(verdict["pairs"].size(), 4U);
    EXPECT_EQ(verdict["pairs"][1]["verdict"], "regressed");
    EXPECT_EQ((*read_json(outcome->folder / "baseline_ref.json"))["kind"],
              baseline == file->string() ? "baseline" : "session");
    EXPECT_FALSE(fs::exists(outcome->folder / "diff.json"));
  }
  flags_.format = "html";
  const Result<DiffOutcome> page = diff_sessions(flags_);
  EXPECT_EQ(page->text, (page->folder / "diff.html").string() + "\n");
}

// Two settings of NVIDIA_TF32_OVERRIDE compute two things, and two processors tell of the processors.
TEST_F(DiffCommand, SamplesOfADocumentAreJudgedWithTheirLockboxes) {
  const Json tf32_off = {{"NVIDIA_TF32_OVERRIDE", "0"}};
  const auto record_with = [&](const std::string& processor, const Json& variables) {
    return record_copies(flags_.sessions_folder, {110, 111, 109}, processor, SessionStatus::kComplete, variables);
  };
  const fs::path plain = record_with("test", Json::object());
  const fs::path without_tf32 = record_with("test", tf32_off);
  const fs::path elsewhere = record_with("another processor", Json::object());
  const Result<fs::path> file = save_baseline(save_flags(plain));
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_TRUE(read_json(*file)->at("sample").at("samples").at(0).at("environment").is_null()) << "it is kept once";
  const auto judged = [&](const fs::path& baseline, const fs::path& session) {
    flags_.baseline = baseline.string();
    flags_.session = session.string();
    const Result<DiffOutcome> outcome = diff_sessions(flags_);
    EXPECT_TRUE(outcome) << outcome.error().message;
    return outcome ? fmt::format("{} {}", outcome->exit_code, outcome->text) : "";
  };
  for (const fs::path& baseline : {plain, *file}) {
    EXPECT_THAT(judged(baseline, without_tf32), testing::StartsWith("4 "));
    EXPECT_THAT(judged(baseline, without_tf32), HasSubstr("variable NVIDIA_TF32_OVERRIDE absent / 0"));
    EXPECT_THAT(judged(baseline, elsewhere), testing::StartsWith("4 "));
    EXPECT_THAT(judged(baseline, elsewhere), HasSubstr("cpu.model test / another processor"));
    flags_.allow_different = true;
    EXPECT_THAT(judged(baseline, elsewhere), HasSubstr("warning: the two runs were not measured on the same machine"));
    EXPECT_THAT(judged(baseline, elsewhere), Not(HasSubstr("invalid")));
    flags_.allow_different = false;
  }
  const Json verdict = *read_json(diff_sessions(flags_)->folder / "verdict.json");
  EXPECT_EQ(verdict["pairs"][0]["machine_differences"][0]["field"], "cpu.model");
  EXPECT_EQ(verdict["pairs"][0]["not_recorded"], Json::array());
}

TEST_F(DiffCommand, BaselinesOfTwoMachinesAreNotComparable) {
  const auto baseline_of = [&](const std::string& processor) {
    SaveBaselineFlags save = save_flags(record_copies(flags_.sessions_folder, {110, 111, 109}, processor));
    save.name = processor;
    return load_baseline_or_session(copy_samples, flags_.sessions_folder, save_baseline(save)->string());
  };
  const Result<ComparedSession> first = baseline_of("first");
  const Result<ComparedSession> second = baseline_of("second");
  ASSERT_TRUE(first && second);
  const PairComparisons comparisons = compare_pairs(first->samples, second->samples, {});
  EXPECT_EQ(exit_code_of(comparisons, false), 4);
  EXPECT_THAT(comparisons.pairs.at(0).comparison.reason, HasSubstr("cpu.model first / second"));
}

TEST_F(DiffCommand, SidesOfOtherKindsAreRefusedByName) {
  const fs::path copies = record_copies(flags_.sessions_folder, {110, 111, 109}, "test");
  const fs::path run = record_here({1000, 1001, 1002});
  const auto refused = [&](const fs::path& baseline, const fs::path& session) {
    flags_.baseline = baseline.string();
    flags_.session = session.string();
    const Result<DiffOutcome> outcome = diff_sessions(flags_);
    EXPECT_FALSE(outcome);
    return outcome ? "" : outcome.error().message;
  };
  EXPECT_THAT(refused(run, copies), HasSubstr("is a session of kind run, not copy_overlap"));
  EXPECT_THAT(refused(copies, run), HasSubstr("is a session of kind copy_overlap, not run or training or "));
  EXPECT_THAT(refused(*save_baseline(save_flags(copies)), run), HasSubstr("is a session of kind copy_overlap, not"));
  EXPECT_THAT(refused(*save_baseline(save_flags(run)), copies), HasSubstr("is the baseline of a run"));
  const fs::path failed = record_copies(flags_.sessions_folder, {110}, "test", SessionStatus::kFailed);
  EXPECT_THAT(refused(failed, copies), HasSubstr("is failed: a reason"));
}

void write_runtime(const fs::path& bundle, const Json& config) {
  fs::create_directories((bundle / layout::kRuntimeConfig).parent_path());
  std::ofstream(bundle / layout::kRuntimeConfig) << config.dump();
}

Json runtime_of(const std::string& weights_sha256, const Json& options) {
  return {{"provider_options", Json::object()},
          {"session_entries", options},
          {"work", {{"weights", {{"w.bin", {{"value", weights_sha256}, {"words", ""}}}}}, {"input", Json::object()}}}};
}

// What a session keeps of its work counts, and a baseline file carries it.
TEST_F(DiffCommand, OtherWorkIsExitFourUnlessItIsAskedFor) {
  const fs::path a = record_here({1000, 1001, 1002});
  write_runtime(a, runtime_of("sha256:aa", Json::object()));
  const Result<fs::path> file = save_baseline(save_flags(a));
  ASSERT_TRUE(file) << file.error().message;
  const fs::path b = record_here({1000, 1001, 1003});
  const auto said_of = [&](const Json& runtime) {
    write_runtime(b, runtime);
    const Result<DiffOutcome> outcome = diff_sessions(flags_);
    EXPECT_TRUE(outcome);
    return std::pair(outcome->exit_code, outcome->text);
  };
  for (const std::string& baseline : {a.string(), file->string()}) {
    flags_.baseline = baseline;
    flags_.session = b.string();
    const auto same = said_of(runtime_of("sha256:aa", {{"session.set_denormal_as_zero", "0"}}));  // its default
    EXPECT_EQ(same.first, 0) << same.second;
    EXPECT_THAT(same.second, HasSubstr("Same hardware, software and settings on both sides."));
    const auto weights = said_of(runtime_of("sha256:bb", Json::object()));
    EXPECT_EQ(weights.first, 4);
    EXPECT_THAT(weights.second, HasSubstr("invalid\n"));
    EXPECT_THAT(weights.second, HasSubstr("weights w.bin sha256:aa / sha256:bb"));
    EXPECT_THAT(weights.second, HasSubstr("next: Measure the same work on both sides"));
    const auto option = said_of(runtime_of("sha256:aa", {{"session.set_denormal_as_zero", "1"}}));
    EXPECT_EQ(option.first, 4);
    EXPECT_THAT(option.second, HasSubstr("option session.set_denormal_as_zero default / 1"));
    flags_.allow_different = true;
    EXPECT_EQ(said_of(runtime_of("sha256:bb", Json::object())).first, 0);
    flags_.allow_different = false;
  }
}

// Sessions of before the work was recorded, beside one of after it.
TEST_F(DiffCommand, WhatAnOlderSideDoesNotRecordIsNotSaidToAgree) {
  flags_.baseline = record_here({1000, 1001, 1002}).string();
  flags_.session = record_here({1000, 1001, 1003}).string();
  write_runtime(flags_.session, runtime_of("sha256:aa", Json::object()));
  const Result<DiffOutcome> outcome = diff_sessions(flags_);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->exit_code, 0);
  EXPECT_THAT(outcome->text, Not(HasSubstr("Same hardware")));
  EXPECT_THAT(outcome->text, HasSubstr("Nothing else differs in what both lockboxes hold."));
  EXPECT_THAT(outcome->text, HasSubstr("not recorded by the baseline: weights outside the model file"));
  EXPECT_EQ(read_json(outcome->folder / "verdict.json")->at("not_recorded").size(), 1u);
}

TEST_F(DiffCommand, APageOfBothSidesLiesBesideTheVerdict) {
  const Result<fs::path> file = save_baseline(save_flags(record_here({1000, 1001, 1002})));
  ASSERT_TRUE(file) << file.error().message;
  record_here({1000, 1001, 1003});
  flags_.baseline = file->string();
  flags_.format = "html";
  const Result<DiffOutcome> outcome = diff_sessions(flags_);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->text, (outcome->folder / "diff.html").string() + "\n");
  EXPECT_THAT(*read_file(outcome->folder / "diff.html"), HasSubstr("<html"));
}

TEST_F(DiffCommand, InconclusiveAndInvalidAreExitFour) {
  const fs::path a = record_here({1000, 1001});
  const fs::path b = record_here({1000, 1001});
  flags_.baseline = a.string();
  flags_.session = b.string();
  EXPECT_EQ(diff_sessions(flags_)->exit_code, 4);
  flags_.allow_inconclusive = true;
  EXPECT_EQ(diff_sessions(flags_)->exit_code, 0);
  flags_.session = record_here({1000, 1001, 1002}, SessionStatus::kInterrupted).string();
  const Result<DiffOutcome> invalid = diff_sessions(flags_);
  EXPECT_EQ(invalid->exit_code, 4);
  EXPECT_THAT(invalid->text, HasSubstr("the test session is interrupted"));
  flags_.session = record_here({1000, 1001, 1002}, SessionStatus::kComplete, 8).string();
  EXPECT_THAT(diff_sessions(flags_)->text, HasSubstr("batch 1 / 8"));
}

TEST_F(DiffCommand, ASessionIsNotComparedWithItself) {
  const fs::path a = record_here({1000, 1001, 1002});
  flags_.baseline = save_baseline(save_flags(a))->string();
  const Result<DiffOutcome> outcome = diff_sessions(flags_);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().kind, ErrorKind::kUsage);
  EXPECT_FALSE(fs::exists(folder_.path() / "sessions" / kComparisons));
}

TEST_F(DiffCommand, BadFlagsAreUsageErrors) {
  flags_.baseline = record_here({1000, 1001, 1002}).string();
  record_here({1000, 1001, 1002});
  for (const double min_effect : {-1.0, 100.0, std::numeric_limits<double>::quiet_NaN()}) {
    flags_.min_effect_pct = min_effect;
    EXPECT_EQ(diff_sessions(flags_).error().kind, ErrorKind::kUsage) << min_effect;
  }
  flags_.min_effect_pct = 2;
  flags_.drift_pct = -1;
  EXPECT_EQ(diff_sessions(flags_).error().kind, ErrorKind::kUsage);
  flags_.drift_pct = 0;
  flags_.baseline = (folder_.path() / "absent.json").string();
  EXPECT_THAT(diff_sessions(flags_).error().message, HasSubstr("no such baseline file"));
}

TEST_F(DiffCommand, DriftMeasuredOnThisProcessorIsUsed) {
  flags_.baseline = record_here({1000, 1001, 1002}).string();
  record_here({1000, 1001, 1002});
  flags_.drift_pct.reset();
  EXPECT_THAT(run_diff_of(*diff_sessions(flags_)).comparison.drift_source, HasSubstr("not measured (run bench/aa.py "));
  fs::create_directories(folder_.path() / "cache");
  const fs::path file = folder_.path() / "cache" / "drift.json";
  std::ofstream(file) << R"({"drift_pct": 1.5, "pairs": 30, "measured_at": "2026-01-01", "cpu_model": "test"})";
  const Result<DiffOutcome> outcome = diff_sessions(flags_);
  EXPECT_DOUBLE_EQ(*run_diff_of(*outcome).comparison.drift, 0.015);
  EXPECT_THAT(run_diff_of(*outcome).comparison.drift_source, HasSubstr("30 A/A pairs"));
  std::ofstream(file) << R"({"drift_pct": 1.5, "pairs": 30, "cpu_model": "another"})";
  EXPECT_THAT(run_diff_of(*diff_sessions(flags_)).comparison.drift_source, HasSubstr("not measured"));
}

TEST_F(DiffCommand, OnlyAComparableSessionBecomesABaseline) {
  const Result<fs::path> refused = save_baseline(save_flags(record_here({1000, 1001, 1002}, SessionStatus::kFailed)));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kInvalid);
  EXPECT_FALSE(fs::exists(folder_.path() / "baselines"));
}

TEST_F(DiffCommand, BaselinesAreShownAndListed) {
  SaveBaselineFlags save = save_flags(record_here({1000, 1001, 1002}));
  save.name = "before";
  ASSERT_TRUE(save_baseline(save));
  EXPECT_THAT(*show_baseline(save.baselines_folder, "before", false), HasSubstr("1.001 ms"));
  EXPECT_THAT(*show_baseline(save.baselines_folder, "before", false),
              testing::ContainsRegex("weights outside the model file +not recorded"));
  EXPECT_EQ((*parse_json(*show_baseline(save.baselines_folder, "before", true), "x"))["kind"], "aaco baseline");
  EXPECT_THAT(*list_baselines_text(save.baselines_folder, false), HasSubstr("before.json"));
  std::ofstream(fs::path(save.baselines_folder) / "broken.json") << "{";
  const Json list = *parse_json(*list_baselines_text(save.baselines_folder, true), "x");
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0]["model"], "tiny");
  EXPECT_THAT(list[1]["problem"].get<std::string>(), HasSubstr("not valid JSON"));
  EXPECT_EQ(show_baseline(save.baselines_folder, "absent", false).error().kind, ErrorKind::kUsage);
}

}  // namespace
}  // namespace aaco
