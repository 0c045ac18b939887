// SPDX-License-Identifier: MIT
#include "analysis/counters/kernel_counters.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <string>

#include "analysis/counters/counter_operators.h"
#include "analysis/counters/counter_reader.h"
#include "analysis/counters/test_counters.h"

namespace aaco {
namespace {

constexpr const char* kSysinfo =
    "gpu_arch=gfx90a; gpu_model=MI210; cu_per_gpu=10; max_waves_per_cu=32; max_sclk=1000; total_l2_chan=4; hbm_bw=100; "
    "num_xcd=1";

double value_of(const KernelCounters& kernel, std::string_view metric) {
  const CounterValue* const value = kernel.find(metric);
  return value == nullptr ? NAN : value->value;
}

const CounterGap* gap_of(const KernelCounters& kernel, std::string_view metric) {
  for (const CounterGap& gap : kernel.gaps) {
    if (counter_metrics()[gap.metric].id == metric) {
      return &gap;
    }
  }
  return nullptr;
}

TEST(KernelCounters, NothingOfATraceWithoutCounters) {
  CounterTrace trace;
  trace.kernel("k", 10, "stream=7; grid=1");
  EXPECT_TRUE(kernel_counters(trace.table).kernels.empty());
}

TEST(KernelCounters, PassesOfADispatchAreOne) {
  CounterTrace trace;
  trace.kernel("k", 2000, "Dispatch_ID=5; TCC_HIT_sum=30");
  trace.kernel("k", 1000, "Dispatch_ID=5");  // timestamps: nothing was counted
  trace.kernel("k", 3000, "Dispatch_ID=5; TCC_MISS_sum=10; FETCH_SIZE=1000");
  const TraceCounters counters = kernel_counters(trace.table);
  ASSERT_EQ(counters.kernels.size(), 1);
  const KernelCounters& kernel = counters.kernels[0];
  EXPECT_EQ(kernel.dispatches, 1);
  EXPECT_EQ(kernel.duration_ns, 1000);
  EXPECT_EQ(value_of(kernel, "l2_hit_rate"), 75);
  EXPECT_EQ(value_of(kernel, "hbm_read_bandwidth"), 1024);
}

// Of omniperf 1, whose passes are tables of the first rocprof.
TEST(KernelCounters, PassesUnderOneIndexAreOne) {
  CounterTrace trace;
  trace.kernel("k", 90'000, "Index=0; TCC_HIT_sum=30");
  trace.kernel("k", 80'000, "Index=1; TCC_HIT_sum=10");
  trace.kernel("k", 3000, "Index=0; TCC_MISS_sum=10");
  trace.kernel("k", 4000, "Index=1; TCC_MISS_sum=30");
  trace.kernel("k", 1000, "Index=0; vgpr=8", EventShape::kSlice);
  trace.kernel("k", 2000, "Index=1; vgpr=8", EventShape::kSlice);
  const TraceCounters counters = kernel_counters(trace.table);
  ASSERT_EQ(counters.kernels.size(), 1);
  EXPECT_EQ(counters.kernels[0].dispatches, 2);
  EXPECT_EQ(counters.kernels[0].timed, 2);
  EXPECT_EQ(counters.kernels[0].duration_ns, 3000);
  EXPECT_EQ(value_of(counters.kernels[0], "l2_hit_rate"), 50);
}

TEST(KernelCounters, TheLengthIsThatOnTheTimeline) {
  CounterTrace trace;
  trace.kernel("k", 2000, "Dispatch_ID=5; TCC_OF_NO_FORMULA=3");  // counted, too
  trace.kernel("k", 1000, "Dispatch_ID=5; Arch_VGPR=8", EventShape::kSlice);
  trace.kernel("k", 3000, "Dispatch_ID=5; SQ_WAVES=10");
  EXPECT_EQ(kernel_counters(trace.table).kernels.at(0).duration_ns, 1000);
}

TEST(KernelCounters, DispatchesOfOtherNumbersNamesOrDevicesAreNot) {
  CounterTrace trace;
  trace.kernel("k", 10, "Dispatch_ID=1; SQ_WAVES=4");
  trace.kernel("k", 10, "Dispatch_ID=2; SQ_WAVES=6");
  trace.kernel("other", 10, "Dispatch_ID=1; SQ_WAVES=1");
  trace.table.tracks.push_back({.device = 1});
  trace.kernel("k", 10, "Dispatch_ID=1; SQ_WAVES=2");
  trace.table.track[3] = 1;
  const TraceCounters counters = kernel_counters(trace.table);
  ASSERT_EQ(counters.kernels.size(), 3);
  EXPECT_EQ(counters.kernels[0].dispatches, 2);
  EXPECT_EQ(value_of(counters.kernels[0], "waves"), 10);
  EXPECT_EQ(counters.kernels[0].find("waves")->least, 4);
  EXPECT_EQ(counters.kernels[0].find("waves")->most, 6);
  EXPECT_EQ(counters.kernels[2].device, 1);
}

TEST(KernelCounters, CountersAreAddedUpBeforeTheyAreDivided) {
  CounterTrace trace;
  trace.kernel("k", 10, "Dispatch_ID=1; TCC_HIT_sum=100; TCC_MISS_sum=0");
  trace.kernel("k", 10, "Dispatch_ID=2; TCC_HIT_sum=0; TCC_MISS_sum=300");
  trace.kernel("k", 10, "Dispatch_ID=3; TCC_HIT_sum=5");                  // not both
  trace.kernel("k", 10, "Dispatch_ID=4; TCC_HIT_sum=0; TCC_MISS_sum=0");  // no ratio
  const TraceCounters counters = kernel_counters(trace.table);
  const CounterValue& value = *counters.kernels.at(0).find("l2_hit_rate");
  EXPECT_EQ(value.value, 25);
  EXPECT_EQ(value.least, 0);
  EXPECT_EQ(value.most, 100);
  EXPECT_EQ(value.dispatches, 2);
  EXPECT_EQ(counters.kernels[0].dispatches, 4);
}

TEST(KernelCounters, RatiosAreWeightedByTime) {
  CounterTrace trace;
  trace.kernel("k", 100, "sm__throughput.avg.pct_of_peak_sustained_elapsed [%]=10");
  trace.kernel("k", 300, "sm__throughput.avg.pct_of_peak_sustained_elapsed [%]=50");
  TraceCounters counters = kernel_counters(trace.table);
  EXPECT_EQ(value_of(counters.kernels.at(0), "sm_throughput"), 40);
  trace.kernel("k", 0, "sm__throughput.avg.pct_of_peak_sustained_elapsed [%]=90");  // its length is not known
  counters = kernel_counters(trace.table);
  EXPECT_EQ(value_of(counters.kernels.at(0), "sm_throughput"), 50);
  EXPECT_EQ(counters.kernels[0].timed, 2);
  EXPECT_EQ(counters.machines[0].architecture, CounterArchitecture::kNvidia);
}

TEST(KernelCounters, WhatWasCountedTogetherIsDividedTogether) {
  CounterTrace trace;
  trace.kernel("k", 10, "Dispatch_ID=1; SQ_BUSY_CU_CYCLES=50; SQ_WAVES=1");
  trace.kernel("k", 10, "Dispatch_ID=1; SQ_BUSY_CU_CYCLES=100; SQ_INSTS=200");
  EXPECT_EQ(value_of(kernel_counters(trace.table).kernels.at(0), "ipc"), 2);
}

TEST(KernelCounters, OfAMergedTableAndItsPassesThePassCounts) {
  CounterTrace trace;
  trace.kernel("k", 10, "Dispatch_ID=1; SQ_BUSY_CU_CYCLES=50; SQ_INSTS=200; SQ_WAVES=1; SQ_WAIT_ANY=3");
  trace.kernel("k", 10, "Dispatch_ID=1; SQ_BUSY_CU_CYCLES=100; SQ_INSTS=200");
  EXPECT_EQ(value_of(kernel_counters(trace.table).kernels.at(0), "ipc"), 2);
}

TEST(KernelCounters, DispatchesThatWereNotCountedAreLeftOut) {
  CounterTrace trace;
  trace.kernel("k", 10, "Dispatch_ID=1; Arch_VGPR=8; SQ_WAVES=4");
  trace.kernel("k", 90, "Dispatch_ID=2; Arch_VGPR=8");
  trace.kernel("never counted", 70, "Dispatch_ID=3; Arch_VGPR=16");
  const TraceCounters counters = kernel_counters(trace.table);
  ASSERT_EQ(counters.kernels.size(), 2);
  EXPECT_EQ(value_of(counters.kernels[0], "vgprs"), 16);
  EXPECT_TRUE(counters.kernels[0].gaps.empty());
  EXPECT_EQ(counters.kernels[1].dispatches, 1);
  EXPECT_EQ(counters.kernels[1].duration_ns, 10);
}

TEST(KernelCounters, ALevelIsSummedUpUnderItsOwnName) {
  CounterTrace trace;
  trace.kernel("k", 10,
               "SQ_INST_LEVEL_VMEM=1; SQ_ACCUM_PREV_HIRES=500; SQ_INSTS_VMEM=10; SQ_INST_LEVEL_LDS=2; "
               "SQ_ACCUM_PREV_HIRES_11=60; SQ_INSTS_LDS=3; SQ_IFETCH_LEVEL=9; SQ_ACCUM_PREV_HIRES_12=9000");
  trace.kernel("other", 10, "SQ_ACCUM_PREV_HIRES=70; SQ_INST_LEVEL_SMEM=1; SQ_INSTS_SMEM=7");
  const TraceCounters counters = kernel_counters(trace.table);
  EXPECT_EQ(value_of(counters.kernels.at(0), "vmem_latency"), 50);
  EXPECT_EQ(value_of(counters.kernels[0], "lds_latency"), 20);
  EXPECT_EQ(value_of(counters.kernels.at(1), "smem_latency"), 10);
}

TEST(KernelCounters, WhatWasNotCountedIsNamed) {
  CounterTrace trace;
  trace.machine("system", "sysinfo", kSysinfo);
  trace.kernel("k", 10, "TCC_HIT_sum=30; TCP_GATE_EN1_sum=0; TCP_PENDING_STALL_CYCLES_sum=0");
  const TraceCounters counters = kernel_counters(trace.table);
  const KernelCounters& kernel = counters.kernels.at(0);
  EXPECT_EQ(kernel.find("l2_hit_rate"), nullptr);
  const CounterGap* gap = gap_of(kernel, "l2_hit_rate");
  ASSERT_NE(gap, nullptr);
  EXPECT_EQ(gap->lack, CounterLack::kNotRecorded);
  // Of "TCC_HIT / (TCC_HIT + TCC_MISS)" and "L2CacheHit" each lacks one.
  EXPECT_EQ(gap->missing, std::vector<std::string_view>{"TCC_MISS_sum"});
  gap = gap_of(kernel, "l1_stall_l2_data");
  ASSERT_NE(gap, nullptr);
  EXPECT_EQ(gap->lack, CounterLack::kUndefined);
  EXPECT_EQ(gap_of(kernel, "f8_rate"), nullptr);  // not of this architecture
  for (const CounterGap& each : kernel.gaps) {
    EXPECT_EQ(kernel.find(counter_metrics()[each.metric].id), nullptr);
  }
}

TEST(KernelCounters, CountersOfDifferentDispatchesAreNotPutTogether) {
  CounterTrace trace;
  trace.kernel("k", 10, "Dispatch_ID=1; TCC_HIT_sum=30");
  trace.kernel("k", 10, "Dispatch_ID=2; TCC_MISS_sum=30");
  const TraceCounters counters = kernel_counters(trace.table);
  const CounterGap* const gap = gap_of(counters.kernels.at(0), "l2_hit_rate");
  ASSERT_NE(gap, nullptr);
  EXPECT_EQ(gap->lack, CounterLack::kApart);
}

TEST(KernelCounters, WithoutADurationNoRate) {
  CounterTrace trace;
  trace.kernel("k", 0, "FETCH_SIZE=10");
  const TraceCounters counters = kernel_counters(trace.table);
  EXPECT_EQ(counters.kernels.at(0).timed, 0);
  const CounterGap* const gap = gap_of(counters.kernels[0], "hbm_read_bandwidth");
  ASSERT_NE(gap, nullptr);
  EXPECT_EQ(gap->missing, std::vector<std::string_view>{"$duration"});
}

TEST(KernelCounters, WithoutAnArchitectureOnlyWhatHoldsForAll) {
  CounterTrace trace;
  trace.kernel("k", 10, "TCC_REQ_sum=10; SQ_WAVES=5; GRBM_GUI_ACTIVE=10; SQ_ACTIVE_INST_VALU=3");
  const TraceCounters counters = kernel_counters(trace.table);
  const KernelCounters& kernel = counters.kernels.at(0);
  EXPECT_EQ(value_of(kernel, "waves"), 5);
  ASSERT_NE(gap_of(kernel, "l2_bandwidth"), nullptr);
  EXPECT_EQ(gap_of(kernel, "l2_bandwidth")->missing, std::vector<std::string_view>{"architecture"});
  ASSERT_NE(gap_of(kernel, "valu_utilization"), nullptr);
  EXPECT_EQ(gap_of(kernel, "valu_utilization")->missing, std::vector<std::string_view>{"VALUBusy"});
}

TEST(KernelCounters, BeyondItsRoofIsSuspectAndNotClipped) {
  CounterTrace trace;
  trace.machine("system", "sysinfo", kSysinfo);
  trace.machine("roof", "roofline", "device=0; HBMBw=50");
  trace.machine("roof", "roofline", "device=1; HBMBw=80; L2Bw=0");
  trace.kernel("too fast", 1, "FETCH_SIZE=1");                   // 1024 GB/s
  trace.kernel("beyond what was measured", 11, "FETCH_SIZE=1");  // 93 GB/s
  trace.kernel("within", 20, "FETCH_SIZE=1; TCC_REQ_sum=1");     // 51 GB/s
  trace.kernel("hits", 20, "L2CacheHit=100.5");
  trace.kernel("negative", 20,
               "TCP_TCC_READ_REQ_sum=3; TCP_TCC_WRITE_REQ_sum=0; TCP_TCC_ATOMIC_WITH_RET_REQ_sum=0; "
               "TCP_TCC_ATOMIC_WITHOUT_RET_REQ_sum=0; TCP_TOTAL_CACHE_ACCESSES_sum=1");
  const TraceCounters counters = kernel_counters(trace.table);
  for (const KernelCounters& kernel : counters.kernels) {
    const std::string_view name = trace.table.strings[kernel.name];
    const CounterValue& value = *kernel.find(name == "hits"       ? "l2_hit_rate"
                                             : name == "negative" ? "l1_hit_rate"
                                                                  : "hbm_read_bandwidth");
    EXPECT_EQ(value.suspect, name != "within") << name;
    if (name == "too fast") {
      EXPECT_EQ(value.value, 1024);
      EXPECT_EQ(value.roof->value, 100);
      EXPECT_EQ(value.roof->percent, 1024);
      EXPECT_EQ(value.measured->value, 80);
      EXPECT_EQ(value.measured->percent, 1280);
    }
    if (name == "within") {
      EXPECT_FALSE(kernel.find("l2_bandwidth")->measured.has_value());  // 0 is no roof
    }
    if (name == "negative") {
      EXPECT_EQ(value.value, -200);
    }
  }
}

TEST(KernelCounters, WhatATraceDoesNotSayIsFilledInByModel) {
  CounterTrace trace;
  trace.machine("system", "sysinfo", "gpu_arch=gfx942; gpu_model=MI300X_A1; cu_per_gpu=304; max_sclk=0");
  trace.kernel("k", 10, "SQ_WAVES=1");
  const CounterMachine machine = kernel_counters(trace.table).machines.at(0);
  const auto quantity = [&](std::string_view name) {
    const auto all = machine_quantities();
    for (size_t i = 0; i < all.size(); ++i) {
      if (all[i].name == name) {
        return std::pair(machine.quantities[i], machine.from[i]);
      }
    }
    return std::pair(0.0, std::string());
  };
  EXPECT_EQ(machine.architecture, CounterArchitecture::kMi300);
  EXPECT_EQ(quantity("$cu"), std::pair(304.0, std::string("sysinfo: cu_per_gpu")));
  EXPECT_EQ(quantity("$sclk"), std::pair(2100.0, std::string("AMD Instinct MI300X data sheet")));
  EXPECT_EQ(quantity("$hbm_bw").first, 5300);
  EXPECT_EQ(quantity("$lds_bytes").first, 65536);
  EXPECT_TRUE(std::isnan(quantity("$se").first));
}

TEST(KernelCounters, TheMachineAsOmniperfDescribesIt) {
  CounterTrace trace;
  trace.machine("system", "sysinfo", "gpu_soc=gfx90a; name=mi200; numCU=104; sclk=1700; hbmBW=1638.4; numSE=8");
  trace.kernel("k", 10, "SQ_WAVES=1");
  const CounterMachine machine = kernel_counters(trace.table).machines.at(0);
  EXPECT_EQ(machine.architecture, CounterArchitecture::kMi200);
  EXPECT_EQ(machine.model, "mi200");
  EXPECT_EQ(machine.from.at(0), "sysinfo: numCU");  // $cu
  EXPECT_EQ(machine.quantities.at(0), 104);
}

TEST(KernelCounters, AgentsOfADeviceByTheirNumber) {
  CounterTrace trace;
  trace.machine("AGENT", "AMD EPYC", "Node_Id=0; Agent_Type=CPU; Cu_Count=24");
  trace.machine("AGENT", "gfx90a", "Node_Id=4; Agent_Type=GPU; Cu_Count=104; Lds_Size_In_Kb=64; Product_Name=MI210");
  trace.machine("AGENT", "gfx942", "Node_Id=5; Agent_Type=GPU; Cu_Count=228; Num_Xcc=6; Product_Name=MI300A");
  trace.table.tracks[0].device = 5;
  trace.kernel("k", 10, "SQ_WAVES=1");
  EXPECT_EQ(kernel_counters(trace.table).machines.at(0).gfx, "gfx942");
  trace.table.tracks[0].device = 1;  // none of that number, and they differ
  EXPECT_EQ(kernel_counters(trace.table).machines.at(0).architecture, CounterArchitecture::kUnknown);
}

TEST(KernelCounters, AgentsThatAreDescribedAsJson) {
  CounterTrace trace;
  const auto describe = [&](std::string_view key, std::string_view json) {
    trace.table.metadata.push_back({0, trace.table.strings.intern(key), trace.table.strings.intern(json)});
  };
  describe("agent", R"({"type": 1, "name": "AMD EPYC", "cu_count": 24})");
  describe("agent", "[not an object");
  describe("agent", R"({"type": 2, "logical_node_id": 0, "name": "gfx950", "cu_count": 256, "lds_size_in_kb": 160})");
  trace.kernel("k", 10, "SQ_WAVES=1");
  CounterMachine machine = kernel_counters(trace.table).machines.at(0);
  EXPECT_EQ(machine.architecture, CounterArchitecture::kMi350);
  EXPECT_EQ(machine.quantities[0], 256);
  trace.table.metadata.clear();
  describe("rocpd_info_agent",
           R"({"id": 3, "type": "GPU", "name": "gfx942", "product_name": "MI300X", "extdata": "{\"cu_count\": 304}"})");
  describe("rocpd_info_agent", R"({"id": 4, "type": "GPU", "name": "gfx90a", "extdata": "nonsense"})");
  trace.table.tracks[0].device = 3;
  machine = kernel_counters(trace.table).machines.at(0);
  EXPECT_EQ(machine.gfx, "gfx942");
  EXPECT_EQ(machine.model, "MI300X");
  EXPECT_EQ(machine.quantities[0], 304);
}

TEST(KernelCounters, OperatorsThatLaunchedAKernelElsewhereInTheTrace) {
  CounterTrace trace;
  EventTable& table = trace.table;
  table.tracks.push_back({.rank = 0});
  table.tracks.push_back({.rank = 0, .device = 0, .stream = 7});
  const auto add = [&](EventKind kind, std::string_view name, int64_t start_ns, int64_t duration_ns, uint32_t track,
                       int64_t correlation) {
    table.add({start_ns, duration_ns, correlation, kNoId, table.strings.intern(name), kEmptyString, track, kind,
               EventShape::kSlice},
              {});
  };
  add(EventKind::kHostOp, "aten::mm", 0, 10, 1, kNoId);
  add(EventKind::kHostCall, "hipLaunchKernel", 2, 2, 1, 77);
  add(EventKind::kKernel, "gemm", 20, 30, 2, 77);
  add(EventKind::kHostCall, "hipLaunchKernel", 12, 2, 1, 78);  // outside of any operator
  add(EventKind::kKernel, "gemm", 60, 30, 2, 78);
  trace.kernel("gemm [clone .kd]", 10, "SQ_WAVES=1");
  TraceCounters counters = kernel_counters(table);
  join_operators(counters, table, device_work(table, LaunchIndex(table)));
  ASSERT_EQ(counters.kernels.size(), 1);
  ASSERT_EQ(counters.kernels[0].operators.size(), 1);
  EXPECT_EQ(table.strings[counters.kernels[0].operators[0].name], "aten::mm");
  EXPECT_EQ(counters.kernels[0].operators[0].launched, 1);
  EXPECT_EQ(counters.kernels[0].operators[0].device_ns, 30);
}

TEST(KernelCounters, HostileValues) {
  CounterTrace trace;
  trace.machine("system", "sysinfo", "gpu_arch=gfx90a; cu_per_gpu=-1; max_sclk=nonsense; num_xcd=1e300");
  const int64_t longest = std::numeric_limits<int64_t>::max();
  trace.kernel("k", longest, "Dispatch_ID=1; SQ_WAVES=1e308; SQ_WAVE_CYCLES=0; SQ_WAIT_ANY=1e308");
  trace.kernel("k", longest, "Dispatch_ID=2; SQ_WAVES=1e308; FETCH_SIZE=text; TCC_HIT_sum=-5; TCC_MISS_sum=5");
  const TraceCounters counters = kernel_counters(trace.table);
  ASSERT_EQ(counters.kernels.size(), 1);
  EXPECT_EQ(counters.kernels[0].duration_ns, longest);
  EXPECT_EQ(counters.kernels[0].find("waves"), nullptr);  // their sum is no number
  for (const CounterValue& value : counters.kernels[0].values) {
    EXPECT_TRUE(std::isfinite(value.value)) << counter_metrics()[value.formula->metric].id;
  }
}

TEST(CounterReader, UnitsOfNames) {
  EXPECT_EQ(without_unit("dram__bytes.sum [Mbyte]").name, "dram__bytes.sum");
  EXPECT_EQ(without_unit("dram__bytes.sum [Mbyte]").factor, 1e6);
  EXPECT_EQ(without_unit("clock [cycle/nsecond]").factor, 1e9);
  EXPECT_EQ(without_unit("launch__registers_per_thread [register/thread]").factor, 1);
  EXPECT_EQ(without_unit("TCC_HIT[0]").name, "TCC_HIT[0]");
}

TEST(CounterOperators, NamesWithoutTheMarksOfASymbol) {
  EXPECT_EQ(plain_kernel_name("k(int) [clone .kd]"), "k(int)");
  EXPECT_EQ(plain_kernel_name("k(int) (.kd)"), "k(int)");
  EXPECT_EQ(plain_kernel_name("k.kd"), "k");
  EXPECT_EQ(plain_kernel_name("k"), "k");
}

TEST(KernelCounters, WhatIsMissingIsACounterAndNoFigureOfRocprofCompute) {
  CounterTrace trace;
  trace.machine("system", "sysinfo", "gpu_arch=gfx942; gpu_model=MI300X");
  trace.kernel("k", 10, "SQ_WAVES=5");
  const TraceCounters counters = kernel_counters(trace.table);
  ASSERT_FALSE(counters.kernels.at(0).gaps.empty());
  for (const CounterGap& gap : counters.kernels[0].gaps) {
    for (const std::string_view name : gap.missing) {
      EXPECT_EQ(name.find(':'), std::string_view::npos) << name;
    }
  }
}

TEST(KernelCounters, OfRocprofComputesDatabaseTheMachineAndItsFigures) {
  CounterTrace trace;
  const std::string info = R"({"gpu_arch": "gfx950", "gpu_model": "MI350", "cu_per_gpu": 256, "num_xcd": 8})";
  trace.table.add({0, 0, kNoId, kNoId, trace.table.strings.intern("pi"), trace.table.strings.intern("workload"), 0,
                   EventKind::kOther, EventShape::kUntimed},
                  std::vector{Argument{trace.table.strings.intern("sys_info_extdata"), ArgumentType::kText,
                                       trace.table.strings.intern(info)}});
  trace.kernel("k", 0, "2.1.22 L2 Cache Hit Rate Avg=83.5; 2.1.9 Active CUs (deprecated) Avg=181.0; 7.1.5 VGPRs Min=8");
  const TraceCounters counters = kernel_counters(trace.table);
  ASSERT_EQ(counters.kernels.size(), 1);
  EXPECT_EQ(counters.machines[0].architecture, CounterArchitecture::kMi350);
  EXPECT_EQ(value_of(counters.kernels[0], "l2_hit_rate"), 83.5);
  EXPECT_EQ(counters.kernels[0].find("vgprs"), nullptr);  // the least is not the mean
  EXPECT_EQ(counters.kernels[0].values.size(), 1);
}

}  // namespace
}  // namespace aaco
