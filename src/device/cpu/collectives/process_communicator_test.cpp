// SPDX-License-Identifier: MIT
// Ranks that join by an id give what ranks of one process give, bit by bit; here each is a thread (processes:
// tests/ranks).
#include <array>
#include <cstring>
#include <random>
#include <thread>

#include "device/communicator.h"
#include "device/cpu/collectives/rank_link.h"
#include "device/cpu/test_cpu.h"

namespace aaco {

namespace {

using test_cpu::expect_ok;
using test_cpu::value_of;
using testing::HasSubstr;

constexpr int32_t kRanks = 3;
constexpr int64_t kCount = 500;
using Buffers = std::vector<std::vector<std::byte>>;

class ProcessCommunicatorTest : public test_cpu::CpuTest {
 protected:
  ProcessCommunicatorTest() {
    for (uint32_t rank = 0; rank < kRanks; ++rank) {
      devices.push_back(std::make_unique<CpuDevice>(shared, rank));
      streams.push_back(value_of(devices.back()->make_stream(0)));
    }
    const RankId id = make_cpu_rank_id();
    communicators.resize(kRanks);
    std::vector<std::thread> joining;
    for (int32_t rank = 0; rank < kRanks; ++rank) {
      joining.emplace_back(
          [&, rank] { communicators[static_cast<size_t>(rank)] = value_of(join_cpu_communicator(id, rank, kRanks)); });
    }
    for (std::thread& thread : joining) {
      thread.join();
    }
  }

  void enqueue(size_t rank, Collective collective, Buffers& send, Buffers& receive, Dtype dtype) {
    const CollectivePart part{streams[rank].get(), send[rank].data(), receive[rank].data()};
    communicators[rank]->enqueue(collective, {&part, 1}, kCount, dtype);
  }

  std::vector<std::unique_ptr<CpuDevice>> devices;
  std::vector<std::unique_ptr<Communicator>> communicators;
  std::vector<std::unique_ptr<Stream>> streams;
};

// Room for the longest of all collectives.
Buffers buffers() { return Buffers(kRanks, std::vector<std::byte>(kRanks * kCount * 4)); }

TEST_F(ProcessCommunicatorTest, EveryCollectiveIsThatOfRanksInOneProcess) {
  std::mt19937 random(7);
  Buffers send = buffers();
  for (auto& buffer : send) {
    for (size_t i = 0; i + 4 <= buffer.size(); i += 4) {
      const auto value = static_cast<float>(random() % 1000) / 7;
      std::memcpy(buffer.data() + i, &value, sizeof value);
    }
  }
  const auto in_process = make_cpu_communicator(kRanks);
  for (const Collective collective : {Collective::kAllReduce, Collective::kReduceScatter, Collective::kAllGather,
                                      Collective::kAllToAll, Collective::kBroadcast, Collective::kSendNext}) {
    Buffers received = buffers();
    Buffers expected = buffers();
    std::vector<CollectivePart> parts;
    for (size_t rank = 0; rank < kRanks; ++rank) {
      enqueue(rank, collective, send, received, Dtype::kF32);
      parts.push_back({streams[rank].get(), send[rank].data(), expected[rank].data()});
    }
    in_process->enqueue(collective, parts, kCount, Dtype::kF32);
    for (const auto& stream : streams) {
      expect_ok(stream->synchronize());
    }
    EXPECT_EQ(received, expected) << name_of(collective);
  }
}

TEST_F(ProcessCommunicatorTest, ARankThatEndsFailsTheOthers) {
  Buffers data = buffers();
  communicators[1].reset();
  enqueue(0, Collective::kAllReduce, data, data, Dtype::kF32);
  enqueue(2, Collective::kAllReduce, data, data, Dtype::kF32);
  const Error of_first = streams[0]->synchronize().error();
  EXPECT_EQ(of_first.kind, ErrorKind::kResource);
  EXPECT_EQ(of_first.message, "all_reduce: rank 1 has ended or failed");
  EXPECT_EQ(streams[2]->synchronize().error().message, "all_reduce: rank 0 has ended or failed");
}

TEST_F(ProcessCommunicatorTest, RanksThatDoNotAgreeFail) {
  Buffers data = buffers();
  enqueue(0, Collective::kAllReduce, data, data, Dtype::kF32);
  enqueue(1, Collective::kBroadcast, data, data, Dtype::kF32);
  enqueue(2, Collective::kAllReduce, data, data, Dtype::kF32);
  const Error of_first = streams[0]->synchronize().error();
  EXPECT_EQ(of_first.kind, ErrorKind::kUsage);
  EXPECT_THAT(of_first.message, HasSubstr("rank 1 is at broadcast of 500 fp32"));
  EXPECT_FALSE(streams[1]->synchronize());
  EXPECT_FALSE(streams[2]->synchronize());
}

TEST_F(ProcessCommunicatorTest, WhatMakesNoSenseFails) {
  EXPECT_EQ(RankLink::join(make_cpu_rank_id(), 2, 2).error().kind, ErrorKind::kUsage);
  Buffers data = buffers();
  const std::array<CollectivePart, 2> two{CollectivePart{streams[0].get(), data[0].data(), data[0].data()},
                                          CollectivePart{streams[1].get(), data[1].data(), data[1].data()}};
  communicators[0]->enqueue(Collective::kBroadcast, two, 1, Dtype::kF32);
  EXPECT_THAT(streams[0]->synchronize().error().message, HasSubstr("given 2 parts"));
}

}  // namespace

}  // namespace aaco
