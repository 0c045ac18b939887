// SPDX-License-Identifier: MIT
#include "ingest/rocprof/rocprof_compute_csv.h"

#include <filesystem>
#include <fstream>
#include <utility>

#include "base/files/temporary_folder.h"
#include "ingest/test_reading.h"

namespace aaco {
namespace {

TEST(RocprofComputeCsv, TheWideForm) {
  const EventTable table =
      read_text(read_rocprof_compute_csv,
                "Dispatch_ID,Kernel_Name,GPU_ID,Grid_Size,TCC_HIT[0],Start_Timestamp,End_Timestamp\n"
                "0,\"copy(double*, int) [clone .kd]\",2,64,5,1000,1250\n");
  ASSERT_EQ(table.size(), 1);
  EXPECT_EQ(table.kind[0], EventKind::kKernel);
  EXPECT_EQ(table.start_ns[0], 1000);
  EXPECT_EQ(table.duration_ns[0], 250);
  EXPECT_EQ(track_at(table, 0).device, 2);
  EXPECT_EQ(argument_at(table, 0, "TCC_HIT[0]"), "5");
}

TEST(RocprofComputeCsv, ADispatchWithoutItsStartHasNoTime) {
  const EventTable table = read_text(read_rocprof_compute_csv,
                                     "Dispatch_ID,Kernel_Name,GPU_ID,Start_Timestamp,End_Timestamp,GRBM_COUNT\n\n"
                                     "1,k,2,0,140469300947216,5\n");
  ASSERT_EQ(table.size(), 1);
  EXPECT_EQ(table.shape[0], EventShape::kUntimed);
  EXPECT_EQ(table.duration_ns[0], 0);
  EXPECT_EQ(argument_at(table, 0, "GRBM_COUNT"), "5");
  EXPECT_EQ(table.losses.count(Loss::kNoTime), 1);
}

// A dispatch in two passes: two runs of the program, of which one has the dispatch's times.
TEST(RocprofComputeCsv, TheLongFormHasAnEventForEachPassAndOneTime) {
  const EventTable table =
      read_text(read_rocprof_compute_csv,
                "GPU_ID,Dispatch_ID,Kernel_Name,Start_Timestamp,End_Timestamp,Counter_Name,Counter_Value\n"
                "2,1,k,13386742234691895,13386742234691995,A,0.0\n2,1,k,13386742234691895,13386742234691995,B,1\n"
                "2,1,k,500,590,C,2\n2,2,k,13386742234692895,13386742234692995,A,3\n");
  ASSERT_EQ(table.size(), 3);
  EXPECT_EQ(table.shape[0], EventShape::kSlice);
  EXPECT_EQ(argument_at(table, 0, "A"), "0");
  EXPECT_EQ(argument_at(table, 0, "B"), "1");
  EXPECT_EQ(table.shape[1], EventShape::kUntimed);
  EXPECT_EQ(table.duration_ns[1], 90);
  EXPECT_EQ(table.start_ns[1], 0);
  EXPECT_EQ(argument_at(table, 1, "Start_Timestamp"), "500");
  EXPECT_EQ(argument_at(table, 1, "C"), "2");
  EXPECT_EQ(table.shape[2], EventShape::kSlice);
  EXPECT_TRUE(table.losses.entries().empty());
}

TEST(RocprofComputeCsv, FilesOfAWorkloadCountADispatchOnce) {
  const std::string_view pass =
      "Dispatch_ID,Kernel_Name,GPU_ID,queue-id,Start_Timestamp,End_Timestamp\n0,k,2,0,1000,1250\n1,k,2,0,2000,2250\n";
  EventTable table;
  read_more(read_rocprof_compute_csv, pass, table);
  read_more(read_rocprof_compute_csv, pass, table);
  read_more(read_rocprof_compute_csv, "Dispatch_ID,Kernel_Name,GPU_ID\n0,k,2\n", table);
  ASSERT_EQ(table.size(), 5);
  EXPECT_EQ(table.shape[1], EventShape::kSlice);
  EXPECT_EQ(table.shape[2], EventShape::kUntimed);
  EXPECT_EQ(table.shape[3], EventShape::kUntimed);
  EXPECT_EQ(table.shape[4], EventShape::kUntimed);
  EXPECT_EQ(rocprof_compute_recording("w/MI200/pmc_perf.csv"), rocprof_compute_recording("w/MI200/timestamps.csv"));
}

// A folder of files, read in the order of their names.
class Workload : public testing::Test {
 protected:
  void add(const char* name, const std::string& text) { std::ofstream(folder_->path() / name) << text; }
  EventTable read() {
    const std::vector<std::filesystem::path> paths = {folder_->path()};
    auto trace = read_trace(paths);
    EXPECT_TRUE(trace) << trace.error().message;
    EXPECT_EQ(trace->events.recordings.size(), 1);
    EXPECT_TRUE(trace->events.losses.entries().empty());
    return std::move(trace->events);
  }

 private:
  Result<TemporaryFolder> folder_ = TemporaryFolder::create();
};

TEST_F(Workload, OneExecutionUnderTwoNumbersCountsOnce) {
  const std::string header = "Dispatch_ID,Kernel_Name,GPU_ID,Start_Timestamp,End_Timestamp";
  add("SQ_LEVEL_WAVES.csv", header + ",A\n0,k,2,1000,1250,5\n1,k,2,2000,2251,6\n");
  add("pmc_perf.csv", header + ",B\n0,k,2,1000,1250,7\n1,k,2,2000,2251,8\n");
  add("timestamps.csv", header + "\n1,k,2,1000,1250\n2,k,2,2000,2251\n");
  const EventTable table = read();
  ASSERT_EQ(table.size(), 6);
  for (const size_t pass : {0, 1}) {
    EXPECT_EQ(table.shape[pass], EventShape::kUntimed);
    EXPECT_EQ(table.kind[pass], EventKind::kKernel);
  }
  EXPECT_EQ(table.shape[2], EventShape::kSlice);
  EXPECT_EQ(table.shape[3], EventShape::kSlice);
  EXPECT_EQ(table.duration_ns[3], 251);
  for (const size_t renumbered : {4, 5}) {
    EXPECT_EQ(table.shape[renumbered], EventShape::kUntimed);
    EXPECT_EQ(table.kind[renumbered], EventKind::kOther);
  }
  EXPECT_EQ(argument_at(table, 5, "Dispatch_ID"), "2");
  EXPECT_EQ(argument_at(table, 5, "Start_Timestamp"), "2000");
}

TEST_F(Workload, TheFilesOfOmniperf1AreOneRecordingWithTheTimesOfItsRunWithoutCounters) {
  const std::string header = "Index,KernelName,gpu-id,queue-id,pid,BeginNs,EndNs";
  add("SQ_IFETCH_LEVEL.csv", header + ",A\n0,\"k(int, int)\",0,0,11,500,90500,5\n1,\"k(int, int)\",0,0,11,700,707,6\n");
  add("pmc_dispatch_info.csv", "Index,KernelName,gpu-id\n0,\"k(int, int)\",0\n");
  add("pmc_kernel_top.csv", "KernelName,Count,Sum(ns),Mean(ns),Median(ns),Pct\n\"k(int, int)\",2,501,250,250,100\n");
  add("pmc_perf.csv", header + ",B\n0,\"k(int, int)\",0,0,12,1000,1250,7\n1,\"k(int, int)\",0,0,12,2000,2251,8\n");
  add("sysinfo.csv",
      "workload_name,host_name,gpu_soc,numSE,numCU,sclk,name,ip_blocks\nw,h,gfx90a,8,104,1700,mi200,SQ\n");
  add("timestamps.csv", header + "\n0,\"k(int, int)\",0,0,13,1000,1250\n1,\"k(int, int)\",0,0,13,2000,2251\n");
  const EventTable table = read();
  ASSERT_EQ(table.size(), 9);
  EXPECT_EQ(table.shape[0], EventShape::kUntimed);
  EXPECT_EQ(table.duration_ns[0], 90'000);
  EXPECT_EQ(argument_at(table, 0, "BeginNs"), "500");
  EXPECT_EQ(argument_at(table, 3, "Sum(ns)"), "501");
  size_t slices = 0;
  for (size_t i = 0; i < table.size(); ++i) {
    slices += table.shape[i] == EventShape::kSlice ? 1 : 0;
  }
  EXPECT_EQ(slices, 2);
  EXPECT_EQ(table.start_ns[7], 1000);
  EXPECT_EQ(table.duration_ns[8], 251);
  EXPECT_EQ(argument_at(table, 6, "numCU"), "104");
}

// Two dispatches may begin and end at once: within a file numbers tell them apart.
TEST_F(Workload, DispatchesOfOneFileAreNeverOne) {
  add("pmc_perf.csv", "Dispatch_ID,Kernel_Name,GPU_ID,Start_Timestamp,End_Timestamp\n0,k,2,10,20\n1,k,2,10,20\n");
  const EventTable table = read();
  ASSERT_EQ(table.size(), 2);
  EXPECT_EQ(table.shape[0], EventShape::kSlice);
  EXPECT_EQ(table.shape[1], EventShape::kSlice);
}

// Of dispatches that begin and end at once, too, as many are left as the file that has the most of them says.
TEST_F(Workload, RenumberedDispatchesOfOneTimeArePairedOneToOne) {
  const std::string header = "Dispatch_ID,Kernel_Name,GPU_ID,Start_Timestamp,End_Timestamp";
  add("pmc_perf.csv", header + ",A\n0,k,2,10,20,1\n1,k,2,10,20,2\n");
  add("timestamps.csv", header + "\n1,k,2,10,20\n2,k,2,10,20\n3,k,2,10,20\n");
  const EventTable table = read();
  ASSERT_EQ(table.size(), 5);
  size_t slices = 0;
  for (size_t i = 0; i < table.size(); ++i) {
    slices += table.shape[i] == EventShape::kSlice ? 1 : 0;
  }
  EXPECT_EQ(slices, 3);
  EXPECT_EQ(table.shape[0], EventShape::kSlice);  // 0 is timestamps.csv's 2
  EXPECT_EQ(table.kind[3], EventKind::kOther);
  EXPECT_EQ(table.shape[4], EventShape::kSlice);  // and its 3 is no other's
}

TEST_F(Workload, RowsOfAFileUnderOneNumberAreOneBeforeNumbersAreCompared) {
  const std::string header = "Dispatch_ID,Kernel_Name,GPU_ID,Start_Timestamp,End_Timestamp";
  add("pmc_perf.csv", header + ",A\n0,k,2,10,20,1\n");
  add("timestamps.csv", header + "\n1,k,2,10,20\n1,k,2,10,20\n");
  const EventTable table = read();
  ASSERT_EQ(table.size(), 3);
  EXPECT_EQ(table.shape[0], EventShape::kSlice);
  EXPECT_EQ(table.shape[1], EventShape::kUntimed);
  EXPECT_EQ(table.shape[2], EventShape::kUntimed);
}

TEST(RocprofComputeCsv, TheSystemAndItsRoofsAreUntimed) {
  const EventTable system = read_text(
      read_rocprof_compute_csv, "workload_name,command,ip_blocks,gpu_arch,max_mclk\npath,./a -n 1,SQ|LDS,gfx942,\n");
  EXPECT_EQ(system.shape[0], EventShape::kUntimed);
  EXPECT_EQ(argument_at(system, 0, "gpu_arch"), "\"gfx942\"");
  EXPECT_EQ(argument_at(system, 0, "max_mclk"), "none");
  const EventTable roof =
      read_text(read_rocprof_compute_csv, "device,HBMBw,L2Bw,FP32Flops\n0,1388.9302,5018.2891,20941.971\n");
  EXPECT_EQ(argument_at(roof, 0, "HBMBw"), "1388.9302");
  EXPECT_EQ(argument_at(roof, 0, "device"), "0");
}

}  // namespace
}  // namespace aaco
