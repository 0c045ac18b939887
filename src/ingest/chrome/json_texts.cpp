// SPDX-License-Identifier: MIT
#include "ingest/chrome/json_texts.h"

#include <new>
#include <string>

#include "base/text/utf8.h"

namespace aaco::chrome {

std::optional<JsonTexts::Text> JsonTexts::text_of(std::string_view json, StringId& seen, StringTable& strings) {
  if (json.size() > kLongest) {
    return Text{strings.intern(utf8_of_bytes(json)), Loss::kTooLong, std::nullopt};
  }
  if (raw_[seen] != json) {
    seen = raw_.intern(json);
    if (seen == known_.size()) {
      known_.push_back(check(json, strings));
    }
  }
  return known_[seen];
}

std::optional<JsonTexts::Text> JsonTexts::check(std::string_view json, StringTable& strings) {
  switch (parser_.parse(json.data(), json.size()).error()) {
    case simdjson::SUCCESS:
      break;
    case simdjson::MEMALLOC:
      throw std::bad_alloc();
    case simdjson::DEPTH_ERROR:
      return Text{strings.intern(json), Loss::kTooDeep, std::nullopt};
    case simdjson::UTF8_ERROR: {
      auto mended = check(utf8_of_bytes(json), strings);
      if (mended) {
        mended->bytes = Loss::kNotUtf8;
      }
      return mended;
    }
    default:
      return std::nullopt;
  }
  std::string minified(json.size() + simdjson::SIMDJSON_PADDING, '\0');
  size_t length = 0;
  if (simdjson::minify(json.data(), json.size(), minified.data(), length) != simdjson::SUCCESS) {
    return std::nullopt;
  }
  return Text{strings.intern({minified.data(), length}), std::nullopt, std::nullopt};
}

}  // namespace aaco::chrome
