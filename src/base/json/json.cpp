// SPDX-License-Identifier: MIT
#include "base/json/json.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/files/file.h"
#include "base/json/json_builder.h"
#include "base/json/json_text.h"
#include "base/text/characters.h"
#include "base/text/utf8.h"

namespace aaco {

namespace {
constexpr size_t kMaxDepth = 200;
constexpr uint64_t kMaxFileBytes = uint64_t{64} << 20;

// With `change` made to each string and each name of a member.
Json with_strings(const Json& value, std::string (*change)(std::string_view)) {
  if (value.is_string()) {
    return change(value.get_ref<const std::string&>());
  }
  if (!value.is_structured()) {
    return value;
  }
  Json changed = value.is_array() ? Json::array() : Json::object();
  for (const auto& [name, member] : value.items()) {
    if (value.is_array()) {
      changed.push_back(with_strings(member, change));
    } else {
      changed.get_ref<Json::object_t&>().emplace_back(change(name), with_strings(member, change));
    }
  }
  if (changed.is_object()) {
    keep_distinct_keys(changed.get_ref<Json::object_t&>());
  }
  return changed;
}

bool all_utf8(const Json& value) {
  if (value.is_string()) {
    return is_utf8(value.get_ref<const std::string&>());
  }
  const auto items = value.items();
  return !value.is_structured() || std::all_of(items.begin(), items.end(), [&](const auto& item) {
    return (value.is_array() || is_utf8(item.key())) && all_utf8(item.value());
  });
}

// "\\u009b" of a character of the basic plane.
std::string escape_of(std::string_view character) {
  return Json(std::string(character)).dump(-1, ' ', true).substr(1, 6);
}

// The same JSON, in which characters that would steer a terminal are escapes. Outside of strings it is ASCII.
std::string harmless(std::string json) {
  const auto may_steer = [](char c) { return static_cast<unsigned char>(c) >= 0x7F; };
  const auto first = std::find_if(json.begin(), json.end(), may_steer);
  if (first == json.end()) {
    return json;
  }
  std::string safe(json.begin(), first);
  std::string_view rest(json);
  rest.remove_prefix(safe.size());
  while (!rest.empty()) {
    const size_t length = utf8_character(rest);
    if (may_steer(rest.front()) && character_bytes(rest) == 0) {
      safe += escape_of(rest.substr(0, length));
    } else {
      safe += rest.substr(0, length);
    }
    rest.remove_prefix(length);
  }
  return safe;
}

std::string text_of(const Json& value, int indent) {
  return harmless(all_utf8(value) ? value.dump(indent) : with_strings(value, utf8_of_bytes).dump(indent));
}
}  // namespace

Result<Json> parse_json(std::string_view text, std::string_view source) {
  JsonBuilder builder(kMaxDepth);
  if (Json::sax_parse(text.begin(), text.end(), &builder)) {
    return builder.take_root();
  }
  if (builder.is_too_deep()) {
    return Error{ErrorKind::kUsage, std::string(source) + ": nested deeper than 200 levels",
                 "aaco writes no such file"};
  }
  if (builder.has_number_out_of_range()) {
    return Error{ErrorKind::kUsage, std::string(source) + ": holds a number that is out of range",
                 "the file is damaged, or was not written by aaco"};
  }
  return Error{ErrorKind::kUsage,
               std::string(source) + ": not valid JSON at byte " + std::to_string(builder.error_byte().value_or(0)),
               "the file is damaged or not JSON"};
}

std::string json_problem(const nlohmann::json::exception& exception) {
  constexpr int kWrongType = 302;
  constexpr int kNoSuchKey = 403;
  const std::string_view text = exception.what();
  const auto between = [&](std::string_view before, std::string_view behind) {
    const size_t start = text.find(before);
    const size_t from = start == std::string_view::npos ? text.size() : start + before.size();
    return std::string(text.substr(from, text.find(behind, from) - from));
  };
  if (exception.id == kNoSuchKey) {
    return fmt::format("has no \"{}\"", between("key '", "' not found"));
  }
  if (exception.id == kWrongType) {
    const std::string wanted = between("type must be ", ", but is ");
    const std::string actual_type = between(", but is ", "\n");
    if (!wanted.empty() && !actual_type.empty()) {
      return fmt::format("a value has type {}, not {}", actual_type, wanted);
    }
  }
  return "a value is not of the kind that must be there";
}

std::string json_text(const Json& value) { return text_of(value, -1); }

std::string indented_json_text(const Json& value) { return text_of(value, 2) + "\n"; }

std::string json_number_text(int64_t number) { return Json(number).dump(); }

std::string json_number_text(double number) { return Json(number).dump(); }

std::string json_string_text(std::string_view text) {
  return harmless(Json(is_utf8(text) ? std::string(text) : as_utf8(text)).dump());
}

bool is_json_text(std::string_view text) { return Json::accept(text); }

Result<Json> parse_own_json(std::string_view text, std::string_view source) {
  AACO_ASSIGN(Json value, parse_json(text, source));
  const bool may_be_escaped = text.find(kReplacement) != std::string_view::npos ||
                              text.find("\\ufffd") != std::string_view::npos ||  // as other programs write U+FFFD
                              text.find("\\uFFFD") != std::string_view::npos;
  return may_be_escaped ? with_strings(value, bytes_of_utf8) : value;
}

Result<Json> read_json(const std::filesystem::path& path) {
  AACO_ASSIGN(const std::string text, read_file(path, kMaxFileBytes));
  return parse_own_json(text, path.string());
}

Result<void> write_json(const std::filesystem::path& path, const Json& value) {
  return write_file_atomically(path, indented_json_text(value));
}

}  // namespace aaco
