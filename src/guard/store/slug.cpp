// SPDX-License-Identifier: MIT
#include "guard/store/slug.h"

#include <algorithm>

#include "base/files/file.h"

namespace aaco {

namespace {

constexpr size_t kMostCharacters = 64;
constexpr size_t kHashDigits = 8;
constexpr size_t kSubjectHashDigits = 10;

constexpr const char* kNoName = "unknown";

bool stays(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '+';
}

bool ends_with_hash(std::string_view text) {
  const size_t dash = text.rfind('-');
  const std::string_view end = dash == std::string_view::npos ? text : text.substr(dash + 1);
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return (end.size() == kSubjectHashDigits || end.size() == kHashDigits) && std::ranges::all_of(end, is_digit);
}

}  // namespace

std::string subject_slug(std::string_view text) {
  std::string slug = slug_of(text);
  if (slug == text && !ends_with_hash(text) && text != kNoName) {
    return slug;
  }
  return slug.substr(0, kMostCharacters - kSubjectHashDigits - 1) + "-" + sha256_of(text).substr(0, kSubjectHashDigits);
}

bool names_subject(std::string_view text, std::string_view slug) { return text == slug || subject_slug(text) == slug; }

std::string slug_of(std::string_view text) {
  std::string slug;
  for (const char c : text) {
    if (stays(c)) {
      slug += c;
    } else if (!slug.empty() && slug.back() != '-') {
      slug += '-';
    }
  }
  const size_t start = slug.find_first_not_of("-.");  // no hidden folder, and none that leads upwards
  slug = start == std::string::npos ? "" : slug.substr(start);
  slug.resize(slug.find_last_not_of('-') + 1);
  if (slug.size() > kMostCharacters) {
    slug = slug.substr(0, kMostCharacters - kHashDigits - 1) + "-" + sha256_of(text).substr(0, kHashDigits);
  }
  return slug.empty() ? kNoName : slug;
}

}  // namespace aaco
