// SPDX-License-Identifier: MIT
// Small text files of /proc and /sys, read below a root that tests replace by a folder of their own.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aaco {

class HostFiles {
 public:
  HostFiles() = default;
  explicit HostFiles(std::filesystem::path root) : root_(std::move(root)) {}

  const std::filesystem::path& root() const { return root_; }
  // "proc/stat" or "/proc/stat" -> the file below the root.
  std::filesystem::path path(std::string_view relative) const;
  bool exists(std::string_view relative) const;

  // Content without trailing white space (at most 16 MiB); none where it cannot be read.
  std::optional<std::string> text(std::string_view relative) const;
  // The text, or "not available: <path>: <why>", which is how the lockbox says that a fact could not be had.
  std::string text_or_reason(std::string_view relative) const;
  // The whole content as a decimal number; none for anything else ("max", an empty file, trailing words).
  std::optional<int64_t> number(std::string_view relative) const;
  // "Key: value" of the first line with that key ("model name" of proc/cpuinfo, "MemTotal" of proc/meminfo).
  std::optional<std::string> field(std::string_view relative, std::string_view key) const;
  // Names in a folder, sorted with numbers in numeric order; empty where there is none.
  std::vector<std::string> names(std::string_view relative) const;

 private:
  std::filesystem::path root_ = "/";
};

// "0-3,8,10-11" -> {0, 1, 2, 3, 8, 10, 11}; none when it is not such a list. The kernel's form of processor sets.
std::optional<std::vector<int>> parse_processor_list(std::string_view text);
// The reverse.
std::string format_processor_list(const std::vector<int>& processors);
// Processors that this process may run on (sched_getaffinity), ascending.
std::vector<int> allowed_processors();

std::string_view trimmed(std::string_view text);
std::vector<std::string_view> split(std::string_view text, char separator);

}  // namespace aaco
