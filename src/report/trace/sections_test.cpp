// SPDX-License-Identifier: MIT
// Each section of a trace's report over figures that are given: what is shown, shortened and left out.
#include "report/trace/sections.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/timeline/test_trace.h"
#include "base/json/json.h"
#include "report/sinks.h"
#include "report/trace/losses.h"

namespace aaco::report {
namespace {

using testing::HasSubstr;

// Columns are held apart by one space.
std::string squeezed(const std::string& text) {
  std::string line;
  for (const char letter : text) {
    const bool again = letter == ' ' && (line.empty() || line.back() == ' ' || line.back() == '\n');
    if (letter == '\n' && !line.empty() && line.back() == ' ') {
      line.pop_back();
    }
    line += again ? "" : std::string(1, letter);
  }
  return line;
}

class TraceSections : public testing::Test {
 protected:
  StringId text(std::string_view name) { return trace_.table.strings.intern(name); }
  const EventTable& events() const { return trace_.table; }
  using Section = void (*)(const TraceInput& input, Outline& at);
  std::string lines(Section section, size_t most = 5) const {
    Outline at(Outline::Form::kSections, most);
    section({origin_, events(), summary_}, at);
    return squeezed(render_lines({.sections = at.take_sections()}));
  }
  Json data(Section section) const {
    Outline at(Outline::Form::kData);
    section({origin_, events(), summary_}, at);
    return at.data();
  }
  std::string coverage(const std::optional<TraceShard>& shard) const {
    Outline at(Outline::Form::kSections);
    outline_coverage({{}, {}, shard}, events(), at);
    return render_lines({.sections = at.take_sections()});
  }
  // The section of a device that is alone.
  std::string device_lines(const DeviceSummary& device, size_t most = 5) {
    summary_.devices = {device};
    return lines(outline_devices, most);
  }

  TestTrace trace_;
  TraceSummary summary_;
  TraceOrigin origin_;
};

TEST_F(TraceSections, WithoutADeviceSayWhatThereIs) {
  EXPECT_EQ(lines(outline_no_device), "no device activity with times in this trace\n");
  const uint32_t host = trace_.thread(0);
  trace_.add(host, EventKind::kHostCall, "hipLaunchKernel", 0, 5);
  trace_.add(host, EventKind::kHostCall, "hipModuleLaunchKernel", 10, 5);
  trace_.add(host, EventKind::kHostCall, "hipMalloc", 20, 5);
  trace_.add(host, EventKind::kHostOp, "Launch", 30, 5);
  trace_.table.shape.back() = EventShape::kUntimed;
  trace_.add(host, EventKind::kOther, "power", 40, 0);
  trace_.table.shape.back() = EventShape::kCounter;
  EXPECT_EQ(
      lines(outline_no_device),
      "no device activity with times in this trace\n"
      "2 calls launched work: the profiler did not record what ran on the device\n"
      "1 row has no times (sums, counters, readings): `aaco trace import FILE`, then `aaco trace sql`, show them\n"
      "1 reading over time: `aaco trace import FILE`, then `aaco trace sql`, show them\n");
  EXPECT_EQ(data(outline_no_device)["undated"], Json::parse(R"({"untimed": 1, "readings": 1, "launch_calls": 2})"));
}

TEST_F(TraceSections, IdleByCauseAndHolder) {
  DeviceSummary device;
  EXPECT_EQ(device_lines(device).find("idle because"), std::string::npos);
  device.budget.idle_ns = 1000;
  device.idle.shares[static_cast<size_t>(IdleCause::kHostCall)] = {1, 750};
  device.idle.shares[static_cast<size_t>(IdleCause::kUnexplained)] = {2, 250};
  device.idle.holders = {{IdleCause::kHostCall, text("hipMalloc"), 1, 750},
                         {IdleCause::kUnexplained, kEmptyString, 2, 200},
                         {IdleCause::kUnexplained, text("k"), 1, 50}};
  EXPECT_THAT(device_lines(device, 2),
              HasSubstr("idle because of idle\nhost busy in a runtime call 750.0 ns 75.00 %\nnot explained 250.0 ns "
                        "25.00 %\n\nidle held by why spans total of idle\n"
                        "hipMalloc host busy in a runtime call 1 750.0 ns 75.00 %\n"
                        "(nothing recorded) not explained 2 200.0 ns 20.00 %\n1 other 50.00 ns 5.00 %\n"));
  const Json json = data(outline_devices)["devices"][0];
  EXPECT_EQ(json["idle_causes"].size(), kIdleCauses);
  EXPECT_EQ(json["idle_causes"]["host_call_ns"], 750);
  EXPECT_EQ(json["idle_held_by"][0]["name"], "hipMalloc");
  EXPECT_TRUE(json["idle_held_by"][1]["name"].is_null());
}

TEST_F(TraceSections, Launches) {
  DeviceSummary device;
  EXPECT_THAT(device_lines(device), HasSubstr("\nlaunches none recorded\n"));
  EXPECT_EQ(data(outline_devices)["devices"][0]["launches"], Json({{"count", 0}}));
  device.budget.window = {0, 100};
  LaunchQueue& queue = device.queue;
  queue.launches = 4;
  queue.median_delay_ns = 3000;
  queue.p99_delay_ns = 9000;
  queue.max_delay_ns = 10000;
  queue.mean_depth = 1.5;
  queue.max_depth = 3;
  queue.empty_ns = 25;
  EXPECT_THAT(device_lines(device),
              HasSubstr("\nlaunches of launches median delay p99 max mean queue depth max queue empty for\n"
                        "device (not named) 4 3.000 us 9.000 us 10.00 us 1.5 3 25.00 %\n"));
  EXPECT_EQ(data(outline_devices)["devices"][0]["launches"]["queue"]["max_depth"], 3);
}

TEST_F(TraceSections, MemoryOfADevice) {
  EXPECT_EQ(lines(outline_memory), "");
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
  EXPECT_EQ(lines(outline_memory),
            "memory allocations frees at first peak at last peak reserved\n"
            "rank 2 device 3 7 5 0 B 2.00 MB 1.00 MB 3.00 MB\n"
            "rank 2 host since the beginning 7 5 0 B 2.00 MB 1.00 MB not recorded\n");
  const Json json = data(outline_memory)["memory"];
  EXPECT_EQ(json[0]["peak_bytes"], 2'000'000);
  EXPECT_TRUE(json[1]["peak_reserved_bytes"].is_null());
  DeviceSummary device;
  device.memory_operations = {2, 8, 30, 120};
  EXPECT_THAT(device_lines(device),
              HasSubstr("\ncopies and memory sets 2 of 8 (25.00 %), 25.00 % of the sum of durations\n"));
}

TEST_F(TraceSections, CollectivesOfADeviceAndItsRanks) {
  DeviceSummary device;
  EXPECT_EQ(device_lines(device).find("collective"), std::string::npos);
  summary_.communication.kinds.resize(1);
  summary_.communication.kinds[0].name = text("allreduce");
  summary_.communication.kinds[0].group = text("0");
  summary_.communication.kinds[0].group_size = 2;
  CollectiveStatistics collective;
  collective.kind = 0;
  collective.count = 3;
  collective.total_ns = 3000;
  collective.median_ns = 1000;
  collective.exposed_ns = 600;
  collective.bytes = 4'000'000;
  collective.algorithm_bandwidth = 4000;
  collective.bus_bandwidth = 4000;
  device.collectives = {collective, collective};
  EXPECT_THAT(device_lines(device, 1),
              HasSubstr("collective group size count total median exposed blocking algorithm bus\n"
                        "allreduce 0 of 2 4.00 MB 3 3.000 us 1.000 us 600.0 ns not proved 4.00 TB/s 4.00 TB/s\n"
                        "1 other kind of collectives\n"));
  EXPECT_TRUE(data(outline_devices)["devices"][0]["collectives"][0]["blocking_ns"].is_null());

  RankComparison ranks;
  ranks.name = text("allreduce");
  ranks.group = text("0");
  ranks.group_size = 2;
  ranks.ranks = {{0, 3, 0, 500, 1200}, {1, 3, 3, 0, 700}};
  ranks.latest = 1;
  ranks.basis = MatchBasis::kUndetermined;
  summary_.ranks = {ranks};
  EXPECT_NE(lines(outline_ranks).find("not compared, undetermined: without sequence"), std::string::npos);
  EXPECT_FALSE(data(outline_ranks)["ranks"][0].contains("straggler"));
  EXPECT_EQ(data(outline_ranks)["ranks"][0]["matched_by"], "undetermined");
  summary_.ranks[0].basis = MatchBasis::kSequence;
  EXPECT_NE(lines(outline_ranks).find("not compared, none of them is in the recordings of all ranks"),
            std::string::npos);
  summary_.ranks[0].compared = 3;
  summary_.ranks[0].median_skew_ns = 500;
  summary_.ranks[0].max_skew_ns = 900;
  summary_.ranks[0].median_end_spread_ns = 20;
  EXPECT_EQ(lines(outline_ranks),
            "allreduce of group 0 of 2: rank 1 begins last in 3 of 3 (undetermined whether by chance); skew median "
            "500.0 ns, max 900.0 ns; ends 20.00 "
            "ns apart "
            "(median)\nrank kernels median last waited\n0 3 1.200 us 0 500.0 ns\n1 3 700.0 ns 3 0 ns\n");
  EXPECT_EQ(data(outline_ranks)["ranks"][0]["latest"], 1);
  EXPECT_EQ(data(outline_ranks)["ranks"][0]["late"], "undetermined");
  EXPECT_TRUE(data(outline_ranks)["ranks"][0]["straggler"].is_null());
  summary_.ranks[0].late = LateVerdict::kLate;
  EXPECT_EQ(data(outline_ranks)["ranks"][0]["straggler"], 1);
}

TEST_F(TraceSections, ClocksOfRanks) {
  summary_.clocks = {{0, ClockState::kReference, 0, 0, 4}, {1, ClockState::kShifted, -1500, 300, 4}};
  EXPECT_EQ(lines(outline_ranks),
            "clock of rank collectives\n0 4 the others are compared with it\n"
            "1 4 moved by -1.500 us, right within 300.0 ns\n");
  const Json clocks = data(outline_ranks)["clocks"];
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
  EXPECT_EQ(lines(outline_operators, 1),  // no slice has an operator
            "rank 1 operators\nnothing on a device is theirs: their time on the host\n"
            "operator count self on host of all on host mean self\naten::mm 2 30.00 ns 75.00 % 40.00 ns 15.00 ns\n"
            "1 other operator\n");
  summary_.operators[0].links = {3, 1, 2, 4};
  EXPECT_EQ(lines(outline_operators, 1),
            "rank 1 operators\nlinked by time 3, by external id 1; without an operator 2, without a launch 4\n"
            "operator count launched self of device total on host self on host\n"
            "aten::mm 2 3 800.0 ns 80.00 % 900.0 ns 40.00 ns 30.00 ns\n"
            "1 other operator\n");
  const Json json = data(outline_operators)["operators"];
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
      lines(outline_rooflines),
      "roofline\noperators by their own time on the host; no roofs (--roofs takes what `aaco doctor "
      "--measure` wrote on that machine)\n4.000 us of operators without a roof, 4.000 us of it because no roofs are "
      "given\noperator shapes type count mean FLOP/s bytes/s FLOP/B of roof bound\n"
      "MatMul [] float32 2 2.000 us 1 G 3 G 0.333 no data unknown: no roofs are given\n"
      "product batch M N K layout type count total FLOP/s of roof kernel\n"
      "MatMul 1 10 10 10 ?? float32 2 4.000 us 1 G no data\n");
  const Json json = data(outline_rooflines)["rooflines"][0];
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
      lines(outline_rooflines),
      "roofline\nno roofs: the trace does not name its device (--accelerator names it, --roofs what was measured)\n"
      "4.000 us of operators without a roof, 4.000 us of it because no roof for bf16\n");
  RankRoofline& known = summary_.rooflines[0];
  known.accelerator = Accelerator{"X1", {}, {{"bf16", 2e15}}, {}, {}, 1e13, std::nullopt, "sheet", ""};
  known.operators[0].precision = "bf16";
  known.operators[0].roof_ns = 1000;
  known.operators[0].missing = "";
  known.operators[0].bound = RoofBound::kCompute;
  known.roofed_ns = 4000;
  EXPECT_EQ(lines(outline_rooflines),
            "roofline\nroofs of X1: sheet; 100.00 % of the operators' device time has one\n"
            "operator shapes type count mean FLOP/s bytes/s FLOP/B of roof bound\n"
            "aten::mm [[1000,1000],[1000,1000]] bf16 2 2.000 us 1e+03 T 3 T 333 50.0 % compute\n");
  EXPECT_EQ(data(outline_rooflines)["rooflines"][0]["operators"][0]["roof_fraction"], 0.5);
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
  EXPECT_EQ(lines(outline_critical_paths, 1),
            "rank 1 critical path\non the path of window\ncomputation 150.0 ns 75.00 %\n"
            "host busy in a runtime call 50.00 ns 25.00 %\n"
            "window 200.0 ns 100.00 %\n\nlongest on the path kind parts total of window\n"
            "gemm computation 3 150.0 ns 75.00 %\n1 other 50.00 ns 25.00 %\n"
            "step length device host waits and delays unexplained\n"
            "ProfilerStep#1 100.0 ns 25.00 % 75.00 % 0.00 % 0.00 %\n");
  const Json json = data(outline_critical_paths)["critical_paths"];
  EXPECT_EQ(json[0]["window_ns"], 200);
  EXPECT_EQ(json[0]["steps"][0]["kinds"]["host_call_ns"], 75);
}

TEST_F(TraceSections, OffendersInTheirOrder) {
  EXPECT_EQ(lines(outline_offenders), "");
  Offender offender;
  offender.subject = "gemm";
  offender.time_ns = 4000;
  offender.stake_ns = 1000;
  offender.share = 0.25;
  offender.bound = "compute";
  offender.stake_basis = "time above the roof";
  offender.evidence = "2 times";
  offender.recommendation = "do less.";
  offender.rule = "a-rule";
  summary_.offenders = {offender};
  EXPECT_EQ(lines(outline_offenders),
            "what to do next, by what each could save at most (savings do not add up)\n"
            "1. gemm: could save up to 1.000 us (6.2 % of the window), limited by compute\n"
            "do less.\n2 times; time above the roof\n");
  summary_.offenders[0].stake_ns = 100;  // 0.6 % of the window
  EXPECT_EQ(lines(outline_offenders),
            "what to do next, by what each could save at most (savings do not add up)\n"
            "1 other below 1 % of the window (--section next)\n");
  EXPECT_EQ(data(outline_offenders)["offenders"][0]["subject"], "gemm");
}

TEST_F(TraceSections, FindingsWithTheirFigures) {
  EXPECT_TRUE(data(outline_findings)["findings"].is_array());
  EXPECT_TRUE(data(outline_findings)["findings"].empty());
  TraceFinding finding;
  finding.pattern = "layout-copies";
  finding.rank = 3;
  finding.figures = {{"copies", 64, "1"}};
  finding.where = {"aten::reshape"};
  finding.cost_ns = 1000;
  finding.saves_ns = 900.5;
  summary_.findings = {finding};
  const Json json = data(outline_findings)["findings"][0];
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
  EXPECT_EQ(loss_lines(LossTable()), "losses  none\n");
  LossTable losses;
  losses.add(Loss::kOverlap, 3);
  losses.add(Loss::kTruncated, [] { return std::string("t.json: byte 7"); });
  const std::string text = squeezed(loss_lines(losses));
  EXPECT_LT(text.find("truncated tail 1 severe"), text.find("overlap in a stream 3 warning"));
  EXPECT_NE(text.find("record again, and let the profiler finish writing t.json: byte 7"), std::string::npos) << text;
  const Json json = loss_rows(losses);
  EXPECT_EQ(json[0]["loss"], "truncated tail");
  EXPECT_EQ(json[0]["remedy"], "record again, and let the profiler finish writing");
  EXPECT_EQ(json[1]["count"], 3);
}

TEST_F(TraceSections, LossesThatChangeNoFigureAreCounted) {
  summary_.losses.add(Loss::kUnmatchedFlow, 3903);
  const std::string text = lines(outline_source);
  EXPECT_NE(text.find("\n1 kind of losses that change no figure: 3903 unmatched flow (--section source"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("an arrow with one end only"), std::string::npos);
  summary_.losses.add(Loss::kOverlap, 2);
  EXPECT_NE(lines(outline_source).find("overlap in a stream 2 warning"), std::string::npos);
  Outline chosen(Outline::Form::kSections, 5, "source");
  chosen.begin("source");
  outline_source({origin_, events(), summary_}, chosen);
  EXPECT_NE(render_lines({.sections = chosen.take_sections()}).find("an arrow with one end only"), std::string::npos);
}

TEST_F(TraceSections, CountersWithAndWithoutData) {
  const uint32_t stream = trace_.stream(kNoId, 0, 0);
  trace_.add(stream, EventKind::kKernel, "gemm", 0, 1000, kNoId,
             {trace_.integer("TCC_HIT_sum", 30), trace_.integer("TCC_MISS_sum", 10)});
  summary_.counters = kernel_counters(events());
  const std::string text = lines(outline_counters);
  EXPECT_NE(text.find("counters of device 0, architecture not known"), std::string::npos) << text;
  EXPECT_NE(text.find("gemm\n1 dispatch, 1.000 us\ncaches: L2 hits 75 %"), std::string::npos) << text;
  EXPECT_NE(text.find("no data, and what was not recorded of them"), std::string::npos);
  const Json json = data(outline_counters)["counters"];
  EXPECT_EQ(json["kernels"][0]["metrics"]["l2_hit_rate"]["value"], 75);
  EXPECT_EQ(json["kernels"][0]["no_data"]["waves"]["missing"], Json({"SQ_WAVES"}));
}

TEST_F(TraceSections, AModelThatNamesItsMakerIsNotNamedTwice) {
  const uint32_t stream = trace_.stream(kNoId, 0, 0);
  trace_.add(stream, EventKind::kKernel, "gemm", 0, 1000, kNoId,
             {trace_.integer("launch__registers_per_thread", 30),
              trace_.text("device__attribute_display_name", "NVIDIA B200")});
  summary_.counters = kernel_counters(events());
  const std::string text = lines(outline_counters);
  EXPECT_NE(text.find("counters of device 0, NVIDIA B200\n"), std::string::npos) << text;
}

TEST_F(TraceSections, SamplesByKernelInstructionAndLine) {
  EXPECT_EQ(lines(outline_samples), "");
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
  EXPECT_EQ(lines(outline_samples, 1),
            "4 samples of the program counter\n\nadd\n"
            "device 4: 4 samples (100.00 % of all) of 1 dispatch, taken by the hardware (stochastic)\n"
            "issued the instruction 1 (25.00 %): VALU 1 (100.00 %)\n"
            "did not issue it 3 (75.00 %): WAITCNT 2 (66.67 %), BARRIER_WAIT 1 (33.33 %)\n"
            "6 waves active on the compute unit, 8 lanes active of the wave, on average over the samples\n"
            "instruction samples of kernel issued why not issued, of its samples at\n"
            "s_waitcnt 3 75.00 % 0 WAITCNT 2 (66.67 %), BARRIER_WAIT 1 (33.33 %) ...way/down/to/the/source.cpp:12\n"
            "1 other 1 25.00 %\nsource line samples of kernel\n...way/down/to/the/source.cpp:12 4 100.00 %\n");
  const Json kernel = data(outline_samples)["pc_samples"]["kernels"][0];
  EXPECT_EQ(kernel["stall_reasons"][0], Json({{"name", "WAITCNT"}, {"samples", 2}}));
  EXPECT_EQ(kernel["instructions"][0]["of_kernel"], 0.75);
  EXPECT_EQ(kernel["source_lines"][0]["samples"], 4);
  EXPECT_TRUE(kernel["instructions"][0]["offset"].is_null());
}

TEST_F(TraceSections, WhatOfTheJobIsHere) {
  EXPECT_EQ(coverage(std::nullopt), "");
  for (const int64_t rank : {4, 0, 1, 2}) {
    trace_.stream(rank, 0, 0);
  }
  EXPECT_EQ(coverage(std::nullopt), "");  // nothing says of how many
  trace_.table.metadata.push_back({0, text("distributedInfo"), text(R"({"rank": 0, "world_size": 8})")});
  EXPECT_EQ(coverage(std::nullopt), "ranks 0-2, 4 of a job of 8: the other 4 are in no figure here\n");
  EXPECT_EQ(
      coverage(TraceShard{"j", 1, 3, 2}),
      "shard 1 of the import that 3 processes of job j shared: what shard 0 holds is in no figure here; `aaco trace "
      "sql` asks all\nranks 0-2, 4 of a job of 8: the other 4 are in no figure here\n");
  trace_.table.metadata.push_back({0, text("distributedInfo"), text(R"({"world_size": 16})")});  // of another job
  EXPECT_EQ(coverage(TraceShard{"j", 0, 3, 1}),
            "shard 0 of the import that 3 processes of job j shared: the only one that holds recordings\n"
            "holds ranks 0-2, 4\n");
  origin_.shard = TraceShard{"j", 1, 3, 3};
  const Json json = data(outline_source)["held"];
  EXPECT_EQ(json["shard"]["missing"], Json({0, 2}));
  EXPECT_EQ(json["ranks"], Json({0, 1, 2, 4}));
  EXPECT_TRUE(json["ranks_of_job"].is_null());
}

}  // namespace
}  // namespace aaco::report
