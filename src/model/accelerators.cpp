// SPDX-License-Identifier: MIT
#include "model/accelerators.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "base/files/file.h"
#include "base/text/number_text.h"
#include "model/config_yaml.h"
#include "model/registry.h"

namespace aaco {

namespace {

constexpr uint64_t kLargestFile = 1 << 20;
constexpr double kLargest = 1e12;  // in the units of the file
constexpr double kTera = 1e12;
constexpr double kGiga = 1e9;
constexpr double kMebi = 1024.0 * 1024.0;
constexpr std::array<std::string_view, 7> kPrecisions = {"fp64", "fp32", "tf32", "fp16", "bf16", "fp8", "int8"};

Result<double> positive(const ConfigPlace& place, const YAML::Node& node, const std::string& key) {
  AACO_ASSIGN(const std::string text, config_scalar(place, node, key));
  const std::optional<double> value = number_of_text<double>(text);
  if (!value || *value <= 0 || *value > kLargest) {
    const std::string most = value && *value > kLargest ? fmt::format(" of at most {:g}", kLargest) : "";
    return place.error(node, fmt::format("{} must be a positive number{}, not '{}'", key, most, text),
                       "correct the number");
  }
  return *value;
}

Result<std::map<std::string, double>> rates(const ConfigPlace& place, const YAML::Node& node, const std::string& key) {
  if (!node.IsMap()) {
    return place.error(node, fmt::format("{} must map precisions to TFLOP/s", key),
                       fmt::format("write {}: {{fp32: 19.5}}", key));
  }
  std::map<std::string, double> all;
  for (const auto& entry : node) {
    const std::string precision = entry.first.Scalar();
    if (std::find(kPrecisions.begin(), kPrecisions.end(), precision) == kPrecisions.end()) {
      return place.error(entry.first, fmt::format("unknown precision '{}'", precision),
                         "fp64, fp32, tf32, fp16, bf16, fp8 or int8");
    }
    AACO_ASSIGN(const double value, positive(place, entry.second, precision));
    all[precision] = value * kTera;
  }
  return all;
}

Result<std::vector<std::string>> texts(const ConfigPlace& place, const YAML::Node& node, const std::string& key) {
  if (!node.IsSequence()) {
    return place.error(node, fmt::format("{} must be a list", key), fmt::format("write {}: [MI300X]", key));
  }
  std::vector<std::string> all;
  for (const auto& entry : node) {
    AACO_ASSIGN(std::string text, config_scalar(place, entry, key));
    all.push_back(std::move(text));
  }
  return all;
}

Result<void> read_field(const ConfigPlace& place, const YAML::Node& key_node, const YAML::Node& value,
                        Accelerator& entry) {
  const std::string& key = key_node.Scalar();
  if (key == "names") {
    AACO_ASSIGN(entry.patterns, texts(place, value, key));
  } else if (key == "matrix") {
    AACO_ASSIGN(entry.matrix, rates(place, value, key));
  } else if (key == "vector") {
    AACO_ASSIGN(entry.vector, rates(place, value, key));
  } else if (key == "achievable") {
    AACO_ASSIGN(entry.achievable, rates(place, value, key));
  } else if (key == "memory") {
    AACO_ASSIGN(const double number, positive(place, value, key));
    entry.bytes_per_s = number * kGiga;
  } else if (key == "cache") {
    AACO_ASSIGN(const double number, positive(place, value, key));
    entry.cache_bytes = number * kMebi;
  } else if (key == "source") {
    AACO_ASSIGN(entry.source, config_scalar(place, value, key));
  } else if (key == "achievable_source") {
    AACO_ASSIGN(entry.achievable_source, config_scalar(place, value, key));
  } else {
    return place.error(
        key_node, fmt::format("unknown key '{}'", key),
        "an accelerator has names, matrix, vector, achievable, memory, cache, source, achievable_source");
  }
  return {};
}

}  // namespace

Result<std::vector<Accelerator>> parse_accelerators(std::string_view text, const std::string& source) {
  const ConfigPlace place(source);
  std::vector<Accelerator> all;
  AACO_TRY(for_each_config_entry(
      text, place, "accelerators",
      [&](const std::string& name, const YAML::Node& name_node, const YAML::Node& fields) -> Result<void> {
        Accelerator entry;
        entry.name = name;
        for (const auto& field : fields) {
          AACO_TRY(read_field(place, field.first, field.second, entry));
        }
        if (entry.source.empty() || (!entry.achievable.empty() && entry.achievable_source.empty())) {
          return place.error(name_node, fmt::format("the figures of {} have no source", name),
                             "add source: and, for achievable figures, achievable_source:");
        }
        all.push_back(std::move(entry));
        return {};
      }));
  return all;
}

Result<std::vector<Accelerator>> load_accelerators() {
  const auto path = find_config("accelerators.yaml");
  if (!path) {
    return std::vector<Accelerator>{};
  }
  AACO_ASSIGN(const std::string text, read_file(*path, kLargestFile));
  return parse_accelerators(text, path->string());
}

}  // namespace aaco
