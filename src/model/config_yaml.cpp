// SPDX-License-Identifier: MIT
#include "model/config_yaml.h"

#include <fmt/format.h>

#include "base/yaml/yaml_document.h"

namespace aaco {

Error ConfigPlace::error(const YAML::Mark& mark, const std::string& message, const std::string& hint) const {
  return {ErrorKind::kUsage, fmt::format("{}:{}:{}: {}", source_, mark.line + 1, mark.column + 1, message), hint};
}

Result<std::string> config_scalar(const ConfigPlace& place, const YAML::Node& node, const std::string& key) {
  if (!node.IsScalar()) {
    return place.error(node, fmt::format("{} must be a single value", key), "write it as key: value");
  }
  return node.Scalar();
}

Result<void> for_each_config_entry(std::string_view text, const ConfigPlace& place, const std::string& root,
                                   const ConfigEntryReader& read) {
  try {
    AACO_ASSIGN(const YAML::Node document,
                parse_yaml_document(text, [&](const YAML::Mark& where, const std::string& what,
                                              const std::string& hint) { return place.error(where, what, hint); }));
    if (!document.IsMap()) {
      return place.error(document, fmt::format("expected '{}:' at the top", root), "see the example in configs/");
    }
    for (const auto& top : document) {
      if (top.first.Scalar() != root) {
        return place.error(top.first, fmt::format("unknown key '{}'", top.first.Scalar()),
                           fmt::format("the only key at the top is {}", root));
      }
      if (!top.second.IsMap()) {
        return place.error(top.second, fmt::format("{} must map names to entries", root),
                           "see the example in configs/");
      }
      for (const auto& entry : top.second) {
        if (!entry.second.IsMap()) {
          return place.error(entry.second, fmt::format("the entry {} must be a map", entry.first.Scalar()),
                             "see the example in configs/");
        }
        AACO_TRY(read(entry.first.Scalar(), entry.first, entry.second));
      }
    }
    return {};
  } catch (const YAML::Exception& exception) {
    return place.error(exception.mark, kNoYaml, kYamlHint);
  }
}

}  // namespace aaco
