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

// In the order in which they are tried.
constexpr TraceFormat kFormats[] = {
    {"kineto", "PyTorch profiler (Kineto) or any other trace in Chrome's JSON format, plain or gzip", is_kineto,
     [](ByteSource& source, const std::string& name) { return read_kineto(source, name); }},
};

}  // namespace

Result<ReadTrace> read_trace(const std::filesystem::path& path) {
  AACO_ASSIGN(std::unique_ptr<ByteSource> source, open_bytes(path));
  std::vector<char> head(kHeadBytes);
  AACO_ASSIGN(const size_t count, source->read(head));
  head.resize(count);
  const auto* const found = std::find_if(std::begin(kFormats), std::end(kFormats), [&](const TraceFormat& format) {
    return format.recognises({head.data(), head.size()});
  });
  if (found == std::end(kFormats)) {
    std::string known;
    for (const TraceFormat& format : kFormats) {
      known += std::string(known.empty() ? "" : "; ") + format.what;
    }
    return Error{ErrorKind::kUsage,
                 fmt::format("{}: {}", path.string(), count == 0 ? "is empty" : "is no trace of a known format"),
                 "known: " + known};
  }
  source = with_head(std::move(head), std::move(source));
  AACO_ASSIGN(EventTable events, found->read(*source, path.string()));
  std::error_code unknown;
  const uint64_t bytes = std::filesystem::file_size(path, unknown);
  return ReadTrace{found, unknown ? 0 : bytes, std::move(events)};
}

}  // namespace aaco
