// SPDX-License-Identifier: MIT
#include "guard/store/partition.h"

#include <algorithm>
#include <ctime>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <system_error>

namespace aaco {

namespace {

namespace fs = std::filesystem;

constexpr int64_t kSecondNs = 1'000'000'000;

// The value of "KEY=value"; none where the name is no such.
std::optional<std::string> value_of(const fs::path& folder, std::string_view key) {
  const std::string name = folder.filename().string();
  if (!name.starts_with(key) || name.size() <= key.size() || name[key.size()] != '=') {
    return std::nullopt;
  }
  return name.substr(key.size() + 1);
}

struct KeyedFolder {
  fs::path path;
  std::string value;
};

std::vector<KeyedFolder> folders(const fs::path& parent, std::string_view key, const std::string& wanted) {
  std::vector<KeyedFolder> inner;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(parent, error)) {
    std::error_code ignored;
    const auto value = value_of(entry.path(), key);
    if (value && entry.is_directory(ignored) && (wanted.empty() || *value == wanted)) {
      inner.push_back({entry.path(), *value});
    }
  }
  std::ranges::sort(inner, {}, &KeyedFolder::value);
  return inner;
}

struct MonthFolder {
  fs::path path;
  SeriesPlace place;
  std::string month;
};

std::vector<MonthFolder> months(const fs::path& table, const SeriesPlace& filter) {
  std::vector<MonthFolder> all;
  for (const KeyedFolder& subject : folders(table, "subject", filter.subject)) {
    for (const KeyedFolder& backend : folders(subject.path, "backend", filter.backend)) {
      for (const KeyedFolder& machine : folders(backend.path, "machine", filter.machine)) {
        for (const KeyedFolder& month : folders(machine.path, "month", "")) {
          all.push_back({month.path, {subject.value, backend.value, machine.value}, month.value});
        }
      }
    }
  }
  std::ranges::stable_sort(all, {}, &MonthFolder::month);
  return all;
}

}  // namespace

std::string month_of(int64_t wall_ns) {
  const time_t seconds = wall_ns / kSecondNs;
  tm calendar{};
  ::gmtime_r(&seconds, &calendar);
  return fmt::format("{:04}-{:02}", calendar.tm_year + 1900, calendar.tm_mon + 1);
}

fs::path partition_folder(const SeriesPlace& place, const std::string& month) {
  return fs::path("subject=" + place.subject) / ("backend=" + place.backend) / ("machine=" + place.machine) /
         ("month=" + month);
}

bool matches(const SeriesPlace& filter, const SeriesPlace& place) {
  const auto agrees = [](const std::string& wanted, const std::string& value) {
    return wanted.empty() || wanted == value;
  };
  return agrees(filter.subject, place.subject) && agrees(filter.backend, place.backend) &&
         agrees(filter.machine, place.machine);
}

std::vector<fs::path> month_folders(const fs::path& table, const SeriesPlace& filter) {
  std::vector<fs::path> paths;
  for (const MonthFolder& month : months(table, filter)) {
    paths.push_back(month.path);
  }
  return paths;
}

std::vector<PartitionFile> partition_files(const fs::path& table, const SeriesPlace& filter) {
  std::vector<PartitionFile> files;
  for (const MonthFolder& month : months(table, filter)) {
    std::vector<fs::path> paths;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(month.path, error)) {
      if (entry.path().extension() == ".parquet") {
        paths.push_back(entry.path());
      }
    }
    std::ranges::sort(paths);
    for (fs::path& path : paths) {
      files.push_back({std::move(path), month.place});
    }
  }
  return files;
}

}  // namespace aaco
