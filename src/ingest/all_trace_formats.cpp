// SPDX-License-Identifier: MIT
#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <vector>

#include "ingest/kineto.h"
#include "ingest/trace_format.h"

namespace aaco {

namespace {

constexpr size_t kHeadBytes = size_t{1} << 16;

constexpr TraceFormat kFormats[] = {
    {"kineto", "PyTorch profiler (Kineto) or any other trace in Chrome's JSON format, plain or gzip", is_kineto,
     read_kineto},
};

}  // namespace

std::span<const TraceFormat> all_trace_formats() { return kFormats; }

Result<ReadTrace> read_trace(const std::filesystem::path& path) {
  std::vector<char> head(kHeadBytes);
  AACO_ASSIGN(std::unique_ptr<ByteSource> first, open_bytes(path));
  AACO_ASSIGN(const size_t count, first->read(head));
  first.reset();
  const auto found = std::find_if(std::begin(kFormats), std::end(kFormats),
                                  [&](const TraceFormat& format) { return format.recognises({head.data(), count}); });
  if (found == std::end(kFormats)) {
    std::string known;
    for (const TraceFormat& format : kFormats) {
      known += std::string(known.empty() ? "" : "; ") + format.what;
    }
    return Error{ErrorKind::kUsage,
                 fmt::format("{}: {}", path.string(), count == 0 ? "is empty" : "is no trace of a known format"),
                 "known: " + known};
  }
  AACO_ASSIGN(std::unique_ptr<ByteSource> source, open_bytes(path));
  AACO_ASSIGN(EventTable events, found->read(*source, path.string()));
  std::error_code unknown;
  const uint64_t bytes = std::filesystem::file_size(path, unknown);
  return ReadTrace{found, unknown ? 0 : bytes, std::move(events)};
}

}  // namespace aaco
