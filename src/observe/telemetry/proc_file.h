// SPDX-License-Identifier: MIT
// Files of /proc and /sys that are read many times: opened once, then one pread() each time, without allocation.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

namespace aaco {

// Shared by the files of one sampler; grows to the largest file.
using ReadBuffer = std::vector<char>;

class ProcFile {
 public:
  ProcFile() = default;
  explicit ProcFile(const std::filesystem::path& path) : ProcFile(-1, path) {}
  // `folder`: descriptor that a relative path starts from.
  ProcFile(int folder, const std::filesystem::path& path);
  ProcFile(ProcFile&& other) noexcept;
  ProcFile& operator=(ProcFile&& other) noexcept;
  ~ProcFile();

  // errno of the open, 0 when it worked.
  int open_error() const { return error_; }
  bool is_open() const { return fd_ >= 0; }
  // The whole content (of a file that the kernel makes in one piece, as all of those sampled here), valid until the
  // buffer's next use; none where it cannot be read (any more).
  std::optional<std::string_view> read(ReadBuffer& buffer) const;

 private:
  int fd_ = -1;
  int error_ = 0;
};

// Takes numbers off the front of a text. Each call skips blanks first; none at anything that is no number, or too
// large.
class NumberReader {
 public:
  explicit NumberReader(std::string_view text) : rest_(text) {}
  std::optional<int64_t> integer();
  std::optional<double> real();
  // Skips `count` words.
  void skip(int count);

 private:
  void skip_blanks();
  std::string_view rest_;
};

// What a line of /proc/stat says of one processor, or of all: clock ticks since boot.
struct ProcessorTicks {
  int64_t all = 0;   // user, nice, system, idle, iowait, irq, softirq, steal; guest time is within user
  int64_t idle = 0;  // idle and iowait: waiting for a disk is idle time
};
// Of the columns after its name; none where there are not eight numbers.
std::optional<ProcessorTicks> processor_ticks(std::string_view columns);

// The text after `key` where a line starts with it ("ctxt ", "MemAvailable:"); none where no line does.
std::optional<std::string_view> after_key(std::string_view text, std::string_view key);

}  // namespace aaco
