// SPDX-License-Identifier: MIT
#include "guard/store/slug.h"

#include <algorithm>

#include "base/files/file.h"

namespace aaco {

namespace {

constexpr size_t kMostCharacters = 64;
constexpr size_t kHashDigits = 8;

bool stays(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '+';
}

}  // namespace

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
  return slug.empty() ? "unknown" : slug;
}

}  // namespace aaco
