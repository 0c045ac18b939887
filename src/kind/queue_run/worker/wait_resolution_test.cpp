// SPDX-License-Identifier: MIT
// Who waited for whom, on programs whose answer can be read off them; and on the CPU's streams, where what was waited
// for must have ended.
#include "kind/queue_run/worker/wait_resolution.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>

#include "record/device/activity_table.h"
#include "record/device/device_rows.h"

namespace aaco {
namespace {

using Waits = std::set<std::pair<int64_t, int64_t>>;  // waiter, producer

Waits set_of(const ResolvedWaits& resolved) {
  Waits waits;
  for (const EventDependency& wait : resolved.waits) {
    waits.emplace(wait.waiter, wait.producer);
  }
  return waits;
}

class WaitResolution : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = open_device("cpu");
    ASSERT_TRUE(opened);
    for (int i = 0; i < 3; ++i) {
      auto stream = (*opened)->make_stream(0);
      ASSERT_TRUE(stream);
      target.streams.push_back(stream->get());
      target.devices.push_back(*opened);
      streams.push_back(std::move(*stream));
    }
  }

  // A piece of work of the program that leaves kernels of these names.
  void work(int32_t stream, std::initializer_list<uint32_t> names) {
    program.set(stream, memory.data(), 0, 1);
    commands.commands.resize(program.commands().size());
    for (const uint32_t name : names) {
      commands.commands.back().push_back({stream, sink.intern(std::to_string(name))});
    }
  }
  // A kernel as recorded; its correlation is its number, from 1.
  void kernel(int32_t stream, uint32_t name) {
    ActivityRecord record;
    record.correlation = records.size() + 1;
    record.start_ns = static_cast<int64_t>(records.size()) * 10;
    record.end_ns = record.start_ns + 5;
    record.stream = target.streams[static_cast<size_t>(stream)]->native_id();
    record.name = sink.intern(std::to_string(name));
    records.push_back(record);
  }
  ResolvedWaits resolve(int64_t iterations) {
    commands.commands.resize(program.commands().size());
    sink.push(records);
    return resolve_waits(program, commands, target, sink.take(), iterations);
  }

  std::vector<std::unique_ptr<Stream>> streams;
  ProgramTarget target;
  Program program{3};
  CommandRecords commands;
  ActivityTable sink;
  std::vector<ActivityRecord> records;
  std::array<char, 64> memory{};
};

// Stream 0 does a piece of two kernels; stream 1 waits for it, stream 0 for that one, twice over.
TEST_F(WaitResolution, TheLastKernelBeforeTheRecordAndTheFirstAfterTheWait) {
  work(0, {7, 8});
  program.after(1, 0);
  work(1, {9, 9});
  program.after(0, 1);
  work(0, {5});
  for (int i = 0; i < 2; ++i) {
    kernel(0, 7);  // 1, 6
    kernel(0, 8);
    kernel(1, 9);
    kernel(1, 9);
    kernel(0, 5);
  }
  const ResolvedWaits resolved = resolve(2);
  EXPECT_EQ(resolved.unresolved, "");
  EXPECT_EQ(set_of(resolved), (Waits{{3, 2}, {5, 4}, {8, 7}, {10, 9}}));
}

// Stream 1 has nothing between its wait and its record: who waits for it waits for stream 0. What nobody has recorded
// in this iteration yet is the iteration before: stream 2 waits for the work of stream 1 then.
TEST_F(WaitResolution, WaitsArePassedOnAndReachIntoTheIterationBefore) {
  work(0, {1});
  program.after(1, 0);
  program.after(2, 1);
  work(2, {2});
  work(1, {3});
  for (int i = 0; i < 2; ++i) {
    kernel(0, 1);
    kernel(2, 2);
    kernel(1, 3);
  }
  EXPECT_EQ(set_of(resolve(2)), (Waits{{2, 1}, {3, 1}, {5, 4}, {5, 3}, {6, 4}}));
}

TEST_F(WaitResolution, WhatDoesNotAgreeWithTheProgramIsUnknown) {
  work(0, {1});
  program.after(1, 0);
  work(1, {2});
  work(2, {3});
  kernel(0, 1);
  kernel(1, 2);
  kernel(2, 3);
  kernel(1, 2);  // one too many
  ResolvedWaits resolved = resolve(1);
  EXPECT_EQ(resolved.unresolved,
            "waits for events are not resolved: 2 records on stream 1, the program leaves 1 in each of 1 iterations");
  EXPECT_EQ(set_of(resolved), (Waits{{2, kNoId}, {4, kNoId}}));
  records.pop_back();
  records[0].name = sink.intern("4");  // of stream 0, for which stream 1 waits
  resolved = resolve(1);
  EXPECT_EQ(resolved.unresolved,
            "waits for events are not resolved: record 0 on stream 0 is not what the program leaves there");
  EXPECT_EQ(set_of(resolved), (Waits{{2, kNoId}}));
}

TEST_F(WaitResolution, AProgramWithoutWaitsHasNothingToResolve) {
  work(0, {1});
  work(1, {2});
  kernel(0, 1);
  const ResolvedWaits resolved = resolve(1);
  EXPECT_EQ(resolved.unresolved, "");
  EXPECT_TRUE(resolved.waits.empty());
}

// On real streams: each command leaves one record, and what was waited for has ended when the waiter begins.
TEST_F(WaitResolution, OnTheCpu) {
  program.set(0, memory.data(), 1, 8);
  program.after(1, 0);
  program.copy(1, &memory[8], memory.data(), 8);
  const std::array<int32_t, 2> both{0, 1};
  program.after(2, both);
  program.set(2, &memory[16], 2, 8);
  program.after(0, 2);
  const auto collector = (*backend_of("cpu"))->collect(sink);
  ASSERT_TRUE(collector);
  const auto found = find_command_records(program, target, **collector, sink);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->problem, "");
  for (size_t i = 0; i < program.commands().size(); ++i) {
    const CommandKind kind = program.commands()[i].kind;
    EXPECT_EQ(found->commands[i].size(), kind == CommandKind::kCopy || kind == CommandKind::kSet ? 1U : 0U) << i;
  }
  const auto dispatcher = make_dispatcher(DispatchMode::kSingle, program, target);
  ASSERT_TRUE(dispatcher);
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE((*dispatcher)->enqueue());
  }
  ASSERT_TRUE(synchronize(target));
  ASSERT_TRUE((*collector)->flush());
  const EventTable recorded = sink.take();
  const ResolvedWaits resolved = resolve_waits(program, *found, target, recorded, 5);
  EXPECT_EQ(resolved.unresolved, "");
  EXPECT_EQ(resolved.waits.size(), 5U * 3 + 4);  // stream 0 waits for stream 2 from the second iteration on
  std::map<int64_t, EventRow> work;
  for (const EventRow row : work_as_executed(recorded)) {
    work[recorded.correlation[row]] = row;
  }
  for (const EventDependency& wait : resolved.waits) {
    ASSERT_TRUE(work.contains(wait.waiter) && work.contains(wait.producer));
    EXPECT_LE(recorded.end_ns(work[wait.producer]), recorded.start_ns[work[wait.waiter]]);
  }
}

}  // namespace
}  // namespace aaco
