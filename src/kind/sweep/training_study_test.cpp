// SPDX-License-Identifier: MIT
#include "kind/sweep/training_study.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json/json.h"

namespace aaco {
namespace {

using testing::HasSubstr;

// Of one size; processes of 10 steps each, which take so many ms a step.
StudyCell measured(const std::string& preset, int32_t version, const std::vector<int64_t>& step_ms) {
  StudyCell cell;
  cell.request.preset = preset;
  cell.request.version = version;
  cell.request.device = "cpu:0";
  cell.request.sequences = 4;
  cell.request.length = 32;
  cell.outcome = StudyOutcome::kMeasured;
  cell.bundle = "s/" + preset + std::to_string(version);
  cell.run.emplace();
  cell.run->request = cell.request;
  cell.run->work.tokens = 128;
  for (const int64_t ms : step_ms) {
    TrainingProcess& process = cell.run->processes.emplace_back();
    process.steps = 10;
    process.wall_ns = 10 * ms * 1'000'000;
  }
  cell.run->figures = training_figures(cell.run->work, cell.run->processes, {});
  return cell;
}

StudyCell unmeasured(const std::string& preset, int32_t version, StudyOutcome outcome, const std::string& reason) {
  StudyCell cell = measured(preset, version, {});
  cell.run.reset();
  cell.outcome = outcome;
  cell.reason = reason;
  return cell;
}

// Two sizes; of the second the first version did not fit, so that its ladder begins at the second.
TrainingStudyDocument study() {
  TrainingStudyDocument study;
  study.version = "1";
  study.created_utc = "2026-01-01T00:00:00Z";
  study.bundle = "s/study";
  study.cells = {measured("nano", 1, {8, 16, 32}), measured("nano", 4, {2, 4, 8}),
                 unmeasured("tiny", 1, StudyOutcome::kDidNotFit, "out of memory"), measured("tiny", 2, {9, 9, 9}),
                 measured("tiny", 4, {3, 3, 3})};
  return study;
}

TEST(TrainingStudy, SpeedupsAreWithinASizeOverTheFirstThatWasMeasured) {
  const TrainingStudyDocument given = study();
  const std::vector<StudyRow> rows = study_rows(given);
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_FALSE(rows[0].speedup);
  EXPECT_DOUBLE_EQ(rows[1].speedup->value, 4) << "process by process, however much they differ";
  EXPECT_NEAR(rows[1].speedup->interval->low, 4, 1e-9);
  EXPECT_EQ(rows[1].speedup_over, 1);
  EXPECT_EQ(rows[2].figures, nullptr);
  EXPECT_FALSE(rows[3].speedup);
  EXPECT_DOUBLE_EQ(rows[4].speedup->value, 3);
  EXPECT_EQ(rows[4].speedup_over, 2);
}

TEST(TrainingStudy, ReadsWhatItWrites) {
  const Json written = Json(study());
  EXPECT_EQ(written["kind"], "training_study");
  EXPECT_EQ(written["rows"][1]["name"], "nano V4, fp32, 4 x 32 tokens");
  EXPECT_EQ(written["rows"][1]["step_ns"]["value"], 4e6);
  EXPECT_EQ(written["rows"][2]["outcome"], "did not fit");
  EXPECT_TRUE(written["rows"][2]["peak_bytes"].is_null()) << "no zero for what is not known";
  const auto read = read_training_study(written, "x.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(Json(*read).dump(), written.dump());
  EXPECT_EQ(read->cells[2].reason, "out of memory");
}

TEST(TrainingStudy, RefusesWhatIsNone) {
  const auto refused = [](const Json& json, const std::string& what) {
    const auto read = read_training_study(json, "x.json");
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().kind, ErrorKind::kUsage);
    EXPECT_THAT(read.error().message, HasSubstr("x.json: "));
    EXPECT_THAT(read.error().message, HasSubstr(what));
  };
  const Json written = Json(study());
  refused(Json::array(), "not what aaco llama study wrote");
  refused(Json(TrainingRunDocument()), "not what aaco llama study wrote");
  for (const char* name : {"version", "created_utc", "bundle"}) {
    Json without = written;
    without.erase(name);
    refused(without, name);
  }
  for (const char* name : {"request", "outcome", "reason", "bundle"}) {
    Json without = written;
    without["cells"][1].erase(name);
    refused(without, name);
  }
  Json changed = written;
  changed["cells"] = 7;
  refused(changed, "not what aaco llama study wrote");
  changed = written;
  changed["cells"][0]["run"]["processes"][0]["wall_ns"] = -1;
  refused(changed, "process 0 has a figure that no run can give");
  for (const auto& [outcome, run] :
       {std::pair{"measured", Json()}, std::pair{"failed", written["cells"][0]["run"]}, std::pair{"lost", Json()}}) {
    changed = written;
    changed["cells"][0]["outcome"] = outcome;
    changed["cells"][0]["run"] = run;
    refused(changed, "neither measured nor says why not");
  }
}

}  // namespace
}  // namespace aaco
