// SPDX-License-Identifier: MIT
#include "ingest/rocprof_compute_csv.h"

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
