// SPDX-License-Identifier: MIT
#include "analysis/timeline/samples/sampled_kernels.h"

#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "analysis/timeline/tables/analysis_tables.h"
#include "analysis/timeline/test_trace.h"

namespace aaco {
namespace {

const std::string kReason = "ROCPROFILER_PC_SAMPLING_INSTRUCTION_NOT_ISSUED_REASON_";
const std::string kType = "ROCPROFILER_PC_SAMPLING_INSTRUCTION_TYPE_";

class SampledTrace : public TestTrace {
 public:
  SampledTrace() : host_(thread()), device_(stream(kNoId, 4, 1)) {}

  void kernel(std::string_view name, int64_t dispatch) {
    add(device_, EventKind::kKernel, name, dispatch, 1, kNoId, {integer("Dispatch_Id", dispatch)});
  }
  void kernel_of_correlation(std::string_view name, int64_t correlation) {
    add(device_, EventKind::kKernel, name, correlation, 1, correlation);
  }
  void sample(std::string_view instruction, int64_t dispatch, const std::vector<Argument>& more = {},
              int64_t correlation = kNoId) {
    std::vector<Argument> arguments = more;
    arguments.push_back(integer("Dispatch_Id", dispatch));
    table.add({10, 0, correlation, kNoId, table.strings.intern(instruction), table.strings.intern("PC_SAMPLING"), host_,
               EventKind::kOther, EventShape::kInstant},
              arguments);
  }
  // As rocprofv3 writes them, the cause that means nothing included.
  void issued(std::string_view instruction, int64_t dispatch, const std::string& type) {
    sample(instruction, dispatch,
           {integer("Wave_Issued_Instruction", 1), text("Instruction_Type", kType + type),
            text("Stall_Reason", kReason + "OTHER_WAIT"), integer("Wave_Count", 4)});
  }
  void stalled(std::string_view instruction, int64_t dispatch, const std::string& reason) {
    sample(instruction, dispatch,
           {integer("Wave_Issued_Instruction", 0), text("Instruction_Type", kType + "NO_INST"),
            text("Stall_Reason", kReason + reason), integer("Wave_Count", 8)});
  }
  PcSamples count() { return pc_samples(table, losses); }
  std::string name_of(const SampledKernel& kernel) const { return std::string(table.strings[kernel.name]); }
  std::string text_of(const SampledInstruction& instruction) const {
    return std::string(table.strings[table.name[instruction.sample]]);
  }
  // "WAITCNT 2" of an instruction's outcomes, in their order.
  std::vector<std::string> outcomes_of(const PcSamples& samples, const SampledInstruction& instruction) const {
    std::vector<std::string> list;
    for (uint32_t i = 0; i < instruction.outcomes; ++i) {
      const SampledOutcome& outcome = samples.outcomes[instruction.first_outcome + i];
      list.push_back(std::string(word_of(outcome.outcome)) + " " +
                     std::string(cause_name(table.strings[outcome.cause])) + " " + std::to_string(outcome.samples));
    }
    return list;
  }

  LossTable losses;

 private:
  uint32_t host_;
  uint32_t device_;
};

TEST(PcSamples, OfHostTrapAreCountedByKernelAndInstruction) {
  SampledTrace trace;
  trace.kernel("add", 1);
  trace.kernel("mul", 2);
  trace.kernel("mul", 3);
  trace.sample("s_endpgm", 1);
  trace.sample("s_waitcnt", 2);
  trace.sample("s_endpgm", 2);
  trace.sample("s_waitcnt", 3);
  const PcSamples samples = trace.count();
  EXPECT_EQ(samples.samples, 4);
  ASSERT_EQ(samples.kernels.size(), 2);
  const SampledKernel& mul = samples.kernels[0];
  EXPECT_EQ(trace.name_of(mul), "mul");
  EXPECT_EQ(mul.device, 4);
  EXPECT_EQ(mul.samples, 3);
  EXPECT_EQ(mul.dispatches, 2);
  EXPECT_FALSE(mul.stochastic);
  EXPECT_EQ(mul.with_waves, 0);
  ASSERT_EQ(mul.instructions, 2);
  const SampledInstruction& hottest = samples.instructions[mul.first_instruction];
  EXPECT_EQ(trace.text_of(hottest), "s_waitcnt");
  EXPECT_EQ(hottest.samples, 2);
  EXPECT_EQ(trace.outcomes_of(samples, hottest), std::vector<std::string>{"not recorded  2"});
  EXPECT_EQ(trace.name_of(samples.kernels[1]), "add");
  EXPECT_EQ(samples.kernels[1].samples, 1);
  EXPECT_TRUE(trace.losses.entries().empty());
}

// The reason that stands beside an issued instruction, and the type beside one that was not, are no figures.
TEST(PcSamples, OfTheHardwareHaveAReasonOnlyWhereNothingWasIssued) {
  SampledTrace trace;
  trace.kernel("add", 1);
  trace.stalled("v_add", 1, "ALU_DEPENDENCY");
  trace.stalled("v_add", 1, "WAITCNT");
  trace.stalled("v_add", 1, "WAITCNT");
  trace.issued("v_add", 1, "VALU");
  trace.issued("s_add", 1, "SCALAR");
  const PcSamples samples = trace.count();
  ASSERT_EQ(samples.kernels.size(), 1);
  const SampledKernel& kernel = samples.kernels[0];
  EXPECT_TRUE(kernel.stochastic);
  EXPECT_EQ(kernel.issued, 2);
  EXPECT_EQ(kernel.not_issued, 3);
  EXPECT_EQ(kernel.with_waves, 5);
  EXPECT_EQ(kernel.active_waves, 2 * 4 + 3 * 8);
  ASSERT_EQ(kernel.instructions, 2);
  const SampledInstruction& add = samples.instructions[0];
  EXPECT_EQ(add.samples, 4);
  EXPECT_EQ(add.issued, 1);
  EXPECT_EQ(trace.outcomes_of(samples, add),
            (std::vector<std::string>{"not issued WAITCNT 2", "issued VALU 1", "not issued ALU_DEPENDENCY 1"}));
  EXPECT_EQ(trace.outcomes_of(samples, samples.instructions[1]), std::vector<std::string>{"issued SCALAR 1"});
}

TEST(PcSamples, InstructionsDifferByTextLineAndAddress) {
  SampledTrace trace;
  trace.kernel("add", 1);
  for (const char* line : {"a.cpp:1", "a.cpp:2"}) {
    trace.sample("s_waitcnt", 1, {trace.text("Instruction_Comment", line)});
    trace.sample("s_waitcnt", 1, {trace.text("Instruction_Comment", line)});
  }
  for (const int64_t offset : {64, 72, 64}) {
    trace.sample("s_waitcnt", 1,
                 {trace.integer("record.pc.code_object_id", 2), trace.integer("record.pc.code_object_offset", offset)});
  }
  const PcSamples samples = trace.count();
  ASSERT_EQ(samples.kernels.size(), 1);
  std::vector<uint32_t> counts;
  for (const SampledInstruction& instruction : samples.instructions) {
    counts.push_back(instruction.samples);
  }
  EXPECT_EQ(counts, (std::vector<uint32_t>{2, 2, 2, 1}));
}

TEST(PcSamples, ActiveLanesAreTheBitsOfTheMask) {
  SampledTrace trace;
  trace.kernel("add", 1);
  trace.sample("a", 1, {trace.text("Exec_Mask", "18446744073709551615")});
  trace.sample("a", 1, {trace.integer("Exec_Mask", 0xffff)});
  trace.sample("a", 1, {trace.text("Exec_Mask", "none")});
  const PcSamples samples = trace.count();
  EXPECT_EQ(samples.kernels[0].with_lanes, 2);
  EXPECT_EQ(samples.kernels[0].active_lanes, 64 + 16);
}

TEST(PcSamples, WithoutNumberedDispatchesTheCorrelationTellsTheKernel) {
  SampledTrace trace;
  trace.kernel_of_correlation("add", 7);
  trace.kernel_of_correlation("a graph's", 8);
  trace.kernel_of_correlation("another of the graph", 8);
  trace.sample("s_endpgm", 1, {}, 7);
  trace.sample("s_endpgm", 2, {}, 8);
  const PcSamples samples = trace.count();
  ASSERT_EQ(samples.kernels.size(), 2);
  EXPECT_EQ(trace.name_of(samples.kernels[0]), "");  // no device: it comes first
  EXPECT_EQ(trace.name_of(samples.kernels[1]), "add");
  EXPECT_EQ(trace.losses.count(Loss::kSampleWithoutKernel), 1);
  EXPECT_EQ(trace.losses.entries()[0].example, "dispatch 2: several kernels have it");
}

TEST(PcSamples, OfAnotherProcessOrRecordingAreNotItsOwn) {
  SampledTrace trace;
  trace.kernel("add", 1);
  trace.sample("s_endpgm", 1);
  trace.table.tracks[0].process = trace.table.strings.intern("another");
  EXPECT_EQ(trace.name_of(trace.count().kernels[0]), "");
  trace.table.tracks[0].process = kEmptyString;
  trace.table.tracks[0].recording = 1;
  EXPECT_EQ(trace.name_of(trace.count().kernels[0]), "");
  trace.table.tracks[0].recording = 0;
  EXPECT_EQ(trace.name_of(trace.count().kernels[0]), "add");
  EXPECT_EQ(trace.losses.count(Loss::kSampleWithoutKernel), 2);
}

TEST(PcSamples, AreInTheTables) {
  SampledTrace trace;
  trace.kernel("add", 1);
  trace.stalled("v_add", 1, "WAITCNT");
  trace.issued("v_add", 1, "VALU");
  trace.issued("v_add", 1, "VALU");
  const TraceSummary summary = summarise_trace(trace.table);
  const Table kernels = sampled_kernels_table(trace.table, summary);
  ASSERT_EQ(kernels.row_count, 1);
  const auto integer = [](const Table& table, const char* column, size_t row) {
    return std::get<std::vector<int64_t>>(table.find(column)->values)[row];
  };
  EXPECT_EQ(integer(kernels, "samples", 0), 3);
  EXPECT_EQ(integer(kernels, "issued", 0), 2);
  EXPECT_EQ(integer(kernels, "not_issued", 0), 1);
  const Table all = sampled_instructions_table(trace.table, summary, {});
  ASSERT_EQ(all.row_count, 2);
  EXPECT_EQ(integer(all, "samples", 0), 2);
  EXPECT_EQ(std::get<std::vector<std::string>>(all.find("cause")->values),
            (std::vector<std::string>{"VALU", "WAITCNT"}));
  EXPECT_EQ(std::get<std::vector<std::string>>(all.find("outcome")->values),
            (std::vector<std::string>{"issued", "not issued"}));
  EXPECT_EQ(all.find("offset")->valid[0], 0);
  const Table second = sampled_instructions_table(trace.table, summary, {1, 1});
  ASSERT_EQ(second.row_count, 1);
  EXPECT_EQ(integer(second, "samples", 0), 1);
}

}  // namespace
}  // namespace aaco
