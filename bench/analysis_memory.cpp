// SPDX-License-Identifier: MIT
// analysis_memory FILE...: what all analyses of one trace, read from the files, take of memory beside the event table,
// and how long. One JSON object: the largest resident set while they ran less the one before, by event.
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <malloc.h>
#include <string>
#include <vector>

#include "analysis/timeline/trace_summary.h"
#include "base/clock.h"
#include "base/files/file.h"
#include "base/memory/machine_memory.h"
#include "ingest/trace_format.h"

namespace {

[[noreturn]] void fail(const std::string& why) {
  fmt::print(stderr, "analysis_memory: {}\n", why);
  std::exit(2);
}

// Of this process: "VmRSS:" now, "VmHWM:" the most since the last reset.
uint64_t resident_bytes(const std::string& key) {
  const auto status = aaco::read_file("/proc/self/status");
  const size_t at = status ? status->find(key) : std::string::npos;
  if (at == std::string::npos) {
    fail("/proc/self/status does not say " + key);
  }
  return std::strtoull(status->c_str() + at + key.size(), nullptr, 10) * 1024;
}

void reset_peak() {
  std::FILE* file = std::fopen("/proc/self/clear_refs", "w");
  if (file == nullptr || std::fputs("5", file) < 0 || std::fclose(file) != 0) {
    fail("the kernel does not reset the peak of the resident set");
  }
}

}  // namespace

int main(int argc, char** argv) {
  aaco::give_back_large_blocks();  // as the commands do
  const std::vector<std::filesystem::path> files(argv + 1, argv + argc);
  const auto trace = aaco::read_trace(files);
  if (!trace || trace->events.size() == 0) {
    fail(trace ? "no events" : trace.error().message);
  }
  ::malloc_trim(0);  // what reading has given back is not to hide what the analyses take
  reset_peak();
  const uint64_t before_bytes = resident_bytes("VmRSS:");
  const int64_t began_ns = aaco::monotonic_ns();
  const aaco::TraceSummary summary = aaco::summarise_trace(trace->events);
  const int64_t ended_ns = aaco::monotonic_ns();
  const uint64_t peak_bytes = resident_bytes("VmHWM:") - before_bytes;
  const auto events = static_cast<double>(trace->events.size());
  fmt::print(R"({{"events": {}, "devices": {}, "table_bytes": {}, "peak_bytes": {}, "bytes_per_event": {:.2f}, )"
             R"("kept_bytes": {}, "seconds": {:.3f}}})"
             "\n",
             trace->events.size(), summary.devices.size(), before_bytes, peak_bytes,
             static_cast<double>(peak_bytes) / events, resident_bytes("VmRSS:") - before_bytes,
             static_cast<double>(ended_ns - began_ns) * 1e-9);
}
