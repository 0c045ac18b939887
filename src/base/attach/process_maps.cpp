// SPDX-License-Identifier: MIT
#include "base/attach/process_maps.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "base/files/file.h"

namespace aaco {

namespace {

// Takes a number in base 16 and the character behind it off the front.
bool take_hex(std::string_view& line, char behind, uint64_t& value) {
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value, 16);
  if (error != std::errc() || end == line.data() + line.size() || *end != behind) {
    return false;
  }
  line.remove_prefix(static_cast<size_t>(end - line.data()) + 1);
  return true;
}

// "7f10c000-7f10d000 r-xp 00026000 08:01 1234     /usr/lib/libc.so.6"
std::optional<Mapping> parse_mapping(std::string_view line) {
  Mapping mapping;
  if (!take_hex(line, '-', mapping.start) || !take_hex(line, ' ', mapping.end) || line.size() < 5) {
    return std::nullopt;
  }
  mapping.executable = line[2] == 'x';
  line.remove_prefix(5);
  if (!take_hex(line, ' ', mapping.offset)) {
    return std::nullopt;
  }
  for (int word = 0; word < 2; ++word) {  // device and inode
    line.remove_prefix(std::min(line.find(' ') + 1, line.size()));
  }
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  mapping.path = line;
  return mapping;
}

}  // namespace

std::string read_proc_text(const std::filesystem::path& path) {
  Result<std::string> text = read_file(path);
  return text ? std::move(*text) : std::string();
}

std::vector<pid_t> read_threads(pid_t pid) {
  std::vector<pid_t> threads;
  std::error_code error;
  std::filesystem::directory_iterator place("/proc/" + std::to_string(pid) + "/task", error);
  for (const std::filesystem::directory_iterator end; !error && place != end; place.increment(error)) {
    threads.push_back(static_cast<pid_t>(std::strtol(place->path().filename().c_str(), nullptr, 10)));
  }
  return threads;
}

std::vector<Mapping> parse_maps(std::string_view text) {
  std::vector<Mapping> maps;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    if (std::optional<Mapping> mapping = parse_mapping(text.substr(0, end))) {
      maps.push_back(std::move(*mapping));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return maps;
}

const Mapping* mapping_at(const std::vector<Mapping>& maps, uint64_t address) {
  const auto mapping =
      std::find_if(maps.begin(), maps.end(), [&](const Mapping& each) { return each.contains(address); });
  return mapping != maps.end() ? &*mapping : nullptr;
}

const Mapping* mapping_of_file(const std::vector<Mapping>& maps, std::string_view name) {
  const auto mapping = std::find_if(maps.begin(), maps.end(), [&](const Mapping& each) {
    const std::string_view path = each.path;
    return path.starts_with('/') && path.substr(path.rfind('/') + 1).starts_with(name);
  });
  return mapping != maps.end() ? &*mapping : nullptr;
}

}  // namespace aaco
