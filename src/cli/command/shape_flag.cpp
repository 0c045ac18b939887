// SPDX-License-Identifier: MIT
#include "cli/command/shape_flag.h"

#include <charconv>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <utility>

namespace aaco {

namespace {

using NamedShape = std::pair<std::string, std::vector<int64_t>>;

std::optional<std::vector<int64_t>> sizes_of(std::string_view text) {
  std::vector<int64_t> sizes;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    int64_t size = 0;
    const auto [next, problem] = std::from_chars(at, end, size);
    if (problem != std::errc() || size < 0) {
      return std::nullopt;
    }
    sizes.push_back(size);
    if (next == end) {
      return sizes;
    }
    if (*next != 'x') {
      return std::nullopt;
    }
    at = next + 1;
  }
}

std::optional<NamedShape> shape_of(std::string_view text) {
  const size_t separator = text.find_last_of("=:");
  if (separator == std::string_view::npos || separator == 0) {
    return std::nullopt;
  }
  auto sizes = sizes_of(text.substr(separator + 1));
  return sizes ? std::optional(NamedShape{text.substr(0, separator), std::move(*sizes)}) : std::nullopt;
}

// A comma within a name ends nothing: no sizes stand before it.
std::optional<std::vector<NamedShape>> shapes_in(std::string_view word) {
  std::vector<NamedShape> shapes;
  size_t start = 0;
  for (size_t comma = word.find(',');; comma = word.find(',', comma + 1)) {
    if (auto shape = shape_of(word.substr(start, comma == std::string_view::npos ? comma : comma - start))) {
      shapes.push_back(std::move(*shape));
      start = comma + 1;
    } else if (comma == std::string_view::npos) {
      return std::nullopt;
    }
    if (comma == std::string_view::npos) {
      return shapes;
    }
  }
}

}  // namespace

bool is_shape(const std::string& word) { return shapes_in(word).has_value(); }

Result<std::map<std::string, std::vector<int64_t>>> shapes_of(const std::vector<std::string>& words) {
  std::map<std::string, std::vector<int64_t>> result;
  for (const std::string& word : words) {
    auto shapes = shapes_in(word);
    if (!shapes) {
      return Error{ErrorKind::kUsage, fmt::format("--shape {}: not NAME=1x3x48x192", word),
                   "write the input's name and all its sizes, as --shape x=1x3x48x192,mask=1x48"};
    }
    for (NamedShape& shape : *shapes) {
      result.insert_or_assign(std::move(shape.first), std::move(shape.second));
    }
  }
  return result;
}

}  // namespace aaco
