// SPDX-License-Identifier: MIT
#include "base/json.h"

#include "base/file.h"

namespace aaco {

namespace {
constexpr int kMaxDepth = 200;
constexpr uint64_t kMaxFileBytes = uint64_t{64} << 20;
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

Result<Json> read_json(const std::filesystem::path& path) {
  AACO_ASSIGN(const std::string text, read_file(path, kMaxFileBytes));
  return parse_json(text, path.string());
}

Result<void> write_json(const std::filesystem::path& path, const Json& value) {
  return write_file_atomically(path, value.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace aaco
