// SPDX-License-Identifier: MIT
// The one YAML document of a text. A reader that takes the first document, or the last of two equal keys, would leave
// out what a user wrote without a word.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <yaml-cpp/yaml.h>

#include "base/result.h"

namespace aaco {

// The error that tells of `what` at a place of the text.
using YamlError = std::function<Error(const YAML::Mark& where, const std::string& what, const std::string& hint)>;

// A null node where the text has no content. Errors, made by `error`: what is no YAML, a second document, a key that is
// given twice in one map, nesting deeper than 50, an alias of a node within itself, aliases that stand for more than
// 100,000 values, a NUL byte. Aliases share nodes, so the result is no larger than the text.
Result<YAML::Node> parse_yaml_document(std::string_view text, const YamlError& error);

}  // namespace aaco
