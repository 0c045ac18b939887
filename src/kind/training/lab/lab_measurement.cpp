// SPDX-License-Identifier: MIT
#include "kind/training/lab/lab_measurement.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/json/json.h"
#include "base/text/number_text.h"

namespace aaco {

AACO_JSON_FIELDS(LabSetup, lab, preset, device, precision, processes, steps, seed, case_number)
AACO_JSON_FIELDS(LabFact, name, value)

void to_json(Json& json, const LabMeasurement& measurement) {
  json = {{"kind", LabMeasurement::kKind},      {"version", measurement.version},
          {"setup", measurement.setup},         {"facts", measurement.facts},
          {"table", measurement.table},         {"value", measurement.value},
          {"tolerance", measurement.tolerance}, {"words", measurement.words},
          {"choices", measurement.choices},     {"way", measurement.way},
          {"meaning", measurement.meaning},     {"sessions", measurement.sessions},
          {"solved", measurement.solved}};
}

void from_json(const Json& json, LabMeasurement& measurement) {
  json.at("version").get_to(measurement.version);
  json.at("setup").get_to(measurement.setup);
  json.at("facts").get_to(measurement.facts);
  json.at("table").get_to(measurement.table);
  json.at("value").get_to(measurement.value);
  json.at("tolerance").get_to(measurement.tolerance);
  json.at("words").get_to(measurement.words);
  json.at("choices").get_to(measurement.choices);
  json.at("way").get_to(measurement.way);
  json.at("meaning").get_to(measurement.meaning);
  json.at("sessions").get_to(measurement.sessions);
  json.at("solved").get_to(measurement.solved);
}

Result<LabMeasurement> read_lab_measurement(const Json& json, std::string_view source) {
  constexpr const char* kHint = "remove it: the lab measures anew then";
  if (!json.is_object() || json.value("kind", Json()) != LabMeasurement::kKind) {
    return Error{ErrorKind::kUsage, fmt::format("{}: not what a lab measured", source), kHint};
  }
  AACO_ASSIGN(LabMeasurement measurement, from_json_value<LabMeasurement>(json, source));
  const bool number = measurement.value && std::isfinite(*measurement.value) && measurement.tolerance >= 0;
  if (measurement.value ? !number : measurement.words.empty()) {
    return Error{ErrorKind::kUsage, fmt::format("{}: a lab's measurement without an answer", source), kHint};
  }
  return measurement;
}

Result<bool> is_right_answer(const LabMeasurement& measurement, std::string_view answer) {
  while (answer.starts_with(' ')) {
    answer.remove_prefix(1);
  }
  while (answer.ends_with(' ') || answer.ends_with('%')) {
    answer.remove_suffix(1);
  }
  if (!measurement.value) {
    if (std::ranges::find(measurement.choices, answer) == measurement.choices.end()) {
      return Error{ErrorKind::kUsage, fmt::format("\"{}\" is none of the answers", answer),
                   fmt::format("one of {}", fmt::join(measurement.choices, ", "))};
    }
    return std::ranges::find(measurement.words, answer) != measurement.words.end();
  }
  const std::optional<double> number = number_of_text<double>(answer);
  if (!number) {
    return Error{ErrorKind::kUsage, fmt::format("\"{}\" is no number", answer),
                 "answer with a number alone, in the unit that the question names"};
  }
  return std::abs(*number - *measurement.value) <= measurement.tolerance * std::abs(*measurement.value);
}

}  // namespace aaco
