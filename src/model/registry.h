// SPDX-License-Identifier: MIT
// configs/models.yaml and configs/backends.yaml: what a name means. Mistakes are errors with line and column.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace aaco {

struct ModelEntry {
  std::string name;
  std::string path;  // "" when the entry has none
  std::map<std::string, std::vector<int64_t>> input_shapes;
  std::map<std::string, int64_t> dims;  // of symbolic dimensions
  // float16/float32/... is the precision of a built-in model; an integer type is that of its inputs.
  std::string dtype;
  std::optional<int64_t> warmup;
  std::optional<std::string> iterations;  // a number, "0.5s" or "auto"
};

struct BackendEntry {
  std::string name;
  std::string provider;
  std::map<std::string, std::string> options;  // everything else, as written
};

// `source` names the text in errors. Keys that nothing reads, wrong types and numbers out of range: kUsage with
// "source:line:column".
Result<std::map<std::string, ModelEntry>> parse_models(std::string_view text, const std::string& source);
Result<std::map<std::string, BackendEntry>> parse_backends(std::string_view text, const std::string& source);

// The file `name` ("models.yaml") in $AACO_CONFIGS, ./configs, or the installation's configs; none when it is nowhere.
std::optional<std::filesystem::path> find_config(const std::string& name);

// As parse_*, from find_config's file; empty when there is none.
Result<std::map<std::string, ModelEntry>> load_models();
Result<std::map<std::string, BackendEntry>> load_backends();

// How long is measured: a count of iterations up to 1e9, seconds as "0.5s", or "auto", which is two seconds. Errors:
// kUsage.
Result<void> check_iterations(const std::string& text, const std::string& where);
// Seconds of such a text; none of a count.
std::optional<double> seconds_of_iterations(const std::string& text);

}  // namespace aaco
