// SPDX-License-Identifier: MIT
#include "kind/sweep/training_study.h"

#include <algorithm>
#include <fmt/format.h>

#include "analysis/bundle_json.h"
#include "base/json/json.h"
#include "base/text/enum_words.h"
#include "kind/training/document/training_ladder.h"

namespace aaco {

namespace {

constexpr EnumWords<StudyOutcome, 4> kOutcomes{{"measured", "did not fit", "failed", "interrupted"}};

// Whatever two versions must have alike to be held against each other.
std::string size_of(const TrainingRequest& request) {
  return fmt::format("{} {} {} {} {} {} {} {} {} {}", request.preset, request.precision, request.sequences,
                     request.length, request.vocabulary, request.hidden, request.layers, request.heads,
                     request.kv_heads, request.inner);
}

Json row_json(const StudyRow& row) {
  const TrainingFigures* const figures = row.figures;
  const TrainingRequest& request = row.cell->request;
  const auto figure = [&](const auto& value) { return figures != nullptr && value ? Json(*value) : Json(); };
  const TrainingFigures none;
  const TrainingFigures& known = figures != nullptr ? *figures : none;
  return {{"name", name_of(*row.cell)},
          {"preset", request.preset},
          {"version", request.version},
          {"precision", request.precision},
          {"sequences", request.sequences},
          {"length", request.length},
          {"outcome", study_outcome_name(row.cell->outcome)},
          {"reason", row.cell->reason.empty() ? Json() : Json(row.cell->reason)},
          {"step_ns", figure(known.step_ns)},
          {"tokens_per_s", figure(known.tokens_per_s)},
          {"mfu", figure(known.mfu)},
          {"peak_bytes", figures != nullptr ? Json(known.peak_bytes) : Json()},
          {"last_loss", figure(known.last_loss)},
          {"speedup", row.speedup},
          {"speedup_over_version", row.speedup ? Json(row.speedup_over) : Json()}};
}

Json cell_json(const StudyCell& cell) {
  return {{"request", cell.request},
          {"outcome", study_outcome_name(cell.outcome)},
          {"reason", cell.reason},
          {"bundle", cell.bundle},
          {"run", cell.run}};
}

Error damaged(std::string_view source, std::string_view what) {
  return damaged_sweep(source, TrainingStudyDocument::kForm, what);
}

Result<StudyCell> read_cell(const Json& json, std::string_view source) {
  if (const std::string number = unreadable_number(json); !number.empty()) {
    return damaged(source, number + ", which no run can give");
  }
  StudyCell cell;
  std::string outcome;
  try {
    json.at("request").get_to(cell.request);
    json.at("outcome").get_to(outcome);
    json.at("reason").get_to(cell.reason);
    json.at("bundle").get_to(cell.bundle);
  } catch (const Json::exception& exception) {
    return damaged(source, json_problem(exception));
  }
  const std::optional<StudyOutcome> known = kOutcomes.parse(outcome);
  const auto run = json.find("run");
  if (!known || run == json.end() || (*known == StudyOutcome::kMeasured) == run->is_null()) {
    return damaged(source, "a cell is neither measured nor says why not");
  }
  cell.outcome = *known;
  if (!run->is_null()) {
    AACO_ASSIGN(cell.run, read_training_run(*run, source));
  }
  return cell;
}

}  // namespace

const char* study_outcome_name(StudyOutcome outcome) { return kOutcomes.word(outcome); }

std::string name_of(const StudyCell& cell) {
  const TrainingRequest& request = cell.request;
  return fmt::format("{} V{}, {}, {} x {} tokens", request.preset, request.version, request.precision,
                     request.sequences, request.length);
}

std::vector<StudyRow> study_rows(const TrainingStudyDocument& study) {
  std::vector<StudyRow> rows;
  for (const StudyCell& cell : study.cells) {
    StudyRow& row = rows.emplace_back();
    row.cell = &cell;
    if (!cell.run) {
      continue;
    }
    row.figures = &cell.run->figures;
    const auto first = std::find_if(study.cells.begin(), study.cells.end(), [&](const StudyCell& other) {
      return other.run && size_of(other.request) == size_of(cell.request);
    });
    if (&*first != &cell) {
      row.speedup = training_ladder({*first->run, *cell.run}).rows.back().speedup;
      row.speedup_over = first->request.version;
    }
  }
  return rows;
}

void to_json(Json& json, const TrainingStudyDocument& study) {
  json = sweep_json(TrainingStudyDocument::kForm, study);
  json["rows"] = Json::array();
  json["cells"] = Json::array();
  for (const StudyRow& row : study_rows(study)) {
    json["rows"].push_back(row_json(row));
  }
  for (const StudyCell& cell : study.cells) {
    json["cells"].push_back(cell_json(cell));
  }
}

Result<TrainingStudyDocument> read_training_study(const Json& json, std::string_view source) {
  TrainingStudyDocument study;
  AACO_TRY(read_sweep_head(json, TrainingStudyDocument::kForm, source, study));
  for (const Json& cell : json["cells"]) {
    AACO_ASSIGN(study.cells.emplace_back(), read_cell(cell, source));
  }
  return study;
}

}  // namespace aaco
