// SPDX-License-Identifier: MIT
// Collectives between CPU devices against naive ones, on fresh random data; receive buffers are poisoned before.
#include <array>
#include <cstring>
#include <memory>
#include <random>
#include <stdexcept>

#include "device/communicator.h"
#include "device/cpu/collectives/collective_work.h"
#include "device/cpu/test_cpu.h"

namespace aaco {

namespace {

using test_cpu::expect_ok;
using test_cpu::value_of;
using testing::HasSubstr;

constexpr std::array kCollectives = {Collective::kAllReduce, Collective::kReduceScatter, Collective::kAllGather,
                                     Collective::kAllToAll,  Collective::kBroadcast,     Collective::kSendNext};
constexpr std::array kTypes = {Dtype::kF32, Dtype::kF16, Dtype::kBf16, Dtype::kI32};

double read(const std::vector<std::byte>& from, int64_t element, Dtype dtype) {
  const std::byte* data = from.data() + element * size_of(dtype);
  switch (dtype) {
    case Dtype::kF16: {
      Half value;
      std::memcpy(&value, data, sizeof value);
      return to_float(value);
    }
    case Dtype::kBf16: {
      Bfloat16 value;
      std::memcpy(&value, data, sizeof value);
      return to_float(value);
    }
    case Dtype::kI32: {
      int32_t value = 0;
      std::memcpy(&value, data, sizeof value);
      return value;
    }
    default: {
      float value = 0;
      std::memcpy(&value, data, sizeof value);
      return value;
    }
  }
}

// Rounds to the type.
void write(std::vector<std::byte>& to, int64_t element, Dtype dtype, double value) {
  std::byte* data = to.data() + element * size_of(dtype);
  const auto narrow = static_cast<float>(value);
  const Half half = to_half(narrow);
  const Bfloat16 bfloat16 = to_bfloat16(narrow);
  const auto integer = static_cast<int32_t>(value);
  const void* from = dtype == Dtype::kF16    ? static_cast<const void*>(&half)
                     : dtype == Dtype::kBf16 ? static_cast<const void*>(&bfloat16)
                     : dtype == Dtype::kI32  ? static_cast<const void*>(&integer)
                                             : static_cast<const void*>(&narrow);
  std::memcpy(data, from, static_cast<size_t>(size_of(dtype)));
}

struct Case {
  Collective collective = Collective::kAllReduce;
  Dtype dtype = Dtype::kF32;
  int32_t ranks = 1;
  int64_t count = 0;

  int64_t send_count() const {
    return collective == Collective::kReduceScatter || collective == Collective::kAllToAll ? ranks * count : count;
  }
  int64_t receive_count() const {
    return collective == Collective::kAllGather || collective == Collective::kAllToAll ? ranks * count : count;
  }
  std::string text() const {
    return std::string(name_of(collective)) + " of " + std::to_string(count) + " " + name_of(dtype) + " on " +
           std::to_string(ranks) + " ranks";
  }
};

using Buffers = std::vector<std::vector<std::byte>>;

// Integers of so few bits that sums of eight are exact in fp32 and fp16; in bf16 (8 bits) they are rounded, once.
Buffers random_buffers(const Case& test, std::mt19937& random) {
  std::uniform_int_distribution<int> values(-250, 250);
  Buffers buffers;
  for (int32_t rank = 0; rank < test.ranks; ++rank) {
    buffers.emplace_back(static_cast<size_t>(test.send_count() * size_of(test.dtype)));
    for (int64_t i = 0; i < test.send_count(); ++i) {
      write(buffers.back(), i, test.dtype, values(random));
    }
  }
  return buffers;
}

double sum_at(const Case& test, const Buffers& send, int64_t element) {
  double sum = 0;
  for (const auto& buffer : send) {
    sum += read(buffer, element, test.dtype);
  }
  return sum;
}

Buffers naive(const Case& test, const Buffers& send) {
  Buffers expected;
  for (int32_t rank = 0; rank < test.ranks; ++rank) {
    auto& buffer = expected.emplace_back(static_cast<size_t>(test.receive_count() * size_of(test.dtype)));
    for (int64_t i = 0; i < test.receive_count(); ++i) {
      const auto from = static_cast<size_t>(test.count > 0 ? i / test.count : 0);
      const int64_t within = test.count > 0 ? i % test.count : 0;
      double value = 0;
      switch (test.collective) {
        case Collective::kAllReduce:
          value = sum_at(test, send, i);
          break;
        case Collective::kReduceScatter:
          value = sum_at(test, send, rank * test.count + i);
          break;
        case Collective::kAllGather:
          value = read(send[from], within, test.dtype);
          break;
        case Collective::kAllToAll:
          value = read(send[from], rank * test.count + within, test.dtype);
          break;
        case Collective::kBroadcast:
          value = read(send[0], i, test.dtype);
          break;
        case Collective::kSendNext:
          value = read(send[static_cast<size_t>((rank + test.ranks - 1) % test.ranks)], i, test.dtype);
          break;
      }
      write(buffer, i, test.dtype, value);
    }
  }
  return expected;
}

class CpuCommunicatorTest : public test_cpu::CpuTest {
 protected:
  // A device for each rank, a stream on each.
  std::vector<std::unique_ptr<Stream>> rank_streams(int32_t ranks) {
    std::vector<std::unique_ptr<Stream>> streams;
    for (int32_t rank = 0; rank < ranks; ++rank) {
      devices.push_back(std::make_unique<CpuDevice>(shared, static_cast<uint32_t>(rank)));
      streams.push_back(value_of(devices.back()->make_stream(0)));
    }
    return streams;
  }

  static std::vector<CollectivePart> parts_of(const std::vector<std::unique_ptr<Stream>>& streams, Buffers& send,
                                              Buffers& receive) {
    std::vector<CollectivePart> parts;
    for (size_t rank = 0; rank < streams.size(); ++rank) {
      parts.push_back({streams[rank].get(), send[rank].data(), receive[rank].data()});
    }
    return parts;
  }

  std::vector<std::unique_ptr<CpuDevice>> devices;
};

TEST_F(CpuCommunicatorTest, EveryCollectiveOfEveryTypeIsTheNaiveOne) {
  std::random_device seed;
  const unsigned value = seed();
  std::mt19937 random(value);
  for (const int32_t ranks : {1, 2, 3, 8}) {
    const auto streams = rank_streams(ranks);
    const auto communicator = make_cpu_communicator(ranks);
    EXPECT_EQ(communicator->info().ranks, ranks);
    EXPECT_FALSE(communicator->info().emulated);
    for (const Collective collective : kCollectives) {
      for (const Dtype dtype : kTypes) {
        for (const int64_t count : {0, 1, 7, 1024, 5000}) {  // fewer than ranks; pieces of 1024; a remainder
          const Case test{collective, dtype, ranks, count};
          Buffers send = random_buffers(test, random);
          Buffers receive(
              static_cast<size_t>(ranks),
              std::vector<std::byte>(static_cast<size_t>(test.receive_count() * size_of(dtype)), std::byte{0x7f}));
          communicator->enqueue(collective, parts_of(streams, send, receive), count, dtype);
          for (const auto& stream : streams) {
            expect_ok(stream->synchronize());
          }
          EXPECT_EQ(receive, naive(test, send)) << test.text() << ", seed " << value;
        }
      }
    }
  }
}

TEST_F(CpuCommunicatorTest, AllReduceInPlace) {
  const Case test{Collective::kAllReduce, Dtype::kF32, 3, 4000};
  std::mt19937 random(1);
  Buffers data = random_buffers(test, random);
  const Buffers expected = naive(test, data);
  const auto streams = rank_streams(3);
  make_cpu_communicator(3)->enqueue(test.collective, parts_of(streams, data, data), test.count, test.dtype);
  for (const auto& stream : streams) {
    expect_ok(stream->synchronize());
  }
  EXPECT_EQ(data, expected);
}

// 2048 + 1 + 1 in fp16 is 2050; were it rounded at each step, 2048 (spacing 2, ties to even).
TEST_F(CpuCommunicatorTest, SumsOfSixteenBitsAreRoundedOnce) {
  const Case test{Collective::kAllReduce, Dtype::kF16, 3, 1};
  Buffers send(3, std::vector<std::byte>(2));
  write(send[0], 0, Dtype::kF16, 2048);
  write(send[1], 0, Dtype::kF16, 1);
  write(send[2], 0, Dtype::kF16, 1);
  Buffers receive(3, std::vector<std::byte>(2));
  const auto streams = rank_streams(3);
  make_cpu_communicator(3)->enqueue(test.collective, parts_of(streams, send, receive), 1, test.dtype);
  for (const auto& stream : streams) {
    expect_ok(stream->synchronize());
  }
  EXPECT_EQ(read(receive[2], 0, Dtype::kF16), 2050);
}

TEST_F(CpuCommunicatorTest, BeginsWhenAllStreamsHaveComeAndHoldsThemUntilItIsDone) {
  const auto streams = rank_streams(2);
  Buffers send(2, std::vector<std::byte>(4));
  Buffers receive(2, std::vector<std::byte>(4));
  write(send[0], 0, Dtype::kI32, 1);
  uint32_t flag = 0;
  launch_gate(*streams[1], flag);
  launch(*streams[1], [&] { write(send[1], 0, Dtype::kI32, 41); });
  make_cpu_communicator(2)->enqueue(Collective::kAllReduce, parts_of(streams, send, receive), 1, Dtype::kI32);
  int seen = 0;
  launch(*streams[0], [&] { seen = static_cast<int>(read(receive[0], 0, Dtype::kI32)); });
  open(flag);
  expect_ok(streams[0]->synchronize());
  EXPECT_EQ(seen, 42);
  expect_ok(streams[1]->synchronize());
}

TEST_F(CpuCommunicatorTest, ManyOnTwoStreamsOfEachRankInOneOrder) {
  constexpr int32_t kRanks = 3;
  const auto first = rank_streams(kRanks);
  const auto second = rank_streams(kRanks);
  const auto communicator = make_cpu_communicator(kRanks);
  Buffers data(kRanks, std::vector<std::byte>(4));
  Buffers other(kRanks, std::vector<std::byte>(4));
  for (size_t rank = 0; rank < kRanks; ++rank) {
    write(data[rank], 0, Dtype::kI32, 1);
    write(other[rank], 0, Dtype::kI32, 1);
  }
  for (int i = 0; i < 12; ++i) {
    communicator->enqueue(Collective::kAllReduce, parts_of(first, data, data), 1, Dtype::kI32);
    communicator->enqueue(Collective::kAllReduce, parts_of(second, other, other), 1, Dtype::kI32);
  }
  for (size_t rank = 0; rank < kRanks; ++rank) {
    expect_ok(first[rank]->synchronize());
    expect_ok(second[rank]->synchronize());
    EXPECT_EQ(read(data[rank], 0, Dtype::kI32), 531441);  // 3^12
    EXPECT_EQ(read(other[rank], 0, Dtype::kI32), 531441);
  }
}

TEST_F(CpuCommunicatorTest, CollectivesAreCaptured) {
  const auto streams = rank_streams(2);
  const auto communicator = make_cpu_communicator(2);
  const auto mark = event();
  Buffers data(2, std::vector<std::byte>(4));
  write(data[0], 0, Dtype::kI32, 1);
  write(data[1], 0, Dtype::kI32, 1);
  streams[0]->begin_capture();
  streams[0]->record(*mark);
  streams[1]->wait(*mark);
  communicator->enqueue(Collective::kAllReduce, parts_of(streams, data, data), 1, Dtype::kI32);
  streams[1]->record(*mark);
  streams[0]->wait(*mark);
  const auto graph = value_of(streams[0]->end_capture());
  ASSERT_NE(graph, nullptr);
  for (int i = 0; i < 10; ++i) {
    streams[0]->launch(*graph);
  }
  expect_ok(streams[0]->synchronize());
  EXPECT_EQ(read(data[1], 0, Dtype::kI32), 1024);
}

TEST_F(CpuCommunicatorTest, ARankThatFailedBeforeFailsTheOthersAndHangsNobody) {
  const auto streams = rank_streams(3);
  Buffers data(3, std::vector<std::byte>(4));
  launch(*streams[1], [] { throw std::runtime_error("no more"); });
  make_cpu_communicator(3)->enqueue(Collective::kAllReduce, parts_of(streams, data, data), 1, Dtype::kI32);
  EXPECT_THAT(streams[0]->synchronize().error().message, HasSubstr("rank 1 failed before it"));
  EXPECT_THAT(streams[2]->synchronize().error().message, HasSubstr("no more"));
}

TEST_F(CpuCommunicatorTest, WhatMakesNoSenseFailsTheStreams) {
  std::byte data[4] = {};
  const auto communicator = make_cpu_communicator(2);
  const auto first = stream();
  const auto two = stream();
  const std::array<CollectivePart, 2> twice = {CollectivePart{first.get(), data, data},
                                               CollectivePart{first.get(), data, data}};
  communicator->enqueue(Collective::kBroadcast, twice, 1, Dtype::kF32);
  EXPECT_THAT(first->synchronize().error().message, HasSubstr("one stream for two ranks"));
  const std::array<CollectivePart, 1> alone = {CollectivePart{two.get(), data, data}};
  communicator->enqueue(Collective::kBroadcast, alone, 1, Dtype::kF32);
  EXPECT_THAT(two->synchronize().error().message, HasSubstr("1 parts for 2 ranks"));
}

}  // namespace

}  // namespace aaco
