// SPDX-License-Identifier: MIT
// Members of a JSON object that may be missing, null or of another type: each then reads as absent.
#pragma once

#include <optional>
#include <string>

#include "base/json/json.h"
#include "base/statistics.h"

namespace aaco::report {

inline const Json* member_of(const Json& object, const char* key) {
  const auto member = object.is_object() ? object.find(key) : object.end();
  return object.is_object() && member != object.end() ? &*member : nullptr;
}

inline std::string text_of(const Json& object, const char* key) {
  const Json* member = member_of(object, key);
  return member != nullptr && member->is_string() ? member->get<std::string>() : "";
}

inline std::optional<double> number_of(const Json& object, const char* key) {
  const Json* member = member_of(object, key);
  return member != nullptr && member->is_number() ? std::optional(member->get<double>()) : std::nullopt;
}

// [low, high].
inline std::optional<Interval> interval_of(const Json& object, const char* key) {
  const Json* member = member_of(object, key);
  if (member == nullptr || !member->is_array() || member->size() != 2 || !(*member)[0].is_number() ||
      !(*member)[1].is_number()) {
    return std::nullopt;
  }
  return Interval{(*member)[0].get<double>(), (*member)[1].get<double>()};
}

}  // namespace aaco::report
