// SPDX-License-Identifier: MIT
#include "model/registry.h"

#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include "base/files/file.h"
#include "base/text/number_text.h"
#include "model/config_yaml.h"
#include "model/tensor.h"

namespace aaco {

namespace {

constexpr double kAutomaticSeconds = 2;
constexpr double kMostSeconds = 86'400;
constexpr int64_t kLargestCount = 1'000'000'000;
constexpr uint64_t kLargestFile = 1 << 20;

Result<int64_t> count(const ConfigPlace& place, const YAML::Node& node, const std::string& key, int64_t smallest) {
  AACO_ASSIGN(const std::string text, config_scalar(place, node, key));
  const auto value = number_of_text<int64_t>(text);
  if (!value || *value < smallest || *value > kLargestCount) {
    return place.error(
        node, fmt::format("{} must be a whole number from {} to {}, not '{}'", key, smallest, kLargestCount, text),
        "correct the number");
  }
  return *value;
}

Result<std::map<std::string, std::vector<int64_t>>> read_shapes(const ConfigPlace& place, const YAML::Node& node) {
  if (!node.IsMap()) {
    return place.error(node, "input_shapes must map input names to lists",
                       "write input_shapes: {input: [1, 3, 224, 224]}");
  }
  std::map<std::string, std::vector<int64_t>> shapes;
  for (const auto& input : node) {
    if (!input.second.IsSequence()) {
      return place.error(input.second, fmt::format("the shape of {} must be a list of numbers", input.first.Scalar()),
                         "write [1, 3, 224, 224]");
    }
    std::vector<int64_t>& dims = shapes[input.first.Scalar()];
    for (const auto& dim : input.second) {
      AACO_ASSIGN(const int64_t value, count(place, dim, "a dimension", 0));
      dims.push_back(value);
    }
  }
  return shapes;
}

Result<std::map<std::string, int64_t>> read_dims(const ConfigPlace& place, const YAML::Node& node) {
  if (!node.IsMap()) {
    return place.error(node, "dims must map names of dimensions to numbers", "write dims: {sequence: 128}");
  }
  std::map<std::string, int64_t> dims;
  for (const auto& dim : node) {
    AACO_ASSIGN(dims[dim.first.Scalar()], count(place, dim.second, "a dimension", 0));
  }
  return dims;
}

Result<void> read_model_field(const ConfigPlace& place, const std::string& key, const YAML::Node& key_node,
                              const YAML::Node& value, ModelEntry& entry) {
  if (key == "path") {
    AACO_ASSIGN(entry.path, config_scalar(place, value, key));
  } else if (key == "input_shapes") {
    AACO_ASSIGN(entry.input_shapes, read_shapes(place, value));
  } else if (key == "dims") {
    AACO_ASSIGN(entry.dims, read_dims(place, value));
  } else if (key == "dtype") {
    AACO_ASSIGN(entry.dtype, config_scalar(place, value, key));
    if (!element_of_name(entry.dtype)) {
      return place.error(value, fmt::format("unknown dtype '{}'", entry.dtype),
                         "float32, float16, bfloat16, float64, int64, int32, ...");
    }
  } else if (key == "warmup") {
    AACO_ASSIGN(entry.warmup, count(place, value, key, 0));
  } else if (key == "iterations") {
    AACO_ASSIGN(entry.iterations, config_scalar(place, value, key));
    if (const auto checked = check_iterations(*entry.iterations, key); !checked) {
      return place.error(value, checked.error().message, checked.error().hint);
    }
  } else {
    return place.error(key_node, fmt::format("unknown key '{}'", key),
                       "a model has path, input_shapes, dims, dtype, warmup, iterations");
  }
  return {};
}

}  // namespace

std::optional<double> seconds_of_iterations(const std::string& text) {
  if (text == "auto") {
    return kAutomaticSeconds;
  }
  const auto seconds = text.ends_with('s') ? number_of_text<double>(text.substr(0, text.size() - 1)) : std::nullopt;
  return seconds && *seconds > 0 && *seconds <= kMostSeconds ? seconds : std::nullopt;
}

Result<void> check_iterations(const std::string& text, const std::string& where) {
  const auto number = number_of_text<int64_t>(text);
  if (seconds_of_iterations(text) || (number && *number >= 1 && *number <= kLargestCount)) {
    return {};
  }
  return Error{
      ErrorKind::kUsage,
      fmt::format("{} must be 'auto', seconds as 0.5s, or a number from 1 to {}, not '{}'", where, kLargestCount, text),
      "auto measures for about two seconds a process"};
}

Result<std::map<std::string, ModelEntry>> parse_models(std::string_view text, const std::string& source) {
  const ConfigPlace place(source);
  std::map<std::string, ModelEntry> models;
  AACO_TRY(for_each_config_entry(
      text, place, "models",
      [&](const std::string& name, const YAML::Node& name_node, const YAML::Node& fields) -> Result<void> {
        ModelEntry entry;
        entry.name = name;
        for (const auto& field : fields) {
          AACO_TRY(read_model_field(place, field.first.Scalar(), field.first, field.second, entry));
        }
        if (!models.emplace(name, std::move(entry)).second) {
          return place.error(name_node, fmt::format("model {} is there twice", name), "rename or remove one");
        }
        return {};
      }));
  return models;
}

Result<std::map<std::string, BackendEntry>> parse_backends(std::string_view text, const std::string& source) {
  const ConfigPlace place(source);
  std::map<std::string, BackendEntry> backends;
  AACO_TRY(for_each_config_entry(
      text, place, "backends",
      [&](const std::string& name, const YAML::Node& name_node, const YAML::Node& fields) -> Result<void> {
        BackendEntry entry;
        entry.name = name;
        for (const auto& field : fields) {
          const std::string key = field.first.Scalar();
          AACO_ASSIGN(const std::string value, config_scalar(place, field.second, key));
          if (key == "provider") {
            entry.provider = value;
          } else {
            entry.options[key] = value;
          }
        }
        if (entry.provider.empty()) {
          return place.error(name_node, fmt::format("backend {} names no provider", name),
                             "add provider: \"CPUExecutionProvider\" or another");
        }
        if (!backends.emplace(name, std::move(entry)).second) {
          return place.error(name_node, fmt::format("backend {} is there twice", name), "rename or remove one");
        }
        return {};
      }));
  return backends;
}

std::optional<std::filesystem::path> find_config(const std::string& name) {
  namespace fs = std::filesystem;
  std::vector<fs::path> folders;
  if (const char* variable = std::getenv("AACO_CONFIGS"); variable != nullptr && *variable != '\0') {
    folders.emplace_back(variable);
  } else {
    folders.emplace_back("configs");
    for (fs::path folder = program_folder(); folder.has_relative_path(); folder = folder.parent_path()) {
      folders.push_back(folder / "share" / "aaco" / "configs");
      folders.push_back(folder / "configs");
    }
  }
  for (const fs::path& folder : folders) {
    std::error_code error;
    if (fs::exists(folder / name, error)) {
      return folder / name;
    }
  }
  return std::nullopt;
}

Result<std::map<std::string, ModelEntry>> load_models() {
  const auto path = find_config("models.yaml");
  if (!path) {
    return std::map<std::string, ModelEntry>{};
  }
  AACO_ASSIGN(const std::string text, read_file(*path, kLargestFile));
  return parse_models(text, path->string());
}

Result<std::map<std::string, BackendEntry>> load_backends() {
  const auto path = find_config("backends.yaml");
  if (!path) {
    return std::map<std::string, BackendEntry>{};
  }
  AACO_ASSIGN(const std::string text, read_file(*path, kLargestFile));
  return parse_backends(text, path->string());
}

}  // namespace aaco
