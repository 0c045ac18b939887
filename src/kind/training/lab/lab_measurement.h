// SPDX-License-Identifier: MIT
// What a lab of `aaco llama lab` measured, kept so that a learner's answer is held against the figures that were shown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json_fwd.h"
#include "base/result.h"

namespace aaco {

// What decides whether a kept measurement answers a request: all of it must be equal.
struct LabSetup {
  int32_t lab = 0;
  std::string preset;
  std::string device;
  std::string precision;
  int64_t processes = 1;
  int64_t steps = 20;
  uint64_t seed = 42;
  int64_t case_number = 1;  // of labs that plant something

  friend bool operator==(const LabSetup&, const LabSetup&) = default;
};

// "peak memory of a step": "4.19 MB".
struct LabFact {
  std::string name;
  std::string value;
};

struct LabMeasurement {
  static constexpr const char* kKind = "lab";

  std::string version;  // of the program
  LabSetup setup;
  std::vector<LabFact> facts;                   // shown with the question
  std::vector<std::vector<std::string>> table;  // so too; the first row is the header
  std::optional<double> value;                  // where the answer is a number
  double tolerance = 0;                         // of it, relative; 0: exactly
  std::vector<std::string> words;               // where it is a word: those that are right, the measured one first
  std::vector<std::string> choices;             // all that may be answered then
  std::string way;                              // how the answer follows from what was shown
  std::string meaning;                          // what it says, here
  std::vector<std::string> sessions;            // that the trainings left
  bool solved = false;                          // answered right once
};

void to_json(Json& json, const LabSetup& setup);
void from_json(const Json& json, LabSetup& setup);
void to_json(Json& json, const LabFact& fact);
void from_json(const Json& json, LabFact& fact);
void to_json(Json& json, const LabMeasurement& measurement);
void from_json(const Json& json, LabMeasurement& measurement);

// Errors: kUsage naming `source` for what is no such document, or has no answer.
Result<LabMeasurement> read_lab_measurement(const Json& json, std::string_view source);

// Whether `answer` is right. Errors: kUsage for what is no number, or none of the words, where one is asked for.
Result<bool> is_right_answer(const LabMeasurement& measurement, std::string_view answer);

}  // namespace aaco
