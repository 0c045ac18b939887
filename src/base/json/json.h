// SPDX-License-Identifier: MIT
// JSON as the program writes and reads it: nlohmann-json with key order kept, std::optional as null, errors as values.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/json/json_fwd.h"
#include "base/result.h"
#include "base/text/enum_words.h"

namespace aaco {

// `source` names the text in the error ("sessions/x/session.json"). Nesting deeper than 200 is refused.
Result<Json> parse_json(std::string_view text, std::string_view source);
// Of a regular file of at most 64 MiB.
Result<Json> read_json(const std::filesystem::path& path);

// Indented, with a final newline, written beside the target and renamed over it: a reader sees the old file or the new.
Result<void> write_json(const std::filesystem::path& path, const Json& value);

// What is wrong, in words that do not name the library: "has no \"files\"", "a value has type null, not number".
std::string json_problem(const nlohmann::json::exception& exception);

// An enum with words (base/text/enum_words.h) is its word; a word that is not known reads as the first value.
template <HasWords Enum>
void to_json(Json& json, Enum value) {
  json = word_of(value);
}
template <HasWords Enum>
void from_json(const Json& json, Enum& value) {
  value = parse_word<Enum>(json.get_ref<const std::string&>()).value_or(Enum{});
}

// Converts to a struct that has from_json; a missing or mistyped member is a kUsage error naming `source`.
template <class T>
Result<T> from_json_value(const Json& value, std::string_view source) {
  try {
    return value.get<T>();
  } catch (const nlohmann::json::exception& exception) {
    return Error{ErrorKind::kUsage, std::string(source) + ": " + json_problem(exception),
                 "the file was not written by this version of aaco, or was edited"};
  }
}

}  // namespace aaco

// AACO_JSON_FIELDS(Type, a, b, ...) defines to_json and from_json of a struct over its members; a member that is
// missing in the JSON keeps its default. Use it in a .cpp beside declarations in the header. At most 63 members.
#define AACO_JSON_TO_MEMBER_(name) json[#name] = value.name;
#define AACO_JSON_FROM_MEMBER_(name)   \
  if (json.contains(#name)) {          \
    json.at(#name).get_to(value.name); \
  }
#define AACO_JSON_FIELDS(Type, ...)                                                \
  void to_json(::aaco::Json& json, const Type& value) {                            \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(AACO_JSON_TO_MEMBER_, __VA_ARGS__))   \
  }                                                                                \
  void from_json(const ::aaco::Json& json, Type& value) {                          \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(AACO_JSON_FROM_MEMBER_, __VA_ARGS__)) \
  }

// std::optional is null or the value.
template <class T>
struct nlohmann::adl_serializer<std::optional<T>> {
  template <class J>
  static void to_json(J& json, const std::optional<T>& value) {
    if (value) {
      json = *value;
    } else {
      json = nullptr;
    }
  }
  template <class J>
  static void from_json(const J& json, std::optional<T>& value) {
    if (json.is_null()) {
      value.reset();
    } else {
      value = json.template get<T>();
    }
  }
};
