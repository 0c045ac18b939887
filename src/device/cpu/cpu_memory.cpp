// SPDX-License-Identifier: MIT
#include "device/cpu/cpu_memory.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <string>
#include <string_view>

#include "base/files/file.h"
#include "base/format.h"
#include "base/memory/machine_memory.h"

namespace aaco {

namespace {

constexpr size_t kAlignment = 256;
constexpr size_t kPageBytes = 4096;
// Left to the machine: the last pages cannot be had without something being killed.
constexpr int64_t kLeftBytes = 64 << 20;

// What stands behind "key ...:" in a file of /proc.
std::optional<std::string> proc_field(const char* path, std::string_view key) {
  const auto content = read_file(path);
  if (!content) {
    return std::nullopt;
  }
  const std::string text = "\n" + *content;
  const size_t line = text.find("\n" + std::string(key));
  const size_t colon = line == std::string::npos ? line : text.find(':', line);
  const size_t start = colon == std::string::npos ? colon : text.find_first_not_of(" \t", colon + 1);
  if (start == std::string::npos) {
    return std::nullopt;
  }
  return text.substr(start, text.find('\n', start) - start);
}

Error out_of_memory(size_t bytes, std::optional<int64_t> available) {
  const std::string left = available ? format_si(static_cast<double>(*available), "B") : "an unknown amount";
  return {ErrorKind::kResource,
          fmt::format("out of memory on the CPU: {} were asked for, {} are free",
                      format_si(static_cast<double>(bytes), "B"), left),
          "use smaller sizes or fewer streams"};
}

}  // namespace

class CpuBuffer : public Buffer {
 public:
  CpuBuffer(CpuMemory::Count& count, void* data, size_t bytes) : count_(count), data_(data), bytes_(bytes) {
    count_.add(static_cast<int64_t>(bytes_));
  }
  ~CpuBuffer() override {
    count_.add(-static_cast<int64_t>(bytes_));
    std::free(data_);
  }
  CpuBuffer(const CpuBuffer&) = delete;
  CpuBuffer& operator=(const CpuBuffer&) = delete;

  void* data() const override { return data_; }
  size_t bytes() const override { return bytes_; }

 private:
  CpuMemory::Count& count_;
  void* data_;
  size_t bytes_;
};

std::optional<std::string> processor_name() { return proc_field("/proc/cpuinfo", "model name"); }

Result<std::unique_ptr<Buffer>> CpuMemory::allocate(size_t bytes, MemoryKind kind) {
  const std::optional<int64_t> available = available_memory_bytes();
  if (available && bytes > static_cast<size_t>(std::max<int64_t>(*available - kLeftBytes, 0))) {
    return out_of_memory(bytes, available);
  }
  void* data = nullptr;
  if (posix_memalign(&data, kAlignment, std::max<size_t>(bytes, 1)) != 0) {
    return out_of_memory(bytes, available);
  }
  // The kernel gives a page when it is first written: now, so that the next allocation sees it gone, and no workload
  // pays for it while it is measured.
  for (size_t at = 0; at < bytes; at += kPageBytes) {
    static_cast<volatile char*>(data)[at] = 0;
  }
  return std::unique_ptr<Buffer>(
      std::make_unique<CpuBuffer>(kind == MemoryKind::kPinnedHost ? pinned_ : device_, data, bytes));
}

MemoryUse CpuMemory::use() const { return {device_.bytes, device_.peak, pinned_.bytes, pinned_.peak, 0, -1}; }

void CpuMemory::reset_peak() {
  device_.peak = device_.bytes.load();
  pinned_.peak = pinned_.bytes.load();
}

void CpuMemory::Count::add(int64_t more) {
  const int64_t now = bytes.fetch_add(more) + more;
  int64_t most = peak;
  while (now > most && !peak.compare_exchange_weak(most, now)) {
  }
}

}  // namespace aaco
