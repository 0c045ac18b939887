// SPDX-License-Identifier: MIT
// The index of a timeline as it lies on disk, mapped: lanes, counters and names, found without reading the rest. The
// file: parts aligned to 8 bytes; an outline as JSON; its length; a CRC-32C of all that; "AACOTML2".
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/output_file.h"
#include "base/result.h"
#include "serve/timeline/counter_series.h"
#include "serve/timeline/slice_lane.h"
#include "serve/timeline/timeline_tracks.h"

namespace aaco::serve {

// Puts parts into the file; finish() makes it appear.
class TimelineIndexWriter {
 public:
  static Result<TimelineIndexWriter> create(const std::filesystem::path& path);
  IndexPart add(std::string_view bytes, uint64_t count);
  // Its size. Errors: of writing.
  Result<uint64_t> finish(const TimelineOutline& outline);

 private:
  explicit TimelineIndexWriter(std::unique_ptr<OutputFile> file) : file_(std::move(file)) {}
  void append(std::string bytes, char filler);

  std::unique_ptr<OutputFile> file_;
  uint64_t at_ = 0;
  uint64_t checksum_ = 0;
};

class TimelineIndex {
 public:
  // Reads all of it once, for the checksum. Errors: kUsage for a file that is none, of another version, or damaged.
  static Result<std::shared_ptr<const TimelineIndex>> open(const std::filesystem::path& path);
  TimelineIndex(const TimelineIndex&) = delete;
  TimelineIndex& operator=(const TimelineIndex&) = delete;
  ~TimelineIndex();

  const TimelineOutline& outline() const { return outline_; }
  size_t tracks() const { return outline_.tracks.size(); }
  const TimelineTrack& track(size_t id) const { return outline_.tracks[id]; }
  std::span<const SliceLane> lanes(size_t track) const { return lanes_[track]; }
  const CounterSeries& counter(size_t track) const { return counters_[track]; }

  size_t labels() const { return outline_.labels.count; }
  std::string_view name_of(size_t label) const;
  uint8_t category_of(size_t label) const;

 private:
  TimelineIndex() = default;
  Result<void> load(const std::filesystem::path& path);
  Result<void> load_labels(const Error& damaged);
  Result<std::span<const char>> part(const IndexPart& part, const Error& damaged) const;

  std::span<const char> bytes_;  // mapped
  TimelineOutline outline_;
  std::vector<std::vector<SliceLane>> lanes_;
  std::vector<CounterSeries> counters_;
  std::span<const char> label_bytes_;
};

}  // namespace aaco::serve
