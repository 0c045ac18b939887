// SPDX-License-Identifier: MIT
#include "guard/store/journal.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files/file.h"
#include "base/files/new_file.h"
#include "base/json/json.h"
#include "base/json/json_text.h"
#include "guard/store/folder_entries.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

constexpr const char* kEnding = ".json";
constexpr size_t kHashDigits = 64;
constexpr int64_t kSecondNs = 1'000'000'000;

// True where all of it went there.
bool write_all(int descriptor, std::string_view content) {
  while (!content.empty()) {
    const ssize_t bytes = ::write(descriptor, content.data(), content.size());
    if (bytes < 0 && errno != EINTR) {
      return false;
    }
    content.remove_prefix(bytes > 0 ? static_cast<size_t>(bytes) : 0);
  }
  return true;
}

}  // namespace

std::string next_record_id(int64_t wall_ns) {
  static std::atomic<uint64_t> count = 0;
  std::string time = format_utc(wall_ns);
  std::erase_if(time, [](char c) { return c == '-' || c == ':' || c == 'Z'; });
  return fmt::format("{}.{:09}-{}-{}-{}", time, wall_ns % kSecondNs, machine_mark(), ::getpid(), count++);
}

Result<void> append_to_journal(const fs::path& journal, const GuardEntry& entry) {
  const std::string content = json_text(Json(entry));
  const fs::path target = journal / (entry.record.record_id + kEnding);
  const fs::path beside = journal / ("." + entry.record.record_id);
  const int descriptor = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (descriptor < 0) {
    return file_error(beside, "write", errno);
  }
  const bool written = write_all(descriptor, sha256_of(content) + "\n" + content);
  const int failed = written ? 0 : errno;
  ::close(descriptor);
  if (!written || ::rename(beside.c_str(), target.c_str()) != 0) {
    const int number = written ? errno : failed;
    (void)::unlink(beside.c_str());
    return file_error(target, "write", number);
  }
  return {};
}

Result<std::vector<fs::path>> journal_entries(const fs::path& journal) {
  AACO_ASSIGN(const std::vector<fs::directory_entry> entries, folder_entries(journal));
  std::vector<fs::path> paths;
  for (const fs::directory_entry& entry : entries) {
    if (entry.path().extension() == kEnding && !entry.path().filename().string().starts_with('.')) {
      paths.push_back(entry.path());
    }
  }
  std::ranges::sort(paths);
  return paths;
}

Result<GuardEntry> parse_journal_entry(const std::string& content, const fs::path& path) {
  const std::string source = path.string();
  const bool whole = content.size() > kHashDigits + 1 && content[kHashDigits] == '\n' &&
                     content.compare(0, kHashDigits, sha256_of(content.substr(kHashDigits + 1))) == 0;
  if (!whole) {
    return Error{ErrorKind::kUsage, source + ": is damaged: its checksum differs",
                 "remove the file: the recording in it is lost"};
  }
  AACO_ASSIGN(const Json json, parse_json(content.substr(kHashDigits + 1), source));
  return from_json_value<GuardEntry>(json, source);
}

}  // namespace aaco
