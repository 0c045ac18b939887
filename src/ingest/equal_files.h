// SPDX-License-Identifier: MIT
// Files that hold the same as others: one that is named twice, a copy, a compressed file beside what it was made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace aaco {

class EqualFiles {
 public:
  struct Match {
    size_t file;            // in the order of add()
    bool is_the_same_file;  // by another name, or the same one
  };

  // The first file that holds the same content, both as text and without compression. `head`: how the content begins,
  // up to a fixed length. Contents are compared byte by byte, only where they begin alike and, of files that are stored
  // as they are, are equally long. What cannot be read equals nothing.
  std::optional<Match> find(const std::filesystem::path& path, std::string_view head) const;

  void add(const std::filesystem::path& path, std::string_view head);
  const std::filesystem::path& path(size_t file) const { return files_[file].path; }

 private:
  struct File {
    std::filesystem::path path;
    uint64_t bytes = 0;  // as it is stored
    bool is_plain = false;
  };
  using Place = std::pair<uint64_t, uint64_t>;  // device and number of a file

  static File describe(const std::filesystem::path& path, std::string_view head);

  std::vector<File> files_;
  std::map<Place, size_t> by_place_;
  std::unordered_multimap<size_t, size_t> by_head_;  // by the hash of its head
};

}  // namespace aaco
