// SPDX-License-Identifier: MIT
#include "ingest/chrome/json_cursor.h"

#include <fmt/format.h>

namespace aaco::chrome {

static_assert(Window::kPadding >= kPadding);

void JsonCursor::skip_byte_order_mark() {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  while (static_cast<size_t>(window_.end() - at_) < kMark.size() && refill()) {
  }
  if (std::string_view(at_, static_cast<size_t>(window_.end() - at_)).starts_with(kMark)) {
    at_ += kMark.size();
  }
}

int JsonCursor::next_byte_after_refill() {
  while (!stopped_) {
    at_ = skip_space(at_);
    if (at_ < window_.end()) {
      return static_cast<unsigned char>(*at_);
    }
    at_ = window_.end();
    if (!refill()) {
      return kEnd;
    }
  }
  return kEnd;
}

bool JsonCursor::refill() {
  const bool more = window_.refill(at_);
  at_ = window_.begin();
  return more;
}

Place JsonCursor::end_of_value() {
  while (true) {
    if (const Place end = skip_value(at_, window_.end())) {
      return end;
    }
    if (!refill()) {
      return nullptr;
    }
  }
}

std::optional<std::string_view> JsonCursor::take_value() {
  const Place end = end_of_value();
  if (end == nullptr) {
    return std::nullopt;
  }
  const Place start = at_;
  at_ = end == start ? end + 1 : end;
  return std::string_view(start, static_cast<size_t>(at_ - start));
}

void JsonCursor::read_out() {
  do {
    at_ = window_.end();
  } while (refill());
}

std::string JsonCursor::why_it_ended(const std::string& name, const char* otherwise) const {
  return window_.error()
             ? window_.error()->message
             : fmt::format("{}: {} at byte {}", name,
                           window_.too_long() ? "a value is longer than the largest window" : otherwise, offset());
}

}  // namespace aaco::chrome
