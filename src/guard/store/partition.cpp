// SPDX-License-Identifier: MIT
#include "guard/store/partition.h"

#include <algorithm>
#include <ctime>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "guard/store/folder_entries.h"

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

std::vector<fs::directory_entry> readable_entries(const fs::path& folder, std::vector<Error>& unreadable) {
  Result<std::vector<fs::directory_entry>> entries = folder_entries(folder);
  if (!entries) {
    unreadable.push_back(entries.error());
    return {};
  }
  return std::move(*entries);
}

std::vector<KeyedFolder> folders(const fs::path& parent, std::string_view key, const std::string& wanted,
                                 std::vector<Error>& unreadable) {
  std::vector<KeyedFolder> inner;
  for (const fs::directory_entry& entry : readable_entries(parent, unreadable)) {
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

std::vector<MonthFolder> months(const fs::path& table, const SeriesPlace& filter, std::vector<Error>& unreadable) {
  std::vector<MonthFolder> all;
  for (const KeyedFolder& subject : folders(table, "subject", filter.subject, unreadable)) {
    for (const KeyedFolder& backend : folders(subject.path, "backend", filter.backend, unreadable)) {
      for (const KeyedFolder& machine : folders(backend.path, "machine", filter.machine, unreadable)) {
        for (const KeyedFolder& month : folders(machine.path, "month", "", unreadable)) {
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
  std::vector<Error> unreadable;
  for (const MonthFolder& month : months(table, filter, unreadable)) {
    paths.push_back(month.path);
  }
  return paths;
}

std::vector<PartitionFile> partition_files(const fs::path& table, const SeriesPlace& filter,
                                           std::vector<Error>& unreadable) {
  std::vector<PartitionFile> files;
  for (const MonthFolder& month : months(table, filter, unreadable)) {
    std::vector<fs::path> paths;
    for (const fs::directory_entry& entry : readable_entries(month.path, unreadable)) {
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
