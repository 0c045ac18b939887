// SPDX-License-Identifier: MIT
#include "observe/host_files.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <sched.h>
#include <system_error>

#include "base/files/file.h"

namespace aaco {

namespace {

constexpr uint64_t kLimitBytes = uint64_t{1} << 24;
constexpr int kMostProcessors = 1 << 16;

template <class T>
std::optional<T> whole_number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

// "cpu10" after "cpu9": shorter runs of the same prefix come first.
bool numeric_less(const std::string& a, const std::string& b) {
  const size_t digits_a = a.find_first_of("0123456789");
  const size_t digits_b = b.find_first_of("0123456789");
  if (digits_a == digits_b && digits_a != std::string::npos && a.compare(0, digits_a, b, 0, digits_b) == 0 &&
      a.size() != b.size()) {
    return a.size() < b.size();
  }
  return a < b;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\v\f";
  const size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (size_t start = 0; start <= text.size();) {
    const size_t end = std::min(text.find(separator, start), text.size());
    parts.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return parts;
}

std::filesystem::path HostFiles::path(std::string_view relative) const {
  return root_ / std::filesystem::path(relative).relative_path();
}

bool HostFiles::exists(std::string_view relative) const {
  std::error_code error;
  return std::filesystem::exists(path(relative), error);
}

std::optional<std::string> HostFiles::text(std::string_view relative) const {
  const Result<std::string> content = read_file(path(relative), kLimitBytes);
  if (!content) {
    return std::nullopt;
  }
  return std::string(trimmed(*content));
}

std::string HostFiles::text_or_reason(std::string_view relative) const {
  const Result<std::string> content = read_file(path(relative), kLimitBytes);
  return content ? std::string(trimmed(*content)) : "not available: " + content.error().message;
}

std::optional<int64_t> HostFiles::number(std::string_view relative) const {
  const std::optional<std::string> content = text(relative);
  return content ? whole_number<int64_t>(*content) : std::nullopt;
}

std::optional<std::string> HostFiles::field(std::string_view relative, std::string_view key) const {
  const std::optional<std::string> content = text(relative);
  if (!content) {
    return std::nullopt;
  }
  for (const std::string_view line : split(*content, '\n')) {
    const size_t colon = line.find(':');
    if (colon != std::string_view::npos && trimmed(line.substr(0, colon)) == key) {
      return std::string(trimmed(line.substr(colon + 1)));
    }
  }
  return std::nullopt;
}

std::vector<std::string> HostFiles::names(std::string_view relative) const {
  std::vector<std::string> names;
  std::error_code error;
  std::filesystem::directory_iterator entry(path(relative), error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  std::sort(names.begin(), names.end(), numeric_less);
  return names;
}

std::optional<std::vector<int>> parse_processor_list(std::string_view text) {
  std::vector<int> processors;
  for (const std::string_view part : split(trimmed(text), ',')) {
    const size_t dash = part.find('-');
    const std::optional<int> first = whole_number<int>(part.substr(0, dash));
    const std::optional<int> last = dash == std::string_view::npos ? first : whole_number<int>(part.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first || *last >= kMostProcessors) {
      return std::nullopt;
    }
    for (int processor = *first; processor <= *last; ++processor) {
      processors.push_back(processor);
    }
  }
  return processors;
}

std::string format_processor_list(const std::vector<int>& processors) {
  std::string text;
  for (size_t i = 0; i < processors.size();) {
    size_t end = i + 1;
    while (end < processors.size() && processors[end] == processors[end - 1] + 1) {
      ++end;
    }
    text += (text.empty() ? "" : ",") + std::to_string(processors[i]);
    if (end - i > 1) {
      text += "-" + std::to_string(processors[end - 1]);
    }
    i = end;
  }
  return text;
}

std::vector<int> allowed_processors() {
  struct Free {
    void operator()(cpu_set_t* set) const { CPU_FREE(set); }
  };
  // The kernel refuses a set smaller than its own: grow until it fits.
  for (int count = 1024; count <= kMostProcessors; count *= 2) {
    const std::unique_ptr<cpu_set_t, Free> set(CPU_ALLOC(count));
    const size_t bytes = CPU_ALLOC_SIZE(count);
    if (sched_getaffinity(0, bytes, set.get()) != 0) {
      continue;
    }
    std::vector<int> processors;
    for (int processor = 0; processor < count; ++processor) {
      if (CPU_ISSET_S(processor, bytes, set.get())) {
        processors.push_back(processor);
      }
    }
    return processors;
  }
  return {};
}

}  // namespace aaco
