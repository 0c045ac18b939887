// SPDX-License-Identifier: MIT
#include "ingest/perfetto/perfetto.h"

#include <bit>
#include <gtest/gtest.h>
#include <string>
#include <zlib.h>

namespace aaco {
namespace {

// Messages by hand: a field is its number, its type and its value.
std::string varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) {
    bytes += static_cast<char>(value | 0x80);
  }
  return bytes + static_cast<char>(value);
}
std::string number(uint64_t field, uint64_t value) { return varint(field << 3) + varint(value); }
std::string fixed(uint64_t field, uint64_t value) {
  std::string bytes = varint(field << 3 | 1);
  for (int i = 0; i < 8; ++i) {
    bytes += static_cast<char>(value >> (8 * i));
  }
  return bytes;
}
std::string text(uint64_t field, const std::string& value) {
  return varint(field << 3 | 2) + varint(value.size()) + value;
}
std::string packet(const std::string& fields, uint64_t sequence = 1) { return text(1, fields + number(10, sequence)); }

enum Type : uint8_t { kBegin = 1, kEnd = 2, kInstant = 3, kCounter = 4 };

std::string event(uint64_t time, Type type, uint64_t track, const std::string& more = "") {
  return number(8, time) + text(11, number(9, type) + number(11, track) + more);
}

std::string annotation(const std::string& name, const std::string& value) { return text(4, text(10, name) + value); }

std::string track(uint64_t uuid, const std::string& fields) { return packet(text(60, number(1, uuid) + fields)); }

EventTable read(const std::string& bytes, size_t window_bytes = size_t{1} << 20) {
  const auto source = bytes_of(bytes);
  EventTable table;
  const auto done = read_perfetto({"t.pftrace", "t.pftrace", *source}, table, window_bytes);
  EXPECT_TRUE(done) << done.error().message;
  return table;
}

std::string kernel(uint64_t start, uint64_t end) {
  return packet(event(start, kBegin, 70,
                      text(23, "k") + text(22, "kernel_dispatch") + annotation("agent", text(6, "GPU-4")) +
                          annotation("queue", number(3, 2)) + annotation("corr_id", number(3, 101)))) +
         packet(event(end, kEnd, 70, text(22, "kernel_dispatch")));
}

TEST(Perfetto, AKernelHasItsTimesIdsAndPlace) {
  const std::string bytes = track(70, text(2, "COMPUTE GPU [4] QUEUE [2]")) + kernel(100'001, 102'501);
  EXPECT_TRUE(is_perfetto(bytes));
  const EventTable table = read(bytes);
  ASSERT_EQ(table.size(), 1);
  EXPECT_EQ(table.start_ns[0], 100'001);
  EXPECT_EQ(table.duration_ns[0], 2'500);
  EXPECT_EQ(table.kind[0], EventKind::kKernel);
  EXPECT_EQ(table.strings[table.name[0]], "k");
  EXPECT_EQ(table.correlation[0], 101);
  const Track& row = table.tracks[table.track[0]];
  EXPECT_EQ(row.device, 4);
  EXPECT_EQ(row.stream, 2);
  EXPECT_EQ(table.strings[row.thread_name], "COMPUTE GPU [4] QUEUE [2]");
  EXPECT_TRUE(table.losses.entries().empty());
}

// As PyTorch's profiler names them, in traces that were made of its own.
TEST(Perfetto, IdsOfPyTorch) {
  EventTable table = read(
      packet(event(100, kBegin, 70,
                   text(23, "k") + text(22, "kernel") + annotation("device", number(4, 2)) +
                       annotation("agent", text(6, "GPU-4")) + annotation("stream", number(4, 7)) +
                       annotation("rank", number(4, 3)) + annotation("External id", number(4, 44)) +
                       annotation("dims", text(9, "[[1, 2]]")) + annotation("text", text(9, "[1")) + number(52, 9))) +
      packet(event(105, kEnd, 70)));
  ASSERT_EQ(table.size(), 1);
  EXPECT_EQ(table.correlation[0], 9);
  EXPECT_EQ(table.external_id[0], 44);
  const Track& row = table.tracks[table.track[0]];
  EXPECT_EQ(row.device, 2);
  EXPECT_EQ(row.stream, 7);
  EXPECT_EQ(row.rank, 3);
  EXPECT_EQ(table.arguments.find(0, table.strings.intern("dims"))->type, ArgumentType::kJson);
  EXPECT_EQ(table.arguments.find(0, table.strings.intern("text"))->type, ArgumentType::kText);
}

// Kernels of one queue may overlap: the file has each end behind its own begin, whatever the times.
TEST(Perfetto, SlicesPairInTheOrderOfTheFile) {
  const EventTable table = read(kernel(10, 50) + kernel(30, 60));
  ASSERT_EQ(table.size(), 2);
  EXPECT_EQ(table.duration_ns[0], 40);
  EXPECT_EQ(table.duration_ns[1], 30);
}

TEST(Perfetto, AWritersOwnBeginCountsFirst) {
  const EventTable table =
      read(packet(event(1, kBegin, 7, text(23, "a")), 1) + packet(event(2, kBegin, 7, text(23, "b")), 2) +
           packet(event(9, kEnd, 7), 1) + packet(event(10, kEnd, 7), 3) + packet(event(11, kEnd, 7), 3) +
           packet(event(12, kBegin, 7, text(23, "open")), 3));
  ASSERT_EQ(table.size(), 3);
  EXPECT_EQ(table.duration_ns[0], 8);
  EXPECT_EQ(table.duration_ns[1], 8);
  EXPECT_EQ(table.shape[2], EventShape::kInstant);
  EXPECT_EQ(table.losses.count(Loss::kUnmatchedBegin), 2);
}

TEST(Perfetto, TracksAreNamedByWhatTheyBelongTo) {
  const EventTable table =
      read(packet(event(1, kInstant, 3, text(23, "i"))) + track(1, text(3, number(1, 908) + text(6, "python"))) +
           track(2, number(5, 1) + text(4, number(1, 908) + number(2, 973) + text(5, "main"))) +
           track(3, number(5, 2) + text(2, "inner")) + track(8, number(5, 9)) + track(9, number(5, 8)) +
           packet(event(1, kInstant, 2)) + packet(event(1, kInstant, 9)));
  const Track& inner = table.tracks[table.track[0]];
  EXPECT_EQ(table.strings[inner.process], "908");
  EXPECT_EQ(table.strings[inner.process_name], "python");
  EXPECT_EQ(table.strings[inner.thread_name], "inner");
  const Track& main = table.tracks[table.track[1]];
  EXPECT_EQ(table.strings[main.thread], "973");
  EXPECT_EQ(table.strings[main.thread_name], "main");
  EXPECT_EQ(table.tracks.size(), 3);
}

TEST(Perfetto, InternedTextsHoldUntilTheWriterBeginsAnew) {
  const std::string names =
      text(12, text(1, number(1, 5) + text(2, "hip_api")) + text(2, number(1, 6) + text(2, "hipMalloc")) +
                   text(3, number(1, 7) + text(2, "size")) + text(29, number(1, 8) + text(2, "big")));
  const std::string call = number(3, 5) + number(10, 6) + text(4, number(1, 7) + number(17, 8));
  EventTable table = read(packet(names + number(13, 1)) + packet(event(1, kInstant, 1, call) + number(13, 2)) +
                          packet(event(2, kInstant, 1, call) + number(13, 2), 9) +  // another writer's
                          packet(number(41, 1)) + packet(event(3, kInstant, 1, call) + number(13, 2)));
  ASSERT_EQ(table.size(), 2);
  EXPECT_EQ(table.strings[table.name[0]], "hipMalloc");
  EXPECT_EQ(table.kind[0], EventKind::kHostCall);
  EXPECT_EQ(table.text_of(*table.arguments.find(0, table.strings.intern("size"))), "big");
  EXPECT_EQ(table.strings[table.name[1]], "text 6");
  EXPECT_EQ(table.losses.count(Loss::kUnknownName), 4);
  EXPECT_EQ(table.losses.count(Loss::kDropped), 1);
}

TEST(Perfetto, WhatTheServiceDroppedIsALoss) {
  const std::string clean = event(1, kInstant, 1) + number(13, 2);
  const EventTable table = read(packet(number(13, 1) + number(42, 1)) + packet(clean) + packet(clean + number(42, 1)) +
                                packet(clean) + packet(number(13, 3) + event(2, kInstant, 1)));
  EXPECT_EQ(table.size(), 2);
  EXPECT_EQ(table.losses.count(Loss::kDropped), 3);  // the gap, and the two events behind it
}

TEST(Perfetto, ClocksAreTiedByTheirSnapshots) {
  const std::string snapshot =
      text(6, text(1, number(1, 6) + number(2, 1'000'000)) + text(1, number(1, 3) + number(2, 400'000)) +
                  text(1, number(1, 64) + number(2, 900) + number(3, 1) + number(4, 1000)));
  const std::string defaults = text(59, number(58, 64) + text(11, number(11, 42)));
  const auto at = [](uint64_t time, const std::string& clock) {
    return packet(number(8, time) + clock + text(11, number(9, kInstant)));
  };
  const EventTable table = read(packet(snapshot + defaults) + at(1'000'050, number(58, 6)) +
                                at(400'070, number(58, 3)) + at(2, "") + at(3, number(58, 64)) + at(4, number(58, 70)));
  ASSERT_EQ(table.size(), 4);
  EXPECT_EQ(table.start_ns[0], 1'000'050);
  EXPECT_EQ(table.start_ns[1], 1'000'070);
  EXPECT_EQ(table.start_ns[2], 1'002'000);
  EXPECT_EQ(table.start_ns[3], 1'005'000);
  EXPECT_EQ(table.losses.count(Loss::kNoTime), 1);
}

// As the SDK writes them: descriptors have a time too, and the events behind count on from it.
TEST(Perfetto, TimesOfOtherPacketsMoveAClockOfDifferences) {
  const std::string snapshot =
      text(6, text(1, number(1, 6) + number(2, 1'000'000)) + text(1, number(1, 64) + number(2, 900) + number(3, 1)));
  const std::string defaults = text(59, number(58, 64) + text(11, number(11, 42)));
  const auto at = [](uint64_t time, const std::string& content) { return packet(number(8, time) + content); };
  const std::string instant = text(11, number(9, kInstant));
  const EventTable table = read(packet(snapshot + defaults) + at(10, text(60, number(1, 42) + text(2, "main"))) +
                                at(5, instant) + at(20, text(1, "ftrace")) + at(30, text(11, "\x07")) + at(1, instant) +
                                at(7, number(58, 70) + text(60, number(1, 43))));
  ASSERT_EQ(table.size(), 2);
  EXPECT_EQ(table.start_ns[0], 1'000'015);
  EXPECT_EQ(table.start_ns[1], 1'000'066);
  EXPECT_EQ(table.losses.count(Loss::kMalformedEvent), 1);
  EXPECT_EQ(table.losses.count(Loss::kNoTime), 0);
}

TEST(Perfetto, CountersHaveValuesAndUnits) {
  EventTable table =
      read(packet(event(1, kCounter, 5, number(30, 7))) +
           track(5, text(2, "BYTES") + text(8, number(3, 3) + number(4, 1024))) +
           packet(event(2, kCounter, 5, number(30, 7))) +
           packet(event(3, kCounter, 6, fixed(44, std::bit_cast<uint64_t>(1.5)))) + track(6, text(8, number(5, 1))) +
           packet(event(4, kInstant, 1,
                        number(31, 6) + number(12, 10) + number(45, 5) + fixed(46, std::bit_cast<uint64_t>(2.5)))) +
           packet(event(5, kInstant, 1, text(31, varint(6)) + text(12, varint(5)))));
  ASSERT_EQ(table.size(), 8);
  const auto value = [&](size_t i) { return table.arguments.find(i, table.strings.intern("value")); };
  EXPECT_EQ(table.shape[0], EventShape::kCounter);
  EXPECT_EQ(table.strings[table.name[0]], "BYTES");
  EXPECT_EQ(value(0)->bits, 7);
  EXPECT_EQ(value(1)->bits, 7 * 1024);
  EXPECT_EQ(table.text_of(*table.arguments.find(1, table.strings.intern("unit"))), "bytes");
  EXPECT_EQ(std::bit_cast<double>(value(2)->bits), 1.5);
  EXPECT_EQ(value(4)->bits, 10);
  EXPECT_EQ(std::bit_cast<double>(value(5)->bits), 2.5);
  EXPECT_EQ(value(7)->bits, 15);  // a difference
}

TEST(Perfetto, FlowsJoinEventsAcrossTracks) {
  const EventTable table =
      read(packet(event(1, kBegin, 1, fixed(47, 77))) + packet(event(2, kEnd, 1)) +
           packet(event(3, kInstant, 2, fixed(47, 77))) + packet(event(4, kInstant, 3, fixed(48, 77))));
  ASSERT_EQ(table.size(), 6);
  EXPECT_EQ(table.shape[1], EventShape::kFlowStart);
  EXPECT_EQ(table.shape[3], EventShape::kFlowStep);
  EXPECT_EQ(table.shape[5], EventShape::kFlowEnd);
  EXPECT_EQ(table.correlation[5], 77);
  EXPECT_EQ(table.track[5], table.track[4]);
}

TEST(Perfetto, AFlowOfACounterIsOnItsTrack) {
  const EventTable table =
      read(packet(event(1, kInstant, 1)) + packet(event(2, kCounter, 5, number(30, 7) + fixed(47, 77))) +
           packet(event(3, kCounter, 6, fixed(47, 78))));  // without a value
  ASSERT_EQ(table.size(), 4);
  EXPECT_EQ(table.shape[2], EventShape::kFlowStart);
  EXPECT_EQ(table.track[2], table.track[1]);
  EXPECT_NE(table.track[2], table.track[0]);
  EXPECT_EQ(table.track[3], 2);
  EXPECT_EQ(table.tracks.size(), 3);
}

TEST(Perfetto, AnnotationsKeepTheirTypes) {
  const std::string nested = text(11, text(10, "list") + text(12, number(4, 1)) + text(12, text(6, "a\"\xFF")));
  EventTable table = read(packet(event(1, kInstant, 1,
                                       annotation("bool", number(2, 1)) + annotation("large", number(3, UINT64_MAX)) +
                                           annotation("minus", number(4, static_cast<uint64_t>(-5))) +
                                           annotation("real", fixed(5, std::bit_cast<uint64_t>(0.25))) +
                                           annotation("pointer", number(7, 255)) + annotation("nested", nested))));
  const auto find = [&](const char* key) { return *table.arguments.find(0, table.strings.intern(key)); };
  EXPECT_EQ(find("bool").type, ArgumentType::kTrue);
  EXPECT_EQ(table.text_of(find("large")), "18446744073709551615");
  EXPECT_EQ(static_cast<int64_t>(find("minus").bits), -5);
  EXPECT_EQ(std::bit_cast<double>(find("real").bits), 0.25);
  EXPECT_EQ(table.text_of(find("pointer")), "0xff");
  EXPECT_EQ(find("nested").type, ArgumentType::kJson);
  EXPECT_EQ(table.text_of(find("nested")), "{\"list\":[1,\"a\\\"\xEF\xBF\xBD\"]}");
}

TEST(Perfetto, WhatIsNotReadIsCounted) {
  const EventTable table = read(packet(text(1, "ftrace")) + packet(text(33, "config")) + text(9, "of the trace") +
                                packet(event(1, kInstant, 1, text(21, "log"))) + text(1, "\x07") +
                                packet(event(1, static_cast<Type>(0), 1)) + packet(text(11, number(9, kInstant))));
  EXPECT_EQ(table.losses.count(Loss::kUnknownRecord), 3);
  EXPECT_EQ(table.losses.count(Loss::kMalformedEvent), 1);
  EXPECT_EQ(table.losses.count(Loss::kUnknownPhase), 1);
  EXPECT_EQ(table.losses.count(Loss::kNoTime), 1);
  EXPECT_EQ(table.size(), 2);
}

TEST(Perfetto, CompressedPacketsAreRead) {
  const std::string plain = kernel(10, 50) + kernel(60, 70);
  std::string squeezed(compressBound(plain.size()), '\0');
  uLongf size = squeezed.size();
  ASSERT_EQ(compress(reinterpret_cast<Bytef*>(squeezed.data()), &size, reinterpret_cast<const Bytef*>(plain.data()),
                     plain.size()),
            Z_OK);
  squeezed.resize(size);
  EXPECT_EQ(read(packet(text(50, squeezed))).size(), 2);
  EXPECT_EQ(read(packet(text(50, squeezed.substr(0, size - 3)))).losses.count(Loss::kMalformedEvent), 1);
  EXPECT_EQ(read(packet(text(50, "no stream"))).losses.count(Loss::kMalformedEvent), 1);
}

// Cut anywhere, and read in windows of any size.
TEST(Perfetto, ATruncatedFileLoadsWhatIsWhole) {
  const std::string bytes = track(70, text(2, "queue")) + kernel(10, 50) + kernel(60, 70);
  const size_t first = track(70, text(2, "queue")).size();
  for (size_t size = 1; size < bytes.size(); ++size) {
    const std::string cut = bytes.substr(0, size);
    const auto source = bytes_of(cut);
    EventTable table;
    const auto done = read_perfetto({"t", "t", *source}, table, 1 + size % 40);
    ASSERT_EQ(bool(done), size >= first) << size;
    if (done) {
      const bool between =
          size == first || size == first + kernel(10, 50).size() || table.losses.count(Loss::kUnmatchedBegin) == 1;
      EXPECT_TRUE(table.losses.count(Loss::kTruncated) == 1 || between) << size;
    }
  }
}

TEST(Perfetto, IsKnownByItsFirstPacket) {
  EXPECT_FALSE(is_perfetto(""));
  EXPECT_FALSE(is_perfetto("\n{\"traceEvents\": []}"));
  EXPECT_FALSE(is_perfetto("\nKernel_Name,Start_Timestamp\n"));
  EXPECT_FALSE(is_perfetto(text(1, text(2, "a plane") + text(3, "lines"))));
  EXPECT_TRUE(is_perfetto(packet(text(33, std::string(100'000, 'x'))).substr(0, 65'536)));
}

// Planes of XLA's .xplane.pb: their fields have numbers that a packet's have too, and one of those, the lines (3), is a
// message where a packet's is a number.
TEST(Perfetto, OtherMessagesOfTheSameShapeAreRefused) {
  const std::string planes = text(1, text(2, "/device:GPU:0")) + text(1, text(2, "/host:CPU") + text(4, "an event")) +
                             text(1, text(2, "/host:python") + text(3, "a line"));
  EXPECT_TRUE(is_perfetto(planes));
  const auto source = bytes_of(planes);
  EventTable table;
  const auto done = read_perfetto({"t", "t.xplane.pb", *source}, table);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, ErrorKind::kUsage);
}

}  // namespace
}  // namespace aaco
