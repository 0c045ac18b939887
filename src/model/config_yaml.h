// SPDX-License-Identifier: MIT
// What the files of configs/ share: named entries under one key, and mistakes as errors with line and column.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <yaml-cpp/yaml.h>

#include "base/result.h"

namespace aaco {

// Where in which file: the beginning of every message.
class ConfigPlace {
 public:
  explicit ConfigPlace(std::string source) : source_(std::move(source)) {}
  Error error(const YAML::Mark& mark, const std::string& message, const std::string& hint) const;
  Error error(const YAML::Node& node, const std::string& message, const std::string& hint) const {
    return error(node.Mark(), message, hint);
  }

 private:
  std::string source_;
};

// Of a place where the parser stops: its own words are of its grammar.
inline constexpr const char* kNoYaml = "not valid YAML";
inline constexpr const char* kYamlHint = "check indentation, colons, quotes and brackets around that place";

Result<std::string> config_scalar(const ConfigPlace& place, const YAML::Node& node, const std::string& key);

using ConfigEntryReader =
    std::function<Result<void>(const std::string& name, const YAML::Node& name_node, const YAML::Node& fields)>;

// The document `{root: {name: {fields}}}`, each entry handed to `read`.
Result<void> for_each_config_entry(std::string_view text, const ConfigPlace& place, const std::string& root,
                                   const ConfigEntryReader& read);

}  // namespace aaco
