// SPDX-License-Identifier: MIT
// Which stream a record is put down to.
#include "engine/activity/stream_numbers.h"

#include <gtest/gtest.h>

#include "record/device/activity_table.h"

namespace aaco {
namespace {

Error none() { return {ErrorKind::kUnavailable, "only a name", ""}; }

// A stream by name alone.
class NamedStream : public Stream {
 public:
  explicit NamedStream(uint64_t id) : id_(id) {}
  void launch(OpId, const void*) override {}
  void copy(void*, const void*, size_t) override {}
  void set(void*, int, size_t) override {}
  void record(Event&) override {}
  void wait(Event&) override {}
  void launch(Graph&) override {}
  void begin_capture() override {}
  Result<std::unique_ptr<Graph>> end_capture() override { return none(); }
  Result<void> synchronize() override { return {}; }
  int priority() const override { return 0; }
  uint64_t native_id() const override { return id_; }

 private:
  uint64_t id_;
};

class NamedDevice : public Device {
 public:
  explicit NamedDevice(std::string id) { properties_.id = std::move(id); }
  const DeviceProperties& properties() const override { return properties_; }
  Result<std::unique_ptr<Buffer>> allocate(size_t, MemoryKind) override { return none(); }
  Result<std::unique_ptr<Stream>> make_stream(int) override { return none(); }
  Result<std::unique_ptr<Event>> make_event(bool) override { return none(); }
  Result<double> elapsed_ns(Event&, Event&) override { return none(); }
  Result<void> synchronize() override { return {}; }
  MemoryUse memory_use() const override { return {}; }
  void reset_peak() override {}
  Result<void> enable_peer(Device&) override { return {}; }

 private:
  DeviceProperties properties_;
};

// Ids are unique on a device only: here both devices have a stream 13, and the second a stream of its own besides.
TEST(StreamNumbers, StreamsOfTwoDevicesMayHaveTheSameId) {
  NamedDevice first("cuda:0");
  NamedDevice second("cuda:12");
  NamedStream of_first(13);
  NamedStream of_second(13);
  ProgramTarget target;
  target.streams = {&of_first, &of_second};
  target.devices = {&first, &second};
  ActivityTable sink;
  std::vector<ActivityRecord> records(3);
  records[1].device = 12;
  records[0].stream = records[1].stream = 13;
  records[2].device = 12;
  records[2].stream = 99;
  records[0].name = records[1].name = records[2].name = sink.intern("kernel");
  sink.push(records);
  EventTable events = sink.take();
  EXPECT_EQ(stream_numbers(events, target), (std::vector<std::optional<int32_t>>{0, 1, std::nullopt}));
  name_recording(events, target, "test");
  EXPECT_EQ(events.recordings.front().name, "test");
  const auto stream_of = [&](size_t row) { return events.tracks[events.track[row]].stream; };
  ASSERT_EQ(events.tracks.size(), 3U);
  EXPECT_EQ(stream_of(0), 0);
  EXPECT_EQ(stream_of(1), 1);
  EXPECT_EQ(stream_of(2), 99) << "none of the workload's: its own number";
  EXPECT_EQ(events.strings[events.tracks[1].thread_name], "stream 1");
}

}  // namespace
}  // namespace aaco
