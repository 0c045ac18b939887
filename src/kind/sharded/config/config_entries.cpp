// SPDX-License-Identifier: MIT
#include "kind/sharded/config/config_entries.h"

#include <fmt/format.h>

#include "base/yaml/yaml_document.h"
#include "model/config_yaml.h"

namespace aaco::sharded {

namespace {

constexpr const char* kSectionHint = "write section: and below it, indented, key: value; see configs/overlap/";
constexpr const char* kOverrideHint = "write --override section.key=value, as training.max_steps=100";

std::string place_of(const std::string& source, const YAML::Mark& mark) {
  return mark.is_null() ? source : fmt::format("{}:{}:{}", source, mark.line + 1, mark.column + 1);
}

Error usage(const std::string& place, const std::string& what, const std::string& hint) {
  return {ErrorKind::kUsage, fmt::format("{}: {}", place, what), hint};
}

// The other names that people give to a key.
std::string usual_name(const std::string& key) {
  static const std::map<std::string, std::string> kNames = {{"model.layers", "model.num_layers"},
                                                            {"model.heads", "model.num_heads"},
                                                            {"model.mlp_hidden", "model.mlp_hidden_dim"}};
  const auto found = kNames.find(key);
  return found == kNames.end() ? key : found->second;
}

Result<void> read_section(const std::string& section, const YAML::Node& keys, const std::string& source,
                          ConfigEntries& entries) {
  if (keys.IsNull()) {
    return {};
  }
  if (!keys.IsMap()) {
    return usage(place_of(source, keys.Mark()), fmt::format("{} must be a section of keys", section), kSectionHint);
  }
  for (const auto& entry : keys) {
    const std::string place = place_of(source, entry.first.Mark());
    if (!entry.first.IsScalar()) {
      return usage(place, fmt::format("a key of {} is no word", section), kSectionHint);
    }
    const std::string key = usual_name(fmt::format("{}.{}", section, entry.first.Scalar()));
    if (const auto [was, added] = entries.try_emplace(key, ConfigEntry{entry.second, place}); !added) {
      return usage(place, fmt::format("{} is given twice", key), "leave one of them out");
    }
  }
  return {};
}

}  // namespace

Error ConfigEntry::error(const std::string& what, const std::string& hint) const {
  return {ErrorKind::kUsage, fmt::format("{}: {}", place, what), hint};
}

Result<ConfigEntries> parse_config_entries(std::string_view text, const std::string& source) {
  ConfigEntries entries;
  try {
    AACO_ASSIGN(
        const YAML::Node document,
        parse_yaml_document(text, [&](const YAML::Mark& where, const std::string& what, const std::string& hint) {
          return usage(place_of(source, where), what, hint);
        }));
    if (document.IsNull()) {
      return entries;
    }
    if (!document.IsMap()) {
      return usage(place_of(source, document.Mark()), "the file must have sections of keys", kSectionHint);
    }
    for (const auto& section : document) {
      if (!section.first.IsScalar()) {
        return usage(place_of(source, section.first.Mark()), "the name of a section is no word", kSectionHint);
      }
      AACO_TRY(read_section(section.first.Scalar(), section.second, source, entries));
    }
    return entries;
  } catch (const YAML::Exception& exception) {
    return usage(place_of(source, exception.mark), kNoYaml, kYamlHint);
  }
}

Result<void> override_entries(ConfigEntries& entries, const std::vector<std::string>& overrides) {
  for (const std::string& text : overrides) {
    const std::string place = fmt::format("--override {}", text);
    const size_t equals = text.find('=');
    const size_t dot = text.find('.');
    if (equals == std::string::npos || dot == std::string::npos || dot == 0 || dot + 1 >= equals) {
      return usage(place, "is not of the form section.key=value", kOverrideHint);
    }
    AACO_ASSIGN(const YAML::Node value,
                parse_yaml_document(text.substr(equals + 1), [&](const YAML::Mark& /*where*/, const std::string& what,
                                                                 const std::string& /*hint*/) {
                  return usage(place, fmt::format("the value is no YAML: {}", what), kOverrideHint);
                }));
    entries[usual_name(text.substr(0, equals))] = {value, place};
  }
  return {};
}

}  // namespace aaco::sharded
