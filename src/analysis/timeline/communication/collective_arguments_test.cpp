// SPDX-License-Identifier: MIT
#include "analysis/timeline/communication/collective_arguments.h"

#include <gtest/gtest.h>

#include "analysis/timeline/test_trace.h"

namespace aaco {
namespace {

KernelCollective recorded(TestTrace& trace, const std::vector<Argument>& arguments) {
  trace.add(trace.stream(0, 0, 7), EventKind::kKernel, "ncclK", 0, 10, kNoId, arguments);
  return CollectiveArguments(trace.table).collective(trace.table.size() - 1);
}

TEST(CollectiveArguments, AsNumbersAndAsTexts) {
  TestTrace trace;
  const auto numbers =
      recorded(trace, {trace.integer("Seq", 7), trace.integer("Group size", 4), trace.integer("In msg nelems", 1'000)});
  const auto texts =
      recorded(trace, {trace.text("Seq", "7"), trace.text("Group size", "4"), trace.text("In msg nelems", "1000")});
  EXPECT_EQ(numbers.sequence, 7);
  EXPECT_EQ(texts.sequence, 7);
  EXPECT_EQ(numbers.kind, texts.kind);
  EXPECT_EQ(numbers.kind.group_size, 4);
}

TEST(CollectiveArguments, WhatIsNoNumberIsNotKnown) {
  TestTrace trace;
  EXPECT_EQ(recorded(trace, {trace.text("Seq", "7a"), trace.integer("Seq2", 3)}).sequence, kNoId);
  EXPECT_EQ(recorded(trace, {trace.integer("Seq", -1)}).sequence, kNoId);
}

// Of the operator with the kernel's external id, on its rank.
TEST(CollectiveArguments, NumbersThatOnlyOperatorsHave) {
  TestTrace trace;
  const uint32_t host = trace.thread(0);
  const auto inputs = [&](std::string_view json) {
    return Argument{trace.table.strings.intern("Concrete Inputs"), ArgumentType::kJson,
                    trace.table.strings.intern(json)};
  };
  const auto op = [&](uint32_t thread, int64_t external_id, const Argument& argument) {
    trace.add(thread, EventKind::kHostOp, "record_param_comms", 0, 10, kNoId, {argument}, external_id);
  };
  op(host, 1, inputs(R"(["", "66", "", "0"])"));
  op(host, 2, inputs(R"(["", "", "", "0"])"));
  op(host, 3, trace.integer("Seq", 9));
  op(trace.thread(1), 4, trace.integer("Seq", 10));
  op(host, 5, trace.integer("Seq", 11));
  op(host, 5, trace.integer("Seq", 12));
  const uint32_t stream = trace.stream(0, 0, 7);
  for (int64_t external_id = 1; external_id <= 5; ++external_id) {
    trace.add(stream, EventKind::kKernel, "ncclK", 0, 10, kNoId, {}, external_id);
  }
  CollectiveArguments arguments(trace.table);
  const size_t first = trace.table.size() - 5;
  EXPECT_EQ(arguments.collective(first).sequence, 66);
  EXPECT_EQ(arguments.collective(first + 1).sequence, kNoId);
  EXPECT_EQ(arguments.collective(first + 2).sequence, 9);
  EXPECT_EQ(arguments.collective(first + 3).sequence, kNoId);  // another rank's
  EXPECT_EQ(arguments.collective(first + 4).sequence, kNoId);  // which of the two?
}

TEST(CollectiveArguments, CommunicatorsAreToldApart) {
  TestTrace trace;
  const auto a = recorded(trace, {trace.text("comm id", "0x1f")});
  EXPECT_EQ(a.kind, recorded(trace, {trace.text("comm id", "0x1f")}).kind);
  EXPECT_NE(a.kind, recorded(trace, {trace.text("comm id", "0x20")}).kind);
  EXPECT_NE(a.kind, recorded(trace, {trace.integer("commHash", 12)}).kind);
}

}  // namespace
}  // namespace aaco
