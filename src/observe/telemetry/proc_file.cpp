// SPDX-License-Identifier: MIT
#include "observe/telemetry/proc_file.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace aaco {

namespace {

constexpr size_t kFirstBuffer = size_t{16} << 10;
// A file of /proc that is larger than this is not one that we know how to read.
constexpr size_t kLargestBuffer = size_t{16} << 20;

template <class T>
std::optional<T> take_number(std::string_view& rest) {
  T value{};
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (error != std::errc{}) {
    return std::nullopt;
  }
  rest.remove_prefix(static_cast<size_t>(end - rest.data()));
  return value;
}

}  // namespace

ProcFile::ProcFile(int folder, const std::filesystem::path& path)
    : fd_(::openat(folder < 0 ? AT_FDCWD : folder, path.c_str(), O_RDONLY | O_CLOEXEC)), error_(fd_ < 0 ? errno : 0) {}

ProcFile::ProcFile(ProcFile&& other) noexcept : fd_(std::exchange(other.fd_, -1)), error_(other.error_) {}

ProcFile& ProcFile::operator=(ProcFile&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(error_, other.error_);
  return *this;
}

ProcFile::~ProcFile() {
  if (fd_ >= 0) {
    ::close(fd_);
  }
}

std::optional<std::string_view> ProcFile::read(ReadBuffer& buffer) const {
  if (fd_ < 0) {
    return std::nullopt;
  }
  if (buffer.empty()) {
    buffer.resize(kFirstBuffer);
  }
  for (;;) {
    const ssize_t got = ::pread(fd_, buffer.data(), buffer.size(), 0);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return std::nullopt;
    }
    if (static_cast<size_t>(got) < buffer.size()) {
      return std::string_view(buffer.data(), static_cast<size_t>(got));
    }
    // Full: the rest of a file of /proc read later would belong to another moment, so it is read again as a whole.
    if (buffer.size() >= kLargestBuffer) {
      return std::nullopt;
    }
    buffer.resize(buffer.size() * 4);
  }
}

void NumberReader::skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size())); }

std::optional<int64_t> NumberReader::integer() {
  skip_blanks();
  return take_number<int64_t>(rest_);
}

std::optional<double> NumberReader::real() {
  skip_blanks();
  return take_number<double>(rest_);
}

void NumberReader::skip(int count) {
  for (; count > 0; --count) {
    skip_blanks();
    rest_.remove_prefix(std::min(rest_.find_first_of(" \t\n"), rest_.size()));
  }
}

std::optional<ProcessorTicks> processor_ticks(std::string_view columns) {
  constexpr int kColumns = 8, kIdle = 3, kWaiting = 4;
  NumberReader numbers(columns);
  ProcessorTicks ticks;
  for (int column = 0; column < kColumns; ++column) {
    const std::optional<int64_t> number = numbers.integer();
    if (!number) {
      return std::nullopt;
    }
    ticks.all += *number;
    ticks.idle += column == kIdle || column == kWaiting ? *number : 0;
  }
  return ticks;
}

std::optional<std::string_view> after_key(std::string_view text, std::string_view key) {
  for (size_t start = 0; start < text.size();) {
    if (text.substr(start, key.size()) == key) {
      return text.substr(start + key.size());
    }
    const size_t end = text.find('\n', start);
    if (end == std::string_view::npos) {
      return std::nullopt;
    }
    start = end + 1;
  }
  return std::nullopt;
}

}  // namespace aaco
