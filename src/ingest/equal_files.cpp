// SPDX-License-Identifier: MIT
#include "ingest/equal_files.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <functional>
#include <sys/stat.h>
#include <system_error>

#include "base/interrupt.h"
#include "ingest/bytes/byte_source.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

constexpr size_t kPieceBytes = size_t{1} << 18;

std::optional<std::pair<uint64_t, uint64_t>> place_of(const fs::path& path) {
  struct stat status{};
  return stat(path.c_str(), &status) == 0 ? std::optional(std::pair<uint64_t, uint64_t>(status.st_dev, status.st_ino))
                                          : std::nullopt;
}

bool same_content(const fs::path& a, const fs::path& b) {
  const auto first = open_text(a);
  const auto second = open_text(b);
  if (!first || !second) {
    return false;
  }
  std::vector<char> ours(kPieceBytes);
  std::vector<char> theirs(kPieceBytes);
  for (;;) {
    const Result<size_t> count = (*first)->read(ours);
    const Result<size_t> other = (*second)->read(theirs);
    if (!count || !other || *count != *other ||
        !std::equal(ours.begin(), ours.begin() + static_cast<ptrdiff_t>(*count), theirs.begin()) || interrupted()) {
      return false;
    }
    if (*count == 0) {
      return true;
    }
  }
}

}  // namespace

// Stored as it is: the file begins as its content does.
EqualFiles::File EqualFiles::describe(const fs::path& path, std::string_view head) {
  std::error_code error;
  const uint64_t bytes = fs::file_size(path, error);
  std::array<char, 64> start{};
  std::ifstream file(path, std::ios::binary);
  file.read(start.data(), start.size());
  const auto got = static_cast<size_t>(file.gcount());
  return {path, error ? 0 : bytes, head.substr(0, got) == std::string_view(start.data(), got)};
}

std::optional<EqualFiles::Match> EqualFiles::find(const fs::path& path, std::string_view head) const {
  if (const auto place = place_of(path)) {
    if (const auto same = by_place_.find(*place); same != by_place_.end()) {
      return Match{same->second, true};
    }
  }
  const auto [first, last] = by_head_.equal_range(std::hash<std::string_view>()(head));
  if (first == last) {
    return std::nullopt;
  }
  const File file = describe(path, head);
  std::optional<size_t> match;
  for (auto entry = first; entry != last; ++entry) {
    const File& other = files_[entry->second];
    const bool differ = file.is_plain && other.is_plain && file.bytes != other.bytes;
    if (!differ && (!match || entry->second < *match) && same_content(other.path, path)) {
      match = entry->second;
    }
  }
  return match ? std::optional(Match{*match, false}) : std::nullopt;
}

void EqualFiles::add(const fs::path& path, std::string_view head) {
  const size_t number = files_.size();
  files_.push_back(describe(path, head));
  by_head_.emplace(std::hash<std::string_view>()(head), number);
  if (const auto place = place_of(path)) {
    by_place_.try_emplace(*place, number);
  }
}

}  // namespace aaco
