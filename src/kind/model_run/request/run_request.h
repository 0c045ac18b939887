// SPDX-License-Identifier: MIT
// What the user asked for: `aaco run` and everything that runs a model.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json/json_fwd.h"
#include "base/result.h"
#include "record/load.h"
#include "record/until.h"

namespace aaco {

// Iterations that a process measures at least, however few seconds were asked for.
inline constexpr int64_t kFewestInSeconds = 10;

struct TokenRequest {
  int64_t prompt = 0;
  int64_t generated = 0;
};

struct RunRequest {
  std::string model;  // built-in or registry name, or a path
  std::string backend = "cpu";
  std::optional<int64_t> batch;
  std::map<std::string, int64_t> dims;
  std::map<std::string, std::vector<int64_t>> shapes;  // --shape NAME=1x3x48x192
  std::string precision;                               // "" as the registry or the model has it
  std::optional<std::string> iterations;               // a number or "auto"; flags beat the registry
  std::optional<int64_t> warmup;                       // a minimum
  int64_t processes = 5;                               // of a run that ends by itself: at least
  std::optional<UntilRequest> until;  // not in the recorded request, which has the processes that it took
  bool profile = false;
  double microkernel_us = 10;  // a dispatch shorter than this is a microkernel
  std::string with;            // a process under this vendor's profiler after the others; empty: none
  bool telemetry = false;
  bool kernel_plane = false;
  double telemetry_hz = 10;
  std::string sessions = "sessions";
  uint64_t seed = 0;
  std::optional<int64_t> threads;
  std::optional<int64_t> inter_op_threads;
  std::vector<int> pin;                         // processors; empty: wherever the parent may run
  std::map<std::string, std::string> inputs;    // --input NAME=FILE
  std::map<std::string, std::string> expected;  // --expect NAME=FILE: outputs must match
  double tolerance = 1e-3;                      // of --expect: |a - e| <= tolerance * (1 + |e|)
  std::map<std::string, std::string> options;   // --option KEY=VALUE, added to the backend's
  std::map<std::string, int64_t> parameters;    // --param KEY=N of a built-in model
  std::optional<TokenRequest> tokens;
  std::optional<LoadFacts> load;  // requests arrive by a schedule
  std::string ort_library;
  std::vector<std::string> custom_ops;  // --custom-ops LIB: libraries of custom operators
  bool measure_roofs = false;           // where none are kept for this machine; not in the recorded request
  std::vector<std::string> command_line;
};

// "0-3,8": processors, ascending, each once. Errors: kUsage.
Result<std::vector<int>> parse_processors(const std::string& text);

void to_json(Json& json, const TokenRequest& tokens);
void from_json(const Json& json, TokenRequest& tokens);
// So that a recorded run can be run again (aaco diff --rerun).
void to_json(Json& json, const RunRequest& request);
void from_json(const Json& json, RunRequest& request);

}  // namespace aaco
