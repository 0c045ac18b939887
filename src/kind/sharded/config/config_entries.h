// SPDX-License-Identifier: MIT
// The keys and values of a configuration as they were written: in a file, or behind --override, which replaces what the
// file has. Of each it is known where it stands, for the errors.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include <yaml-cpp/yaml.h>

#include "base/result.h"

namespace aaco::sharded {

struct ConfigEntry {
  YAML::Node value;
  std::string place;  // "default.yaml:12:3", "--override training.max_steps=x"
  // "default.yaml:12:3: what"
  Error error(const std::string& what, const std::string& hint) const;
};

// By "section.key".
using ConfigEntries = std::map<std::string, ConfigEntry, std::less<>>;

// `text`: sections of keys; empty is none of them. `source` names it. Errors: kUsage with line and column for YAML that
// is none, a section that is no map, a key given twice.
Result<ConfigEntries> parse_config_entries(std::string_view text, const std::string& source);

// Each "section.key=value", the value as YAML; the last of a key holds. Errors: kUsage naming the override.
Result<void> override_entries(ConfigEntries& entries, const std::vector<std::string>& overrides);

}  // namespace aaco::sharded
