// SPDX-License-Identifier: MIT
#include "base/files/kept_lines.h"

#include <fcntl.h>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace aaco {

namespace {

constexpr int64_t kMostBytes = int64_t{16} << 20;  // a larger file is none of ours

// The file, open and locked for this process alone.
class LockedFile {
 public:
  explicit LockedFile(const std::filesystem::path& file) {
    if (file.empty()) {
      return;
    }
    std::error_code ignored;
    if (file.has_parent_path()) {
      std::filesystem::create_directories(file.parent_path(), ignored);
    }
    descriptor_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (descriptor_ >= 0 && ::flock(descriptor_, LOCK_EX) != 0) {
      close();
    }
  }
  ~LockedFile() { close(); }
  LockedFile(const LockedFile&) = delete;
  LockedFile& operator=(const LockedFile&) = delete;

  bool is_open() const { return descriptor_ >= 0; }

  std::optional<std::string> text() const {
    struct stat status{};
    if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size > kMostBytes) {
      return std::nullopt;
    }
    std::string read(static_cast<size_t>(status.st_size), '\0');
    size_t done = 0;
    while (done < read.size()) {
      const ssize_t count = ::pread(descriptor_, read.data() + done, read.size() - done, static_cast<off_t>(done));
      if (count <= 0) {
        return std::nullopt;
      }
      done += static_cast<size_t>(count);
    }
    return read;
  }

  // One call, so that what is left of a process that dies is at most a line without an end.
  void append(const std::string& line) const { static_cast<void>(!::write(descriptor_, line.data(), line.size())); }

 private:
  void close() {
    if (descriptor_ >= 0) {
      ::close(descriptor_);
      descriptor_ = -1;
    }
  }

  int descriptor_ = -1;
};

std::optional<std::string> last_value(std::string_view text, const std::string& key,
                                      const std::function<bool(const std::string& value)>& accepts) {
  std::optional<std::string> value;
  for (size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    const size_t tab = line.find('\t');
    if (tab != std::string_view::npos && line.substr(0, tab) == key) {
      std::string kept_text(line.substr(tab + 1));
      if (accepts(kept_text)) {
        value = std::move(kept_text);
      }
    }
  }
  return value;
}

}  // namespace

std::optional<std::string> KeptLines::value_of(const std::string& key,
                                               const std::function<bool(const std::string& value)>& accepts,
                                               const std::function<std::optional<std::string>()>& make) const {
  {
    const LockedFile file(file_);
    const std::optional<std::string> text = file.is_open() ? file.text() : std::nullopt;
    if (auto kept = text ? last_value(*text, key, accepts) : std::nullopt) {
      return kept;
    }
  }
  std::optional<std::string> fresh = make();
  if (!fresh) {
    return fresh;
  }
  const LockedFile file(file_);
  const std::optional<std::string> text = file.is_open() ? file.text() : std::nullopt;
  if (!text) {
    return fresh;
  }
  if (auto kept = last_value(*text, key, accepts)) {
    return kept;
  }
  const bool ends_in_line = text->empty() || text->back() == '\n';
  file.append((ends_in_line ? "" : "\n") + key + '\t' + *fresh + '\n');
  return fresh;
}

}  // namespace aaco
