// SPDX-License-Identifier: MIT
#include "base/json.h"

#include <algorithm>

#include "base/file.h"
#include "base/json_text.h"
#include "base/text/characters.h"
#include "base/text/utf8.h"

namespace aaco {

namespace {
constexpr int kMaxDepth = 200;
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
      changed[change(name)] = with_strings(member, change);
    }
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

std::string text_of(const Json& value, int indent) {
  return all_utf8(value) ? value.dump(indent) : with_strings(value, utf8_of_bytes).dump(indent);
}
}  // namespace

Result<Json> parse_json(std::string_view text, std::string_view source) {
  bool too_deep = false;
  const auto guard = [&](int depth, Json::parse_event_t, Json&) {
    too_deep = too_deep || depth > kMaxDepth;
    return !too_deep;
  };
  try {
    Json value = Json::parse(text.begin(), text.end(), guard);
    if (too_deep) {
      return Error{ErrorKind::kUsage, std::string(source) + ": nested deeper than 200 levels",
                   "aaco writes no such file"};
    }
    return value;
  } catch (const Json::parse_error& error) {
    return Error{ErrorKind::kUsage, std::string(source) + ": not valid JSON at byte " + std::to_string(error.byte),
                 "the file is damaged or not JSON"};
  } catch (const Json::out_of_range&) {  // 1e400 is well-formed and yet no double
    return Error{ErrorKind::kUsage, std::string(source) + ": holds a number that is out of range",
                 "the file is damaged, or was not written by aaco"};
  }
}

std::string json_text(const Json& value) { return text_of(value, -1); }

std::string indented_json_text(const Json& value) { return text_of(value, 2) + "\n"; }

std::string json_number_text(int64_t number) { return Json(number).dump(); }

std::string json_number_text(double number) { return Json(number).dump(); }

std::string json_string_text(std::string_view text) {
  return Json(std::string(text)).dump(-1, ' ', false, Json::error_handler_t::replace);
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
