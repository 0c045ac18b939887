// SPDX-License-Identifier: MIT
#include "ingest/nvidia/nsys_stats_csv.h"

#include "ingest/test_reading.h"

namespace aaco {
namespace {

TEST(NsysStatsCsv, WorkOnTheDevice) {
  const EventTable table = read_text(
      read_nsys_stats_csv,
      "Processing [run.sqlite] with [cuda_gpu_trace.py]...\n"
      "Start (ns),Duration (ns),CorrId,GrdX,Reg/Trd,Bytes (MB),Device,Ctx,Strm,Name\n"
      "100,50,1,,,8.389,NVIDIA A100 (0),1,7,[CUDA memcpy Host-to-Device]\n"
      "200,60,2,64,32,,NVIDIA A100 (0),1,7,\"gemm(double *, int)\"\n300,10,3,,,,NVIDIA A100 (1),1,8,[CUDA memset]\n");
  ASSERT_EQ(table.size(), 3);
  EXPECT_EQ(table.kind[0], EventKind::kCopy);
  EXPECT_EQ(table.kind[1], EventKind::kKernel);
  EXPECT_EQ(table.kind[2], EventKind::kSet);
  EXPECT_EQ(table.start_ns[1], 200);
  EXPECT_EQ(table.duration_ns[1], 60);
  EXPECT_EQ(table.correlation[1], 2);
  EXPECT_EQ(track_at(table, 1).device, 0);
  EXPECT_EQ(track_at(table, 2).device, 1);
  EXPECT_EQ(track_at(table, 1).stream, 7);
  EXPECT_EQ(argument_at(table, 0, "Bytes (MB)"), "8.389");
  EXPECT_EQ(argument_at(table, 0, "GrdX"), "none");
  EXPECT_EQ(table.metadata.size(), 1);
  EXPECT_TRUE(table.losses.entries().empty());
}

// Versions call them by different names; page faults are no kernels either.
TEST(NsysStatsCsv, UnifiedMemoryIsCopied) {
  const EventTable table = read_text(read_nsys_stats_csv,
                                     "Start (ns),Duration (ns),CorrId,Device,Strm,Name\n"
                                     "100,20,,NVIDIA A100 (0),7,[CUDA Unified Memory memcpy HtoD]\n"
                                     "130,50,41,NVIDIA A100 (0),7,\"add(int, float *)\"\n"
                                     "190,30,,NVIDIA A100 (0),7,[Unified Memory Memcpy DtoH]\n"
                                     "230,30,,NVIDIA A100 (0),7,[Unified Memory GPU page faults]\n");
  EXPECT_EQ(table.kind[0], EventKind::kCopy);
  EXPECT_EQ(table.kind[1], EventKind::kKernel);
  EXPECT_EQ(table.kind[2], EventKind::kCopy);
  EXPECT_EQ(table.kind[3], EventKind::kOther);
}

TEST(NsysStatsCsv, CallsAndRangesOfTheHost) {
  const EventTable calls = read_text(
      read_nsys_stats_csv,
      "Start (ns),Duration (ns),Name,Result,CorrID,Pid,Tid,T-Pri,Thread Name\n90,5,cudaLaunchKernel,0,2,10,11,20,t\n");
  EXPECT_EQ(calls.kind[0], EventKind::kHostCall);
  EXPECT_EQ(calls.correlation[0], 2);
  EXPECT_EQ(calls.strings[track_at(calls, 0).thread], "11");
  const EventTable ranges = read_text(
      read_nsys_stats_csv,
      "Start (ns),End (ns),Duration (ns),DurChild (ns),DurNonChild (ns),Name,PID,TID,Lvl\n5,9,4,1,3,main,10,11,0\n");
  EXPECT_EQ(ranges.kind[0], EventKind::kHostRange);
  EXPECT_EQ(ranges.duration_ns[0], 4);
  EXPECT_EQ(argument_at(ranges, 0, "DurChild (ns)"), "1");
}

TEST(NsysStatsCsv, SumsAreUntimed) {
  const EventTable table = read_text(
      read_nsys_stats_csv, "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Name\n100.0,60,1,60.0,60.0,gemm\n");
  EXPECT_EQ(table.shape[0], EventShape::kUntimed);
  EXPECT_EQ(name_at(table, 0), "gemm");
  EXPECT_EQ(argument_at(table, 0, "Total Time (ns)"), "60");
}

TEST(NsysStatsCsv, SumsAsTheyWereWrittenBefore) {
  const EventTable table = read_text(
      read_nsys_stats_csv,
      "Time(%),Total Time (ns),Instances,Average,Minimum,Maximum,StdDev,Name\n100.0,61,2,30.5,30,31,0.7,gemm\n");
  ASSERT_EQ(table.size(), 1);
  EXPECT_EQ(name_at(table, 0), "gemm");
  EXPECT_EQ(argument_at(table, 0, "Average"), "30.5");
  EXPECT_EQ(nsys_stats_recording("o/run_gpukernsum.csv"), nsys_stats_recording("o/run_cudaapisum.csv"));
}

TEST(NsysStatsCsv, SeveralReportsAfterEachOther) {
  const EventTable table =
      read_text(read_nsys_stats_csv,
                " ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum):\n"
                "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Name\n100.0,60,1,60.0,60.0,gemm\n\n"
                " ** CUDA GPU MemOps Summary (by Time) (cuda_gpu_mem_time_sum):\n"
                "Time (%),Total Time (ns),Count,Avg (ns),Med (ns),Operation\n100.0,8,2,4.0,4.0,[CUDA memset]\n"
                "Time(%),Total Time (ns),Count,Average,Median,Operation\n100.0,9,2,4.5,4.0,[CUDA memcpy HtoD]\n"
                "Total (MB),Count,Avg (MB),Operation\n1.5,2,0.75,[CUDA memset]\n");
  ASSERT_EQ(table.size(), 4);
  EXPECT_EQ(name_at(table, 1), "[CUDA memset]");
  EXPECT_EQ(argument_at(table, 1, "Count"), "2");
  EXPECT_EQ(name_at(table, 2), "[CUDA memcpy HtoD]");
  EXPECT_EQ(argument_at(table, 3, "Total (MB)"), "1.5");
  EXPECT_TRUE(table.losses.entries().empty());
}

TEST(NsysStatsCsv, RowsOfAReportThatIsNotKnownAreCounted) {
  const EventTable table = read_text(
      read_nsys_stats_csv,
      "Processing [run.sqlite] with [cuda_gpu_kern_sum.py]...\n"
      "Time (%),Total Time (ns),Instances,Avg (ns),Name\n100.0,60,1,60.0,gemm\n\n"
      "Processing [run.sqlite] with [um_sum.py]...\n"
      "Virtual Address,HtoD Migration Size (MB),CPU Page Faults,Source,Target\n0x7f,1.5,3,a,b\n0x80,2.5,4,a,b\n\n"
      "Processing [run.sqlite] with [cuda_api_sum.py]...\n"
      "Time (%),Total Time (ns),Num Calls,Avg (ns),Name\n100.0,70,1,70.0,cudaMalloc\n"
      "hello, world\n1,2\n");
  ASSERT_EQ(table.size(), 2);
  EXPECT_EQ(name_at(table, 1), "cudaMalloc");
  EXPECT_EQ(table.losses.count(Loss::kUnknownRecord), 2);
  EXPECT_EQ(table.losses.count(Loss::kMalformedEvent), 2);
  EXPECT_EQ(table.metadata.size(), 3);
}

TEST(NsysStatsCsv, ReportsOfASessionAreOneRecording) {
  EXPECT_EQ(nsys_stats_recording("o/run_cuda_gpu_trace.csv"), nsys_stats_recording("o/run_cuda_api_trace.csv"));
  EXPECT_EQ(nsys_stats_recording("o/trace.csv"), "o/trace.csv");
}

}  // namespace
}  // namespace aaco
