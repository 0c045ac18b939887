// SPDX-License-Identifier: MIT
// A lab of the workshop: what is to be learnt, a question, and the measurement that answers it. To add one: a file here
// that measures and describes, and its line in lab_list.h.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.h"
#include "engine/progress.h"
#include "kind/training/document/training_run_document.h"
#include "kind/training/lab/lab_measurement.h"

namespace aaco {

// What a lab trains with: complete but for the version, which each lab chooses.
struct LabRequest {
  TrainingRequest training;
  int64_t case_number = 1;
};

struct Lab {
  int32_t number = 0;
  const char* title;
  int32_t session = 1;   // of the workshop's four
  int32_t minutes = 10;  // that a learner needs
  const char* learn;
  const char* question;
  const char* unit;      // of the answer, with "in ", or "" for a word or a count
  double tolerance = 0;  // relative; 0: exactly, or a word
  const char* hint;      // after a wrong answer
  const char* not_told;  // what the figure does not tell
  const char* next;      // command lines to try, one a line
  const char* on_amd;    // the same with AMD's tools: compiled, not run
  // Facts, answer, way and meaning; the rest of the measurement is filled in by measure_lab().
  Result<LabMeasurement> (*measure)(const LabRequest& request, const ProgressCallback& progress);
};

// In order, from 1 on.
std::span<const Lab> all_labs();
// By its number, as it is typed. Errors: kUsage naming which there are.
Result<const Lab*> find_lab(std::string_view number);

// Errors: kUsage of the request; those of a training.
Result<LabSetup> lab_setup(const Lab& lab, const LabRequest& request);
Result<LabMeasurement> measure_lab(const Lab& lab, const LabRequest& request, const ProgressCallback& progress);

}  // namespace aaco
