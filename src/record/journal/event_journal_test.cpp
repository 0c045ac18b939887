// SPDX-License-Identifier: MIT
#include "record/journal/event_journal.h"

#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <string>

#include "base/files/file.h"
#include "base/json/json.h"
#include "base/test_folder.h"

namespace aaco {
namespace {

constexpr size_t kHeader = 4096;
constexpr size_t kStride = 56;  // a record and its seal

Argument text(EventTable& events, std::string_view key, std::string_view value) {
  return {events.strings.intern(key), ArgumentType::kText, events.strings.intern(value)};
}
Argument integer(EventTable& events, std::string_view key, int64_t value) {
  return {events.strings.intern(key), ArgumentType::kInteger, static_cast<uint64_t>(value)};
}

// Two recordings, three tracks, each kind of member set somewhere.
EventTable sample() {
  EventTable events;
  events.recordings = {{"rank_0.json", "chrome"}, {"a name that takes more than one record of forty bytes", "aaco"}};
  Track stream;
  stream.process = events.strings.intern("device 0");
  stream.thread = events.strings.intern("stream 7");
  stream.thread_name = stream.thread;
  stream.rank = 3;
  stream.device = 0;
  stream.stream = 7;
  stream.recording = 1;
  events.tracks = {Track(), stream, Track()};
  events.tracks[2].process_name = events.strings.intern("python");
  events.metadata = {{1, events.strings.intern("device"), events.strings.intern("{\"name\": \"H100\"}")}};
  TraceEvent kernel;
  kernel.start_ns = -5;
  kernel.duration_ns = 250;
  kernel.correlation = 77;
  kernel.external_id = 78;
  kernel.name = events.strings.intern("gemm");
  kernel.category = events.strings.intern("kernel");
  kernel.track = 1;
  kernel.kind = EventKind::kKernel;
  events.add(kernel, std::vector<Argument>{integer(events, "grid", -3), text(events, "stream", "7"),
                                           integer(events, "bytes", 4096), text(events, "dtype", "")});
  TraceEvent mark;
  mark.shape = EventShape::kUntimed;
  mark.name = kernel.name;
  events.add(mark, {});
  events.losses.add(Loss::kDropped, uint64_t{41});
  events.losses.add(Loss::kNoTime, [] { return "line 3"; });
  events.losses.add(Loss::kNoTime, uint64_t{2});
  events.losses.add_device_time(Loss::kNoTime, 900);
  return events;
}

void expect_equal_event(const EventTable& a, const EventTable& b, size_t i) {
  EXPECT_EQ(a.start_ns[i], b.start_ns[i]);
  EXPECT_EQ(a.duration_ns[i], b.duration_ns[i]);
  EXPECT_EQ(a.correlation[i], b.correlation[i]);
  EXPECT_EQ(a.external_id[i], b.external_id[i]);
  EXPECT_EQ(a.strings[a.name[i]], b.strings[b.name[i]]);
  EXPECT_EQ(a.strings[a.category[i]], b.strings[b.category[i]]);
  EXPECT_EQ(a.track[i], b.track[i]);
  EXPECT_EQ(a.kind[i], b.kind[i]);
  EXPECT_EQ(a.shape[i], b.shape[i]);
  const size_t first = a.arguments.begin(i);
  ASSERT_EQ(a.arguments.end(i) - first, b.arguments.end(i) - b.arguments.begin(i));
  for (size_t at = 0; first + at < a.arguments.end(i); ++at) {
    const Argument mine = a.arguments[first + at];
    const Argument other = b.arguments[b.arguments.begin(i) + at];
    EXPECT_EQ(a.strings[mine.key], b.strings[other.key]);
    EXPECT_EQ(mine.type, other.type);
    if (mine.type == ArgumentType::kText) {
      EXPECT_EQ(a.text_of(mine), b.text_of(other));
    } else {
      EXPECT_EQ(mine.bits, other.bits);
    }
  }
}

// `b` may have more.
void expect_prefix(const EventTable& a, const EventTable& b) {
  ASSERT_LE(a.recordings.size(), b.recordings.size());
  for (size_t i = 0; i < a.recordings.size(); ++i) {
    EXPECT_EQ(a.recordings[i].name, b.recordings[i].name);
    EXPECT_EQ(a.recordings[i].format, b.recordings[i].format);
  }
  ASSERT_LE(a.tracks.size(), b.tracks.size());
  for (size_t i = 0; i < a.tracks.size(); ++i) {
    const Track& mine = a.tracks[i];
    const Track& other = b.tracks[i];
    EXPECT_EQ(a.strings[mine.process], b.strings[other.process]);
    EXPECT_EQ(a.strings[mine.thread], b.strings[other.thread]);
    EXPECT_EQ(a.strings[mine.process_name], b.strings[other.process_name]);
    EXPECT_EQ(a.strings[mine.thread_name], b.strings[other.thread_name]);
    EXPECT_EQ(std::tie(mine.rank, mine.device, mine.stream, mine.recording),
              std::tie(other.rank, other.device, other.stream, other.recording));
  }
  ASSERT_LE(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    expect_equal_event(a, b, i);
  }
}

TEST(EventJournal, a_table_comes_back) {
  const TestFolder folder;
  const EventTable written = sample();
  ASSERT_TRUE(write_event_journal(folder.path() / "e.jrn", written));
  bool torn = true;
  const Result<EventTable> read = read_event_journal(folder.path() / "e.jrn", &torn);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_FALSE(torn);
  ASSERT_EQ(read->size(), 2U);
  ASSERT_EQ(read->tracks.size(), 3U);
  ASSERT_EQ(read->recordings.size(), 2U);
  expect_prefix(written, *read);
  ASSERT_EQ(read->metadata.size(), 1U);
  EXPECT_EQ(read->metadata[0].recording, 1U);
  EXPECT_EQ(read->strings[read->metadata[0].key], "device");
  EXPECT_EQ(read->strings[read->metadata[0].value], "{\"name\": \"H100\"}");
  ASSERT_EQ(read->losses.entries().size(), 2U);
  for (const LossTable::Entry& entry : read->losses.entries()) {
    EXPECT_EQ(entry.count, entry.loss == Loss::kDropped ? 41U : 3U);
    EXPECT_EQ(entry.example, entry.loss == Loss::kDropped ? "" : "line 3");
    EXPECT_EQ(entry.device_time_ns, entry.loss == Loss::kDropped ? std::nullopt : std::optional<int64_t>(900));
  }
}

TEST(EventJournal, a_reader_follows_a_writer) {
  const TestFolder folder;
  auto writer = EventJournalWriter::create(folder.path() / "e.jrn");
  ASSERT_TRUE(writer);
  auto reader = EventJournalReader::open(folder.path() / "e.jrn");
  ASSERT_TRUE(reader);
  EventTable events;
  ASSERT_TRUE(reader->read(events));
  EXPECT_EQ(events.size(), 0U);
  Track track;
  track.recording = writer->add_recording({"live", "aaco"});
  TraceEvent event;
  event.track = writer->add_track(track);
  for (int64_t i = 0; i < 30'000; ++i) {  // over one piece of the file, and several readings of the reader
    event.start_ns = i;
    event.name = writer->intern("kernel " + std::to_string(i % 7));
    ASSERT_TRUE(writer->add(event));
    if (i % 10'000 == 9'999) {
      ASSERT_TRUE(reader->read(events));
      ASSERT_EQ(events.size(), static_cast<size_t>(i + 1));
      EXPECT_FALSE(*reader->torn());
    }
  }
  for (size_t i = 0; i < events.size(); ++i) {
    ASSERT_EQ(events.start_ns[i], static_cast<int64_t>(i));
    ASSERT_EQ(events.strings[events.name[i]], "kernel " + std::to_string(i % 7));
  }
  ASSERT_TRUE(writer->close());
}

// What a kill leaves at any moment: whole events, none with half of its arguments.
TEST(EventJournal, every_truncation_yields_a_prefix) {
  const TestFolder folder;
  const EventTable written = sample();
  ASSERT_TRUE(write_event_journal(folder.path() / "e.jrn", written));
  const std::string whole = *read_file(folder.path() / "e.jrn");
  size_t most = 0;
  for (size_t size = kHeader; size < whole.size(); size += 7) {
    std::ofstream(folder.path() / "cut.jrn", std::ios::binary) << whole.substr(0, size);
    bool torn = false;
    const Result<EventTable> read = read_event_journal(folder.path() / "cut.jrn", &torn);
    ASSERT_TRUE(read) << size << ": " << read.error().message;
    EXPECT_EQ(torn, (size - kHeader) % kStride != 0) << size;
    expect_prefix(*read, written);
    EXPECT_GE(read->size(), most);
    most = read->size();
  }
  EXPECT_EQ(most, 2U);
}

// Records with good seals that no writer writes: numbers that are not there, kinds that do not exist.
TEST(EventJournal, records_that_no_writer_writes_are_refused) {
  using Words = std::array<uint64_t, 6>;
  constexpr uint64_t kBig = uint64_t{9} << 32;
  for (const Words& bad : std::vector<Words>{
           {0},                                               // no kind
           {8},                                               // likewise
           {1, 0},                                            // an empty piece of a text
           {1 | (uint64_t{41} << 16)},                        // a piece that is longer than a record
           {2, 9},                                            // a recording named by a text that is not there
           {3 | kBig},                                        // a track of a recording that is not there
           {4 | kBig},                                        // metadata likewise
           {5, 1, 0},                                         // a loss without a name
           {6 | (uint64_t{4} << 8)},                          // four arguments in a record
           {6 | (uint64_t{1} << 8) | (uint64_t{200} << 16)},  // of a type that is not there
           {6 | (uint64_t{1} << 8), 9},                       // with a key that is not there
           {7 | kBig},                                        // an event on a track that is not there
           {7 | (uint64_t{99} << 8)},                         // of a kind that is not there
           {7 | (uint64_t{99} << 16)},                        // of a shape that is not there
           {7, 0, 0, 0, 0, 9},                                // with a name that is not there
       }) {
    const TestFolder folder;
    auto writer = JournalWriter::create(folder.path() / "e.jrn", sizeof(Words), Json{{"rows", "events"}});
    ASSERT_TRUE(writer);
    ASSERT_TRUE(writer->append(Words{2}) && writer->append(Words{3}));  // a recording and its track
    ASSERT_TRUE(writer->append(bad));
    ASSERT_TRUE(writer->close());
    const Result<EventTable> read = read_event_journal(folder.path() / "e.jrn");
    EXPECT_FALSE(read) << bad[0] << " " << bad[1];
  }
}

TEST(EventJournal, another_journal_is_refused) {
  const TestFolder folder;
  ASSERT_TRUE(JournalWriter::create(folder.path() / "e.jrn", 48, Json{{"rows", "scalars"}})->close());
  EXPECT_FALSE(EventJournalReader::open(folder.path() / "e.jrn"));
  EXPECT_FALSE(EventJournalReader::open(folder.path() / "none.jrn"));
}

}  // namespace
}  // namespace aaco
