// SPDX-License-Identifier: MIT
#include <algorithm>

#include "ingest/kineto/kineto.h"

namespace aaco {

bool is_kineto(std::string_view head) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (head.starts_with(kByteOrderMark)) {
    head.remove_prefix(kByteOrderMark.size());
  }
  const auto next = [&] {
    const size_t at = std::min(head.find_first_not_of(" \t\r\n"), head.size());
    const char c = at < head.size() ? head[at] : '\0';
    head.remove_prefix(std::min(at + 1, head.size()));
    return c;
  };
  const char first = next();
  char second = next();
  while (second == ',') {  // of writers that put one before each event
    second = next();
  }
  return (first == '{' && (second == '"' || second == '}')) || (first == '[' && (second == '{' || second == ']'));
}

}  // namespace aaco
