// SPDX-License-Identifier: MIT
// Each section of a trace's report over figures that are given: what is shown, shortened and left out.
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "analysis/timeline/test_trace.h"
#include "base/json.h"
#include "report/trace/communication_section.h"
#include "report/trace/counters_section.h"
#include "report/trace/critical_path_section.h"
#include "report/trace/idle_section.h"
#include "report/trace/job_coverage_section.h"
#include "report/trace/losses.h"
#include "report/trace/memory_section.h"
#include "report/trace/offender_section.h"
#include "report/trace/operator_section.h"
#include "report/trace/outside_budget_section.h"
#include "report/trace/roofline_section.h"
#include "report/trace/row_sinks.h"
#include "report/trace/samples_section.h"
#include "report/trace/trace_report.h"
#include "report/trace/values.h"

namespace aaco::report {
namespace {

// Columns are held apart by one space.
std::string squeezed(const std::string& text) {
  std::string one;
  for (const char letter : text) {
    const bool again = letter == ' ' && (one.empty() || one.back() == ' ' || one.back() == '\n');
    if (letter == '\n' && !one.empty() && one.back() == ' ') {
      one.pop_back();
    }
    one += again ? "" : std::string(1, letter);
  }
  return one;
}

class TraceSections : public testing::Test {
 protected:
  StringId text(std::string_view name) { return trace_.table.strings.intern(name); }
  const EventTable& events() const { return trace_.table; }

  TestTrace trace_;
  TraceSummary summary_;
};

TEST_F(TraceSections, WithoutADeviceSayWhatThereIs) {
  EXPECT_EQ(no_device_text(events()), "\nno device activity with times in this trace\n");
  const uint32_t host = trace_.thread(0);
  trace_.add(host, EventKind::kHostCall, "hipLaunchKernel", 0, 5);
  trace_.add(host, EventKind::kHostCall, "hipModuleLaunchKernel", 10, 5);
  trace_.add(host, EventKind::kHostCall, "hipMalloc", 20, 5);
  trace_.add(host, EventKind::kHostOp, "Launch", 30, 5);
  trace_.table.shape.back() = EventShape::kUntimed;
  trace_.add(host, EventKind::kOther, "power", 40, 0);
  trace_.table.shape.back() = EventShape::kCounter;
  EXPECT_EQ(no_device_text(events()),
            "\nno device activity with times in this trace\n"
            "2 calls launched work: the profiler did not record what ran on the device\n"
            "1 row has no times (sums, counters, readings): `aaco trace sql` shows them\n"
            "1 reading over time: `aaco trace sql` shows them\n");
  EXPECT_EQ(outside_budget_json(events()), Json::parse(R"({"untimed": 1, "readings": 1, "launch_calls": 2})"));
}

TEST_F(TraceSections, IdleByCauseAndHolder) {
  DeviceSummary device;
  EXPECT_EQ(idle_text(events(), device, 5), "");
  device.budget.idle_ns = 1000;
  device.idle.shares[static_cast<size_t>(IdleCause::kHostCall)] = {1, 750};
  device.idle.shares[static_cast<size_t>(IdleCause::kUnexplained)] = {2, 250};
  device.idle.holders = {{IdleCause::kHostCall, text("hipMalloc"), 1, 750},
                         {IdleCause::kUnexplained, kEmptyString, 2, 200},
                         {IdleCause::kUnexplained, text("k"), 1, 50}};
  EXPECT_EQ(squeezed(idle_text(events(), device, 2)),
            "idle because of idle\nhost call 750.0 ns 75.00 %\nunexplained 250.0 ns 25.00 %\n"
            "idle held by cause spans total of idle\nhipMalloc host call 1 750.0 ns 75.00 %\n"
            "(nothing recorded) unexplained 2 200.0 ns 20.00 %\n1 other 50.00 ns 5.00 %\n");
  const Json causes = idle_causes_json(device.idle);
  EXPECT_EQ(causes.size(), kIdleCauses);
  EXPECT_EQ(causes["host_call_ns"], 750);
  EXPECT_EQ(rows_json(idle_holder_table(events(), device, 5))[0]["name"], "hipMalloc");
}

TEST_F(TraceSections, Launches) {
  LaunchQueue queue;
  EXPECT_EQ(launches_text(queue, {0, 100}), "launches  none recorded\n");
  EXPECT_EQ(launches_json(queue), Json({{"count", 0}}));
  queue.launches = 4;
  queue.median_delay_ns = 3000;
  queue.p99_delay_ns = 9000;
  queue.max_delay_ns = 10000;
  queue.mean_depth = 1.5;
  queue.max_depth = 3;
  queue.empty_ns = 25;
  EXPECT_EQ(launches_text(queue, {0, 100}),
            "launches 4: delay median 3.000 us, p99 9.000 us, max 10.00 us; queue depth mean 1.5, max 3, empty for "
            "25.00 %\n");
  EXPECT_EQ(launches_json(queue)["queue"]["max_depth"], 3);
}

TEST_F(TraceSections, MemoryOfADevice) {
  EXPECT_EQ(memory_text(events(), summary_), "");
  AllocatorUse use;
  use.rank = 2;
  use.device_type = 1;
  use.device = 3;
  use.allocations = 7;
  use.frees = 5;
  use.peak_bytes = 2'000'000;
  use.last_bytes = 1'000'000;
  summary_.memory = {use};
  summary_.memory[0].peak_reserved_bytes = 3'000'000;
  use.device_type = 0;
  use.totals = false;
  summary_.memory.push_back(use);
  EXPECT_EQ(squeezed(memory_text(events(), summary_)),
            "\nmemory allocations frees at first peak at last peak reserved\n"
            "rank 2 device 3 7 5 0 B 2.00 MB 1.00 MB 3.00 MB\n"
            "rank 2 host since the beginning 7 5 0 B 2.00 MB 1.00 MB not recorded\n");
  const Json json = memory_json(summary_);
  EXPECT_EQ(json[0]["peak_bytes"], 2'000'000);
  EXPECT_TRUE(json[1]["peak_reserved_bytes"].is_null());
  EXPECT_EQ(memory_operations_text({2, 8, 30, 120}),
            "memory operations 2 of 8 (25.00 %), 25.00 % of the sum of durations\n");
}

TEST_F(TraceSections, CollectivesOfADeviceAndItsRanks) {
  DeviceSummary device;
  EXPECT_EQ(collectives_text(events(), summary_, device, 5), "");
  summary_.communication.kinds.resize(1);
  summary_.communication.kinds[0].name = text("allreduce");
  summary_.communication.kinds[0].group = text("0");
  summary_.communication.kinds[0].group_size = 2;
  CollectiveStatistics one;
  one.kind = 0;
  one.count = 3;
  one.total_ns = 3000;
  one.median_ns = 1000;
  one.exposed_ns = 600;
  one.bytes = 4'000'000;
  one.algorithm_bandwidth = 4000;
  one.bus_bandwidth = 4000;
  device.collectives = {one, one};
  EXPECT_EQ(squeezed(collectives_text(events(), summary_, device, 1)),
            "collective group size count total median exposed blocking algorithm bus\n"
            "allreduce 0 of 2 4.00 MB 3 3.000 us 1.000 us 600.0 ns not proved 4.00 TB/s 4.00 TB/s\n"
            "1 other kinds of collectives\n");
  EXPECT_TRUE(collectives_json(events(), summary_, device)[0]["blocking_ns"].is_null());

  RankComparison ranks;
  ranks.name = text("allreduce");
  ranks.group = text("0");
  ranks.group_size = 2;
  ranks.ranks = {{0, 3, 0, 500, 1200}, {1, 3, 3, 0, 700}};
  ranks.latest = 1;
  ranks.basis = MatchBasis::kUndetermined;
  summary_.ranks = {ranks};
  EXPECT_NE(ranks_text(events(), summary_).find("not compared, undetermined: without sequence"), std::string::npos);
  EXPECT_FALSE(ranks_json(events(), summary_)[0].contains("straggler"));
  EXPECT_EQ(ranks_json(events(), summary_)[0]["matched_by"], "undetermined");
  summary_.ranks[0].basis = MatchBasis::kSequence;
  EXPECT_NE(ranks_text(events(), summary_).find("not compared, none of them is in the recordings of all ranks"),
            std::string::npos);
  summary_.ranks[0].compared = 3;
  summary_.ranks[0].median_skew_ns = 500;
  summary_.ranks[0].max_skew_ns = 900;
  summary_.ranks[0].median_end_spread_ns = 20;
  EXPECT_EQ(squeezed(ranks_text(events(), summary_)),
            "\nallreduce of group 0 of 2: rank 1 begins last in 3 of 3 (undetermined whether by chance); skew median "
            "500.0 ns, max 900.0 ns; ends 20.00 "
            "ns apart "
            "(median)\nrank kernels median last waited\n0 3 1.200 us 0 500.0 ns\n1 3 700.0 ns 3 0 ns\n");
  EXPECT_EQ(ranks_json(events(), summary_)[0]["latest"], 1);
  EXPECT_EQ(ranks_json(events(), summary_)[0]["late"], "undetermined");
  EXPECT_TRUE(ranks_json(events(), summary_)[0]["straggler"].is_null());
  summary_.ranks[0].late = LateVerdict::kLate;
  EXPECT_EQ(ranks_json(events(), summary_)[0]["straggler"], 1);
}

TEST_F(TraceSections, ClocksOfRanks) {
  summary_.clocks = {{0, ClockState::kReference, 0, 0, 4}, {1, ClockState::kShifted, -1500, 300, 4}};
  EXPECT_EQ(squeezed(ranks_text(events(), summary_)),
            "\nclock of rank collectives\n0 4 the others are compared with it\n"
            "1 4 moved by -1.500 us, right within 300.0 ns\n");
  const Json clocks = clocks_json(summary_);
  EXPECT_TRUE(clocks[0]["error_ns"].is_null());
  EXPECT_EQ(clocks[1]["offset_ns"], -1500);
}

TEST_F(TraceSections, OperatorsAndHowTheyWereLinked) {
  OperatorWork work;
  work.rank = 1;
  work.device_ns = 1000;
  work.by_name = {{text("aten::mm"), kEmptyString, 2, 3, 800, 900, 40, 30},
                  {text("aten::add"), kEmptyString, 1, 1, 0, 0, 5, 10}};
  work.by_shape = {{text("aten::mm"), text("[[2,3],[3,4]]"), 2, 3, 800, 900, 40, 30}};
  summary_.operators = {work};
  EXPECT_EQ(squeezed(operators_text(events(), summary_, 1)),  // no slice has an operator
            "\nrank 1 operators\nnothing on a device is theirs: their time on the host\n"
            "operator count self on host of all on host mean self\naten::mm 2 30.00 ns 75.00 % 40.00 ns 15.00 ns\n"
            "1 other operators\n");
  summary_.operators[0].links = {3, 1, 2, 4};
  EXPECT_EQ(squeezed(operators_text(events(), summary_, 1)),
            "\nrank 1 operators\nlinked by time 3, by external id 1; without an operator 2, without a launch 4\n"
            "operator count launched self of device total on host self on host\n"
            "aten::mm 2 3 800.0 ns 80.00 % 900.0 ns 40.00 ns 30.00 ns\n"
            "1 other operators\n");
  const Json json = operators_json(events(), summary_);
  EXPECT_EQ(json[0]["links"]["no_launch"], 4);
  EXPECT_EQ(json[0]["by_shape"][0]["input_shapes"], "[[2,3],[3,4]]");
}

TEST_F(TraceSections, RooflineOfAHost) {
  RankRoofline rank;
  rank.on_host = true;
  OperatorRoof op;
  op.name = text("MatMul");
  op.shapes = text("[]");
  op.count = 2;
  op.time_ns = 4000;
  op.work.flops = 2e3;
  op.work.bytes = 6e3;
  op.work.dtype = "float32";
  op.work.product = MatrixProduct{1, 10, 10, 10, {}, {}};
  op.missing = "no roofs are given";
  rank.operators = {op};
  summary_.rooflines.push_back(rank);
  EXPECT_EQ(
      squeezed(rooflines_text(events(), summary_, 5)),
      "\nroofline\noperators by their own time on the host; no roofs (--roofs takes what `aaco doctor "
      "--measure` wrote on that machine)\n4.000 us of operators without a roof, 4.000 us of it because no roofs are "
      "given\noperator shapes type count mean FLOP/s bytes/s FLOP/B of roof bound\n"
      "MatMul [] float32 2 2.000 us 1 G 3 G 0.333 no data unknown: no roofs are given\n"
      "product batch M N K layout type count total FLOP/s of roof kernel\n"
      "MatMul 1 10 10 10 ?? float32 2 4.000 us 1 G no data\n");
  const Json json = rooflines_json(events(), summary_)[0];
  EXPECT_EQ(json["on_host"], true);
  EXPECT_EQ(json["operators"][0]["host_self_ns"], 4000);
  EXPECT_TRUE(json["operators"][0]["device_ns"].is_null());
}

TEST_F(TraceSections, RooflineWithAndWithoutARoof) {
  RankRoofline rank;
  OperatorRoof op;
  op.name = text("aten::mm");
  op.shapes = text("[[1000,1000],[1000,1000]]");
  op.count = 2;
  op.time_ns = 4000;
  op.work.flops = 2e9;
  op.work.bytes = 6e6;
  op.work.dtype = "bf16";
  op.missing = "no roof for bf16";
  rank.operators = {op};
  rank.operators_ns = 4000;
  summary_.rooflines.push_back(rank);
  EXPECT_EQ(
      squeezed(rooflines_text(events(), summary_, 5)),
      "\nroofline\nno roofs: the trace does not name its device (--accelerator names it, --roofs what was measured)\n"
      "4.000 us of operators without a roof, 4.000 us of it because no roof for bf16\n");
  RankRoofline& known = summary_.rooflines[0];
  known.accelerator = Accelerator{"X1", {}, {{"bf16", 2e15}}, {}, {}, 1e13, std::nullopt, "sheet", ""};
  known.operators[0].precision = "bf16";
  known.operators[0].roof_ns = 1000;
  known.operators[0].missing = "";
  known.operators[0].bound = RoofBound::kCompute;
  known.roofed_ns = 4000;
  EXPECT_EQ(squeezed(rooflines_text(events(), summary_, 5)),
            "\nroofline\nroofs of X1: sheet; 100.00 % of the operators' device time has one\n"
            "operator shapes type count mean FLOP/s bytes/s FLOP/B of roof bound\n"
            "aten::mm [[1000,1000],[1000,1000]] bf16 2 2.000 us 1e+03 T 3 T 333 50.0 % compute\n");
  EXPECT_EQ(rooflines_json(events(), summary_)[0]["operators"][0]["roof_fraction"], 0.5);
}

TEST_F(TraceSections, CriticalPathByKindNameAndStep) {
  CriticalPath path;
  path.ranks = {{0, 1}};
  path.window = {100, 300};
  path.shares[static_cast<size_t>(PathKind::kComputation)] = 150;
  path.shares[static_cast<size_t>(PathKind::kHostCall)] = 50;
  path.items = {{PathKind::kComputation, text("gemm"), 3, 150}, {PathKind::kHostCall, kEmptyString, 1, 50}};
  PathStep step;
  step.name = text("ProfilerStep#1");
  step.span = {100, 200};
  step.shares[static_cast<size_t>(PathKind::kComputation)] = 25;
  step.shares[static_cast<size_t>(PathKind::kHostCall)] = 75;
  path.steps = {step};
  summary_.critical_paths.push_back(std::move(path));
  EXPECT_EQ(squeezed(critical_paths_text(events(), summary_, 1)),
            "\nrank 1 critical path\non the path of window\ncomputation 150.0 ns 75.00 %\nhost call 50.00 ns 25.00 %\n"
            "window 200.0 ns 100.00 %\nlongest on the path kind parts total of window\n"
            "gemm computation 3 150.0 ns 75.00 %\n1 other 50.00 ns 25.00 %\n"
            "step length device host waits and delays unexplained\n"
            "ProfilerStep#1 100.0 ns 25.00 % 75.00 % 0.00 % 0.00 %\n");
  const Json json = critical_paths_json(events(), summary_);
  EXPECT_EQ(json[0]["window_ns"], 200);
  EXPECT_EQ(json[0]["steps"][0]["kinds"]["host_call_ns"], 75);
}

TEST_F(TraceSections, OffendersInTheirOrder) {
  EXPECT_EQ(offenders_text(summary_), "");
  Offender one;
  one.subject = "gemm";
  one.time_ns = 4000;
  one.stake_ns = 1000;
  one.share = 0.25;
  one.bound = "compute";
  one.stake_basis = "time above the roof";
  one.evidence = "2 times";
  one.recommendation = "do less.";
  one.rule = "a-rule";
  summary_.offenders = {one};
  EXPECT_EQ(offenders_text(summary_),
            "\nwhat to do next, by what each could save at most (savings do not add up)\n"
            "1. gemm: up to 1.000 us of 4.000 us (25.0 % of the window), limited by compute\n"
            "   time above the roof\n   2 times\n   do less. [a-rule]\n");
  EXPECT_EQ(offenders_json(summary_)[0]["subject"], "gemm");
}

TEST_F(TraceSections, FindingsWithTheirFigures) {
  EXPECT_TRUE(findings_json(summary_).is_array());
  EXPECT_TRUE(findings_json(summary_).empty());
  TraceFinding one;
  one.pattern = "layout-copies";
  one.rank = 3;
  one.figures = {{"copies", 64, "1"}};
  one.where = {"aten::reshape"};
  one.cost_ns = 1000;
  one.saves_ns = 900.5;
  summary_.findings = {one};
  const Json json = findings_json(summary_)[0];
  EXPECT_EQ(json["pattern"], "layout-copies");
  EXPECT_EQ(json["rank"], 3);
  EXPECT_TRUE(json["device"].is_null());
  EXPECT_EQ(json["figures"]["copies"]["value"], 64);
  EXPECT_EQ(json["figures"]["copies"]["unit"], "1");
  EXPECT_EQ(json["where"], Json::array({"aten::reshape"}));
  EXPECT_EQ(json["cost_ns"], 1000);
  EXPECT_EQ(json["saves_ns"], 900.5);
}

TEST_F(TraceSections, LossesWithRemedyAndTheFirst) {
  EXPECT_EQ(losses_text(LossTable()), "losses  none\n");
  LossTable losses;
  losses.add(Loss::kOverlap, 3);
  losses.add(Loss::kTruncated, [] { return std::string("t.json: byte 7"); });
  const std::string text = squeezed(losses_text(losses));
  EXPECT_LT(text.find("truncated tail 1 severe"), text.find("overlap in a stream 3 warning"));
  EXPECT_NE(text.find("record again, and let the profiler finish writing t.json: byte 7"), std::string::npos) << text;
  const Json json = losses_json(losses);
  EXPECT_EQ(json[0]["loss"], "truncated tail");
  EXPECT_EQ(json[0]["remedy"], "record again, and let the profiler finish writing");
  EXPECT_EQ(json[1]["count"], 3);
}

TEST_F(TraceSections, CountersWithAndWithoutData) {
  const uint32_t stream = trace_.stream(kNoId, 0, 0);
  trace_.add(stream, EventKind::kKernel, "gemm", 0, 1000, kNoId,
             {trace_.integer("TCC_HIT_sum", 30), trace_.integer("TCC_MISS_sum", 10)});
  summary_.counters = kernel_counters(events());
  const std::string text = counters_text(events(), summary_, 5);
  EXPECT_NE(text.find("counters of device 0, architecture not known"), std::string::npos) << text;
  EXPECT_NE(text.find("gemm\n  1 dispatch, 1.000 us\n  caches: L2 hits 75 %"), std::string::npos) << text;
  EXPECT_NE(text.find("no data, and what was not recorded of them"), std::string::npos);
  const Json json = counters_json(events(), summary_);
  EXPECT_EQ(json["kernels"][0]["metrics"]["l2_hit_rate"]["value"], 75);
  EXPECT_EQ(json["kernels"][0]["no_data"]["waves"]["missing"], Json({"SQ_WAVES"}));
}

TEST_F(TraceSections, AModelThatNamesItsMakerIsNotNamedTwice) {
  const uint32_t stream = trace_.stream(kNoId, 0, 0);
  trace_.add(stream, EventKind::kKernel, "gemm", 0, 1000, kNoId,
             {trace_.integer("launch__registers_per_thread", 30),
              trace_.text("device__attribute_display_name", "NVIDIA B200")});
  summary_.counters = kernel_counters(events());
  const std::string text = counters_text(events(), summary_, 5);
  EXPECT_NE(text.find("counters of device 0, NVIDIA B200\n"), std::string::npos) << text;
}

TEST_F(TraceSections, SamplesByKernelInstructionAndLine) {
  EXPECT_EQ(samples_text(events(), summary_, 5), "");
  const uint32_t device = trace_.stream(kNoId, 4, 1);
  const uint32_t host = trace_.thread();
  trace_.add(device, EventKind::kKernel, "add", 0, 10, kNoId, {trace_.integer("Dispatch_Id", 1)});
  const auto sample = [&](const char* instruction, int64_t issued, const char* cause) {
    trace_.table.add(
        {5, 0, kNoId, kNoId, text(instruction), text("PC_SAMPLING"), host, EventKind::kOther, EventShape::kInstant},
        std::vector{trace_.integer("Dispatch_Id", 1), trace_.integer("Wave_Issued_Instruction", issued),
                    trace_.text(issued != 0 ? "Instruction_Type" : "Stall_Reason", cause),
                    trace_.text("Instruction_Comment", "/a/long/way/down/to/the/source.cpp:12"),
                    trace_.integer("Wave_Count", 6), trace_.integer("Exec_Mask", 0xff)});
  };
  sample("s_waitcnt", 0, "WAITCNT");
  sample("s_waitcnt", 0, "WAITCNT");
  sample("s_waitcnt", 0, "BARRIER_WAIT");
  sample("v_add", 1, "VALU");
  summary_.samples = pc_samples(events(), summary_.losses);
  EXPECT_EQ(squeezed(samples_text(events(), summary_, 1)),
            "\n4 samples of the program counter\n\nadd\n"
            "device 4: 4 samples (100.00 % of all) of 1 dispatch, taken by the hardware (stochastic)\n"
            "issued the instruction 1 (25.00 %): VALU 1 (100.00 %)\n"
            "did not issue it 3 (75.00 %): WAITCNT 2 (66.67 %), BARRIER_WAIT 1 (33.33 %)\n"
            "6 waves active on the compute unit, 8 lanes active of the wave, on average over the samples\n"
            "instruction samples of kernel issued why not issued, of its samples at\n"
            "s_waitcnt 3 75.00 % 0 WAITCNT 2 (66.67 %), BARRIER_WAIT 1 (33.33 %) ...way/down/to/the/source.cpp:12\n"
            "1 other 1 25.00 %\nsource line samples of kernel\n...way/down/to/the/source.cpp:12 4 100.00 %\n");
  const Json kernel = samples_json(events(), summary_)["kernels"][0];
  EXPECT_EQ(kernel["stall_reasons"][0], Json({{"name", "WAITCNT"}, {"samples", 2}}));
  EXPECT_EQ(kernel["instructions"][0]["of_kernel"], 0.75);
  EXPECT_EQ(kernel["source_lines"][0]["samples"], 4);
  EXPECT_TRUE(kernel["instructions"][0]["offset"].is_null());
}

TEST_F(TraceSections, WhatOfTheJobIsHere) {
  EXPECT_EQ(job_coverage_text(std::nullopt, events()), "");
  for (const int64_t rank : {4, 0, 1, 2}) {
    trace_.stream(rank, 0, 0);
  }
  EXPECT_EQ(job_coverage_text(std::nullopt, events()), "");  // nothing says of how many
  trace_.table.metadata.push_back({0, text("distributedInfo"), text(R"({"rank": 0, "world_size": 8})")});
  EXPECT_EQ(job_coverage_text(std::nullopt, events()),
            "ranks 0-2, 4 of a job of 8: the other 4 are in no figure here\n");
  EXPECT_EQ(
      job_coverage_text(TraceShard{"j", 1, 3, 2}, events()),
      "shard 1 of the import that 3 processes of job j shared: what shard 0 holds is in no figure here; `aaco trace "
      "sql` asks all\nranks 0-2, 4 of a job of 8: the other 4 are in no figure here\n");
  trace_.table.metadata.push_back({0, text("distributedInfo"), text(R"({"world_size": 16})")});  // of another job
  EXPECT_EQ(job_coverage_text(TraceShard{"j", 0, 3, 1}, events()),
            "shard 0 of the import that 3 processes of job j shared: the only one that holds recordings\n"
            "holds ranks 0-2, 4\n");
  const Json json = job_coverage_json(TraceShard{"j", 1, 3, 3}, events());
  EXPECT_EQ(json["shard"]["missing"], Json({0, 2}));
  EXPECT_EQ(json["ranks"], Json({0, 1, 2, 4}));
  EXPECT_TRUE(json["ranks_of_job"].is_null());
}

TEST_F(TraceSections, IdleOfAnIncompleteTraceIsAnUpperBound) {
  const uint32_t stream = trace_.stream(0, 1, 7);
  trace_.add(stream, EventKind::kKernel, "gemm", 100, 300);
  trace_.add(stream, EventKind::kKernel, "gemm", 500, 100);
  const auto text = [&] { return squeezed(trace_report_text({}, events(), summarise_trace(events()), 3)); };
  EXPECT_NE(text().find("\nidle 100.0 ns"), std::string::npos);
  trace_.table.losses.add(Loss::kDropped);
  EXPECT_NE(text().find("\nidle (upper bound) 100.0 ns"), std::string::npos) << text();
  const Json json = trace_report_json({}, events(), summarise_trace(events()));
  EXPECT_EQ(json["devices"][0]["idle_is_upper_bound"], true);
}

// The whole report has each section that has something to say, and its JSON every key with or without.
TEST_F(TraceSections, OfAWholeReport) {
  const uint32_t stream = trace_.stream(0, 1, 7);
  trace_.add(stream, EventKind::kKernel, "gemm", 100, 300, 1);
  trace_.add(stream, EventKind::kKernel, "gemm", 500, 100);
  trace_.add(trace_.thread(0), EventKind::kHostCall, "hipLaunchKernel", 0, 20, 1);
  trace_.table.recordings.push_back({"t.json", "kineto"});
  summary_ = summarise_trace(events());
  const TraceOrigin origin{{{"t.json", "kineto", 10}}, {"notes.txt"}, std::nullopt};
  const std::string text = squeezed(trace_report_text(origin, events(), summary_, 3));
  EXPECT_TRUE(
      text.starts_with("t.json (kineto)\nnot read, in no known format: 1 file, the first notes.txt\n"
                       "3 events on 2 tracks\n"))
      << text;
  for (const char* part : {"\nrank 0 device 1\n", "\ncomputation 400.0 ns 80.00 %\n", "\nidle 100.0 ns 20.00 %\n",
                           "\ngemm 2 400.0 ns 100.00 % 100.0 ns 300.0 ns\n", "critical path", "what to do next"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << text;
  }
  EXPECT_EQ(text.find("program counter"), std::string::npos);
  const Json json = trace_report_json(origin, events(), summary_);
  EXPECT_EQ(json["devices"][0]["computation_ns"], 400);
  EXPECT_EQ(json["devices"][0]["idle_ns"], 100);
  for (const char* key :
       {"files", "recordings", "held", "events", "losses", "clocks", "ranks", "operators", "rooflines", "suspects",
        "findings", "offenders", "memory", "critical_paths", "counters", "pc_samples"}) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
}

}  // namespace
}  // namespace aaco::report
