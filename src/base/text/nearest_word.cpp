// SPDX-License-Identifier: MIT
#include "base/text/nearest_word.h"

#include <algorithm>

namespace aaco {

namespace {

// What was written, or is the name of, is not longer: no distance is worth more time.
constexpr size_t kLongest = 200;

size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) {
    row[j] = j;
  }
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row.back();
}

}  // namespace

std::string nearest_word(std::string_view word, const std::vector<std::string>& known) {
  if (word.empty() || word.size() > kLongest) {
    return "";
  }
  for (const bool at_front : {true, false}) {
    for (const std::string& name : known) {
      if (at_front ? name.starts_with(word) : name.find(word) != std::string::npos) {
        return name;
      }
    }
  }
  std::string nearest;
  size_t least = word.size() / 2 + 1;
  for (const std::string& name : known) {
    const size_t edits = name.size() > kLongest ? least : distance(word, name);
    if (edits < least) {
      least = edits;
      nearest = name;
    }
  }
  return nearest;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  const std::string nearest = nearest_word(word, known);
  return nearest.empty() ? "" : "did you mean " + nearest + "? ";
}

}  // namespace aaco
