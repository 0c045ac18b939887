// SPDX-License-Identifier: MIT
// Ranks that join by an id give what ranks of one process give, bit by bit; here each is a thread (processes:
// tests/ranks).
#include <array>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <random>
#include <thread>

#include "base/clock.h"
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

// What rank `rank` of two gets; nothing where it fails.
std::vector<std::byte> exchange_as(const RankId& id, int32_t rank, std::byte own) {
  auto link = RankLink::join(id, rank, 2);
  const auto all = link ? link->exchange("bytes", {&own, 1}) : Result<std::vector<std::byte>>(link.error());
  return all ? *all : std::vector<std::byte>();
}

TEST(RankLink, FindsRanksOfOtherMachinesByTcp) {
  const auto id = make_cpu_rank_id_at("127.0.0.1");
  ASSERT_TRUE(id) << id.error().message;
  std::vector<std::byte> expected{std::byte{7}, std::byte{9}};
  std::thread other([&] { EXPECT_EQ(exchange_as(*id, 1, std::byte{9}), expected); });
  EXPECT_EQ(exchange_as(*id, 0, std::byte{7}), expected);
  other.join();
  EXPECT_EQ(RankLink::join(*id, 0, 2).error().kind, ErrorKind::kUsage);  // it was joined once
}

// A port scan, one that says something else, and one that does not know the secret.
TEST(RankLink, TurnsStrangersAway) {
  constexpr int64_t kPatienceNs = 5'000'000'000;
  const auto id = make_cpu_rank_id_at("127.0.0.1");
  ASSERT_TRUE(id) << id.error().message;
  constexpr std::string_view kBefore = "aaco-tcp 127.0.0.1 ";
  const std::string_view text(id->bytes.data());
  ASSERT_TRUE(text.starts_with(kBefore)) << text;
  int port = 0;
  ASSERT_EQ(std::from_chars(text.data() + kBefore.size(), text.data() + text.size(), port).ec, std::errc());
  std::vector<Socket> strangers;
  for (const std::string& said : {std::string(), std::string(200, 'x'), "aacornk1" + std::string(32, '0') + "\1"}) {
    auto stranger = connect_tcp("127.0.0.1", port, monotonic_ns() + kPatienceNs);
    ASSERT_TRUE(stranger) << stranger.error().message;
    EXPECT_TRUE(stranger->send_all(said.data(), said.size()));
    stranger->shut();
  }
  RankId wrong = *id;
  wrong.bytes[::strnlen(wrong.bytes.data(), wrong.bytes.size()) - 1] ^= 1;
  std::thread liar([&] { EXPECT_TRUE(exchange_as(wrong, 1, std::byte{1}).empty()); });
  std::thread other([&] { EXPECT_FALSE(exchange_as(*id, 1, std::byte{9}).empty()); });
  EXPECT_EQ(exchange_as(*id, 0, std::byte{7}), (std::vector<std::byte>{std::byte{7}, std::byte{9}}));
  other.join();
  liar.join();
}

TEST(RankLink, KnowsWhatIsNoAddress) {
  EXPECT_EQ(make_cpu_rank_id_at("two words").error().kind, ErrorKind::kUsage);
  EXPECT_EQ(make_cpu_rank_id_at(std::string(200, '1')).error().kind, ErrorKind::kUsage);
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
