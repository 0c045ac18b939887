// SPDX-License-Identifier: MIT
#include "serve/timeline/timeline_index.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "base/files/file.h"
#include "base/json/json.h"
#include "base/json/json_text.h"

namespace aaco::serve {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "AACOTML2";
constexpr size_t kAlignment = 8;
constexpr size_t kTailBytes = 2 * sizeof(uint64_t) + kMagic.size();

// Where there is nothing to map, an empty span.
Result<std::span<const char>> map_file(const fs::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    return file_error(path, "open", errno);
  }
  struct stat status{};
  void* mapped = MAP_FAILED;
  const bool known = ::fstat(file, &status) == 0;
  const auto bytes = known ? static_cast<size_t>(status.st_size) : 0;
  if (bytes > 0) {
    mapped = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0);
  }
  const int failure = errno;
  ::close(file);
  if (!known || (bytes > 0 && mapped == MAP_FAILED)) {
    return file_error(path, "map", failure);
  }
  return bytes == 0 ? std::span<const char>() : std::span(static_cast<const char*>(mapped), bytes);
}

template <class Number>
Number number_at(std::span<const char> bytes, size_t at) {
  Number number;
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

// CRC-32C of whole words, behind `checksum`.
uint64_t checksum_after(uint64_t checksum, std::span<const char> bytes) {
  for (size_t at = 0; at + sizeof(uint64_t) <= bytes.size(); at += sizeof(uint64_t)) {
    checksum = __builtin_ia32_crc32di(checksum, number_at<uint64_t>(bytes, at));
  }
  return checksum;
}

}  // namespace

Result<TimelineIndexWriter> TimelineIndexWriter::create(const fs::path& path) {
  AACO_ASSIGN(std::unique_ptr<OutputFile> file, OutputFile::create(path));
  return TimelineIndexWriter(std::move(file));
}

// With `filler` up to a whole word.
void TimelineIndexWriter::append(std::string bytes, char filler) {
  bytes.append((kAlignment - bytes.size() % kAlignment) % kAlignment, filler);
  checksum_ = checksum_after(checksum_, bytes);
  at_ += bytes.size();
  file_->append(bytes);
}

IndexPart TimelineIndexWriter::add(std::string_view bytes, uint64_t count) {
  const IndexPart part{count, at_, bytes.size()};
  append(std::string(bytes), '\0');
  return part;
}

Result<uint64_t> TimelineIndexWriter::finish(const TimelineOutline& outline) {
  const uint64_t start = at_;
  append(json_text(to_outline_json(outline)), ' ');
  const std::array<uint64_t, 2> tail{at_ - start, checksum_};
  file_->append({reinterpret_cast<const char*>(tail.data()), sizeof tail});
  file_->append(kMagic);
  return file_->finish();
}

TimelineIndex::~TimelineIndex() {
  if (!bytes_.empty()) {
    ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
  }
}

Result<std::shared_ptr<const TimelineIndex>> TimelineIndex::open(const fs::path& path) {
  const std::shared_ptr<TimelineIndex> index(new TimelineIndex());
  AACO_TRY(index->load(path));
  return std::shared_ptr<const TimelineIndex>(index);
}

Result<std::span<const char>> TimelineIndex::part(const IndexPart& part, const Error& damaged) const {
  if (part.at % kAlignment != 0 || part.at > bytes_.size() || part.bytes > bytes_.size() - part.at) {
    return damaged;
  }
  return bytes_.subspan(part.at, part.bytes);
}

Result<void> TimelineIndex::load(const fs::path& path) {
  AACO_ASSIGN(bytes_, map_file(path));
  const Error damaged{ErrorKind::kUsage, fmt::format("{}: no index of a timeline, or damaged", path.string()),
                      "remove it: aaco makes it again"};
  if (bytes_.size() < kTailBytes ||
      std::string_view(bytes_.data() + bytes_.size() - kMagic.size(), kMagic.size()) != kMagic) {
    return damaged;
  }
  const size_t end = bytes_.size() - kTailBytes;
  const auto text_bytes = number_at<uint64_t>(bytes_, end);
  const bool is_whole =
      text_bytes <= end && number_at<uint64_t>(bytes_, end + sizeof(uint64_t)) == checksum_after(0, bytes_.first(end));
  (void)::madvise(const_cast<char*>(bytes_.data()), bytes_.size(), MADV_DONTNEED);  // where it fails, it stays resident
  if (!is_whole) {
    return damaged;
  }
  AACO_ASSIGN(const Json json,
              parse_own_json(std::string_view(bytes_.data() + end - text_bytes, text_bytes), path.string()));
  try {
    outline_ = outline_of_json(json);
  } catch (const Json::exception&) {
    return damaged;
  }
  for (const TimelineTrack& track : outline_.tracks) {
    std::vector<SliceLane>& lanes = lanes_.emplace_back();
    for (const IndexPart& lane : track.lanes) {
      AACO_ASSIGN(const std::span<const char> bytes, part(lane, damaged));
      AACO_ASSIGN(lanes.emplace_back(), SliceLane::open(bytes, lane.count));
    }
    AACO_ASSIGN(const std::span<const char> points, part(track.points, damaged));
    AACO_ASSIGN(counters_.emplace_back(), CounterSeries::open(points, track.points.count));
  }
  return load_labels(damaged);
}

Result<void> TimelineIndex::load_labels(const Error& damaged) {
  AACO_ASSIGN(label_bytes_, part(outline_.labels, damaged));
  const uint64_t count = outline_.labels.count;
  const uint64_t names = count * (1 + sizeof(uint32_t));
  if (count > UINT32_MAX || names > label_bytes_.size()) {
    return damaged;
  }
  uint32_t last = 0;
  for (size_t label = 0; label < count; ++label) {
    const auto end = number_at<uint32_t>(label_bytes_, count + label * sizeof(uint32_t));
    if (end < last || category_of(label) >= outline_.categories.size()) {
      return damaged;
    }
    last = end;
  }
  return names + last == label_bytes_.size() ? Result<void>() : damaged;
}

uint8_t TimelineIndex::category_of(size_t label) const {
  return label < labels() ? static_cast<uint8_t>(label_bytes_[label]) : 0;
}

std::string_view TimelineIndex::name_of(size_t label) const {
  if (label >= labels()) {
    return "";
  }
  const size_t ends = labels();
  const size_t start = label == 0 ? 0 : number_at<uint32_t>(label_bytes_, ends + (label - 1) * sizeof(uint32_t));
  const size_t end = number_at<uint32_t>(label_bytes_, ends + label * sizeof(uint32_t));
  return {label_bytes_.data() + labels() * (1 + sizeof(uint32_t)) + start, end - start};
}

}  // namespace aaco::serve
