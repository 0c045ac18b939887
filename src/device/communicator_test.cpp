// SPDX-License-Identifier: MIT
#include "device/communicator.h"

#include <gtest/gtest.h>
#include <memory>
#include <numeric>

#include "device/backend.h"

namespace aaco {

namespace {

// nccl-tests, PERFORMANCE.md, for 4 ranks and 1000 elements of fp32.
TEST(BusBytes, AreThoseOfNcclTests) {
  EXPECT_DOUBLE_EQ(bus_bytes(Collective::kAllReduce, 1000, Dtype::kF32, 4), 2 * 3 / 4.0 * 4000);
  EXPECT_DOUBLE_EQ(bus_bytes(Collective::kReduceScatter, 1000, Dtype::kF32, 4), 3 / 4.0 * 16000);
  EXPECT_DOUBLE_EQ(bus_bytes(Collective::kAllGather, 1000, Dtype::kF32, 4), 3 / 4.0 * 16000);
  EXPECT_DOUBLE_EQ(bus_bytes(Collective::kAllToAll, 1000, Dtype::kF32, 4), 3 / 4.0 * 16000);
  EXPECT_DOUBLE_EQ(bus_bytes(Collective::kBroadcast, 1000, Dtype::kF32, 4), 4000);
  EXPECT_DOUBLE_EQ(bus_bytes(Collective::kSendNext, 1000, Dtype::kBf16, 4), 2000);
  EXPECT_DOUBLE_EQ(bus_bytes(Collective::kAllReduce, 1000, Dtype::kF32, 1), 0);
}

class EmulatedTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto device = open_device("cpu");
    ASSERT_TRUE(device);
    stream = std::move((*device)->make_stream(0)).value();
    emulated = make_emulated_communicator(**device, 3);
  }

  template <class T>
  void run(Collective collective, const std::vector<T>& from, std::vector<T>& to, int64_t count, Dtype dtype) {
    const CollectivePart part{stream.get(), from.data(), to.data()};
    emulated->enqueue(collective, {&part, 1}, count, dtype);
    EXPECT_TRUE(stream->synchronize());
  }

  std::unique_ptr<Stream> stream;
  std::unique_ptr<Communicator> emulated;
  std::vector<float> send = {1, 2, 3, 4, 5, 6, 7, 8, 9};
};

TEST_F(EmulatedTest, SaysThatItIs) {
  EXPECT_EQ(emulated->info().ranks, 3);
  EXPECT_TRUE(emulated->info().emulated);
  EXPECT_EQ(emulated->info().library, "emulated on one device");
}

TEST_F(EmulatedTest, SumsAreOfEqualRanks) {
  std::vector<float> receive(9, -1);
  run(Collective::kAllReduce, send, receive, 9, Dtype::kF32);
  EXPECT_EQ(receive, (std::vector<float>{3, 6, 9, 12, 15, 18, 21, 24, 27}));
  run(Collective::kAllReduce, receive, receive, 9, Dtype::kF32);  // in place
  EXPECT_EQ(receive, (std::vector<float>{9, 18, 27, 36, 45, 54, 63, 72, 81}));
  receive.assign(9, -1);
  run(Collective::kReduceScatter, send, receive, 3, Dtype::kF32);
  EXPECT_EQ(receive, (std::vector<float>{3, 6, 9, -1, -1, -1, -1, -1, -1}));
  receive = send;
  run(Collective::kReduceScatter, receive, receive, 3, Dtype::kF32);  // in place: the other chunks stay
  EXPECT_EQ(receive, (std::vector<float>{3, 6, 9, 4, 5, 6, 7, 8, 9}));
}

// Beyond 2^24, where fp32 would not do.
TEST_F(EmulatedTest, IntegersAreSummedAsSuch) {
  const std::vector<int32_t> values = {100'000'001, -7};
  std::vector<int32_t> receive(2, -1);
  run(Collective::kAllReduce, values, receive, 2, Dtype::kI32);
  EXPECT_EQ(receive, (std::vector<int32_t>{300'000'003, -21}));
}

TEST_F(EmulatedTest, EveryRankSendsWhatThisOneHas) {
  std::vector<float> receive(9, -1);
  run(Collective::kAllGather, send, receive, 3, Dtype::kF32);
  EXPECT_EQ(receive, (std::vector<float>{1, 2, 3, 1, 2, 3, 1, 2, 3}));
  receive.assign(9, -1);
  run(Collective::kAllToAll, send, receive, 3, Dtype::kF32);
  EXPECT_EQ(receive, (std::vector<float>{1, 2, 3, 1, 2, 3, 1, 2, 3}));
  receive.assign(9, -1);
  run(Collective::kBroadcast, send, receive, 9, Dtype::kF32);
  EXPECT_EQ(receive, send);
  receive.assign(9, -1);
  run(Collective::kSendNext, send, receive, 9, Dtype::kF32);
  EXPECT_EQ(receive, send);
}

TEST(AllBackends, DevicesAreFoundByTheirNames) {
  EXPECT_EQ((*open_device("cpu"))->properties().id, "cpu:0");
  EXPECT_EQ((*open_device("cpu:1"))->properties().id, "cpu:1");
  EXPECT_EQ(*open_device("cpu"), *open_device("cpu:0"));
  EXPECT_STREQ((*backend_of("cpu:7"))->name(), "cpu");
  EXPECT_STREQ(all_backends().front()->name(), "cpu");
}

TEST(AllBackends, WhatIsNoDeviceIsAUsageErrorThatNamesWhatThereIs) {
  for (const char* id : {"", "cpux", "tpu:0", "cpu:", "cpu:-1", "cpu:x", "cpu:1x", "cpu:64", "cpu:99999999999"}) {
    const auto device = open_device(id);
    ASSERT_FALSE(device) << id;
    EXPECT_EQ(device.error().kind, ErrorKind::kUsage) << id;
    EXPECT_NE(device.error().hint.find("cpu:0 to cpu:63"), std::string::npos) << device.error().hint;
  }
}

}  // namespace

}  // namespace aaco
