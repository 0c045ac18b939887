// SPDX-License-Identifier: MIT
#include "observe/processes/process_tree.h"

#include <fstream>
#include <gtest/gtest.h>
#include <string>

#include "base/test_folder.h"

namespace aaco {
namespace {

constexpr int64_t kMs = 1'000'000;

class FakeProc {
 public:
  const std::filesystem::path& path() const { return folder_.path(); }
  void process(int64_t pid, int64_t parent, const std::string& name, int64_t minor_faults, int64_t own_ticks = 0,
               int64_t child_ticks = 0) {
    const std::filesystem::path folder = path() / std::to_string(pid);
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "stat") << pid << " (" << name << ") S " << parent << " 1 1 0 -1 4194304 " << minor_faults
                                   << " 0 2 0 " << own_ticks << " 1 " << child_ticks << " 2 20\n";
    std::ofstream(folder / "status") << "Name:\t" << name << "\nVmHWM:\t     100 kB\nCpus_allowed_list:\t0-2,7\n";
    std::ofstream(folder / "io") << "rchar: 9\nread_bytes: 4096\nwrite_bytes: 0\n";
  }
  void thread(int64_t pid, int64_t tid, int64_t run_ms, int64_t runnable_ms, int64_t switches) {
    const std::filesystem::path folder = path() / std::to_string(pid) / "task" / std::to_string(tid);
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "schedstat") << run_ms * kMs << ' ' << runnable_ms * kMs << " 5\n";
    std::ofstream(folder / "status") << "Name:\tworker\nvoluntary_ctxt_switches:\t" << switches
                                     << "\nnonvoluntary_ctxt_switches:\t1\n";
  }

 private:
  TestFolder folder_;
};

// Thread 10 ran 60 of 100 ms and could have run for 30 more; thread 11 ran 5 of the same.
TEST(ProcessTree, CountsFromTheFirstSampleToTheLast) {
  FakeProc proc;
  proc.process(10, 1, "a (b) name", 100);
  proc.thread(10, 10, 500, 100, 7);
  proc.thread(10, 11, 1000, 0, 3);
  ProcessTree tree(10, true, proc.path());
  tree.look(1'000 * kMs);
  proc.process(10, 1, "a (b) name", 130);
  proc.thread(10, 10, 560, 130, 9);
  proc.thread(10, 11, 1005, 0, 3);
  tree.look(1'001 * kMs);  // too early
  tree.look(100'000 * kMs);
  const HostUse use = tree.use();
  EXPECT_EQ(use.samples, 2);
  EXPECT_EQ(use.processors, 4);
  ASSERT_EQ(use.processes.size(), 1U);
  EXPECT_EQ(use.processes[0].name, "a (b) name");
  EXPECT_EQ(use.processes[0].minor_faults, 30);
  EXPECT_EQ(use.processes[0].major_faults, 0);
  EXPECT_EQ(use.processes[0].peak_bytes, 102'400);
  EXPECT_EQ(use.processes[0].read_bytes, 0);
  ASSERT_EQ(use.threads.size(), 2U);
  EXPECT_EQ(use.threads[0].tid, 10);
  EXPECT_TRUE(use.threads[0].is_main());
  EXPECT_EQ(use.threads[0].name, "worker");
  EXPECT_EQ(use.threads[0].run_ns, 60 * kMs);
  EXPECT_EQ(use.threads[0].runnable_ns, 30 * kMs);
  EXPECT_EQ(use.threads[0].voluntary, 2);
  EXPECT_EQ(use.threads[0].involuntary, 0);
  EXPECT_EQ(use.threads[0].seen_ns(), 99'000 * kMs);
  EXPECT_EQ(use.threads[1].run_ns, 5 * kMs);
}

TEST(ProcessTree, FindsChildrenOfChildrenWhereAsked) {
  FakeProc proc;
  proc.process(10, 1, "parent", 0);
  proc.process(20, 10, "child", 0);
  proc.process(30, 20, "grandchild", 0);
  proc.process(40, 1, "stranger", 0);
  for (const int64_t pid : {10, 20, 30, 40}) {
    proc.thread(pid, pid, 1, 1, 1);
  }
  ProcessTree all(10, true, proc.path());
  all.look(1);
  all.look(2'000 * kMs);  // the first look found them
  ProcessTree alone(10, false, proc.path());
  alone.look(1);
  ASSERT_EQ(all.use().processes.size(), 3U);
  EXPECT_EQ(all.use().processes[2].name, "grandchild");
  EXPECT_EQ(alone.use().processes.size(), 1U);
}

// Threads and children that came and went between two samples: the process's own times have them. A tick is 10 ms.
TEST(ProcessTree, ProcessorTimeHoldsThreadsThatNoSampleSaw) {
  FakeProc proc;
  proc.process(10, 1, "program", 0, 100, 50);
  proc.thread(10, 10, 1, 0, 1);
  ProcessTree tree(10, false, proc.path());
  tree.look(1'000 * kMs);
  EXPECT_FALSE(tree.use().busy_ns);  // of one sample nothing is known
  EXPECT_FALSE(tree.use().threads.at(0).run_ns);
  EXPECT_FALSE(tree.use().processes.at(0).minor_faults);
  proc.process(10, 1, "program", 0, 180, 70);
  tree.look(2'000 * kMs);
  EXPECT_EQ(tree.use().busy_ns, 1'000 * kMs);
  EXPECT_EQ(tree.use().seen_ns, 1'000 * kMs);
}

// A launcher waits for its workers only when they end: until then their time is in nobody else's. The fake adds 3 ticks
// to those of each process.
TEST(ProcessTree, ProcessorTimeHoldsChildrenThatStillRunAndEachOnce) {
  FakeProc proc;
  proc.process(10, 1, "launcher", 0, 100, 0);
  ProcessTree tree(10, true, proc.path());
  tree.look(1'000 * kMs);
  proc.process(20, 10, "worker", 0, 47);
  tree.look(20'000 * kMs);  // finds the worker, and samples it with the next
  tree.look(40'000 * kMs);
  EXPECT_EQ(tree.use().busy_ns, 500 * kMs);
  proc.process(20, 10, "worker", 0, 97);
  tree.look(60'000 * kMs);
  EXPECT_EQ(tree.use().busy_ns, 1'000 * kMs);
  std::filesystem::remove_all(proc.path() / "20");  // ended, and nobody has waited for it
  tree.look(80'000 * kMs);
  EXPECT_EQ(tree.use().busy_ns, 1'000 * kMs);
  proc.process(10, 1, "launcher", 0, 150, 100);  // has waited: the worker's 100 ticks are its own now
  tree.look(100'000 * kMs);
  EXPECT_EQ(tree.use().busy_ns, 1'500 * kMs);
  EXPECT_EQ(tree.use().seen_ns, 99'000 * kMs);
}

TEST(ProcessTree, ProcessorTimeKeepsAChildThatAnotherParentWaitsFor) {
  FakeProc proc;
  proc.process(10, 1, "launcher", 0, 100);
  ProcessTree tree(10, true, proc.path());
  tree.look(1'000 * kMs);
  proc.process(20, 10, "daemon", 0, 47);
  tree.look(20'000 * kMs);
  tree.look(40'000 * kMs);
  proc.process(20, 1, "daemon", 0, 97);  // its parent by now is none of the program's
  tree.look(60'000 * kMs);
  std::filesystem::remove_all(proc.path() / "20");
  proc.process(10, 1, "launcher", 0, 150);
  tree.look(80'000 * kMs);
  EXPECT_EQ(tree.use().busy_ns, 1'500 * kMs);
}

// As where SIGCHLD is ignored: no times of the kernel hold the first worker once it has ended.
TEST(ProcessTree, ProcessorTimeKeepsAChildThatNobodyWaitsFor) {
  FakeProc proc;
  proc.process(10, 1, "launcher", 0, 100);
  ProcessTree tree(10, true, proc.path());
  tree.look(1'000 * kMs);
  proc.process(20, 10, "worker", 0, 1'000);
  tree.look(20'000 * kMs);
  tree.look(40'000 * kMs);
  const int64_t first_ns = tree.use().busy_ns.value_or(0);
  ASSERT_GE(first_ns, 10'000 * kMs);
  std::filesystem::remove_all(proc.path() / "20");
  tree.look(60'000 * kMs);
  tree.look(80'000 * kMs);
  EXPECT_EQ(tree.use().busy_ns, first_ns);
  proc.process(21, 10, "worker", 0, 300);
  tree.look(100'000 * kMs);
  tree.look(120'000 * kMs);
  EXPECT_GE(tree.use().busy_ns, first_ns + 3'000 * kMs);
}

TEST(ProcessTree, WhatAChildDidBeforeTheFirstSampleDoesNotCount) {
  FakeProc proc;
  proc.process(10, 1, "launcher", 0, 100);
  proc.process(20, 10, "worker", 0, 5'000);
  ProcessTree tree(10, true, proc.path());
  tree.look(1'000 * kMs);
  tree.look(20'000 * kMs);
  EXPECT_EQ(tree.use().busy_ns, 0);
  proc.process(20, 10, "worker", 0, 5'050);
  tree.look(40'000 * kMs);
  EXPECT_EQ(tree.use().busy_ns, 500 * kMs);
  std::filesystem::remove_all(proc.path() / "20");
  proc.process(10, 1, "launcher", 0, 100, 5'053);  // the worker's 5,050 and the fake's 3
  tree.look(60'000 * kMs);
  EXPECT_EQ(tree.use().busy_ns, 500 * kMs);
}

// A thread and a child that start meanwhile count from zero, and from the last look without them.
TEST(ProcessTree, WhatStartsMeanwhileCountsFromItsStart) {
  FakeProc proc;
  proc.process(10, 1, "program", 0);
  proc.thread(10, 10, 500, 0, 1);
  ProcessTree tree(10, true, proc.path());
  tree.look(1'000 * kMs);
  proc.thread(10, 11, 80, 10, 3);
  proc.process(20, 10, "child", 70);
  proc.thread(20, 20, 300, 0, 4);
  tree.look(20'000 * kMs);  // finds the child, and samples it with the next
  tree.look(40'000 * kMs);
  const HostUse use = tree.use();
  ASSERT_EQ(use.threads.size(), 3U);
  EXPECT_EQ(use.threads[0].tid, 20);
  EXPECT_EQ(use.threads[0].run_ns, 300 * kMs);
  EXPECT_EQ(use.threads[0].from_ns, 1'000 * kMs);
  EXPECT_EQ(use.threads[1].tid, 11);
  EXPECT_EQ(use.threads[1].run_ns, 80 * kMs);
  EXPECT_EQ(use.threads[1].seen_ns(), 39'000 * kMs);
  EXPECT_EQ(use.threads[2].run_ns, 0);
  EXPECT_EQ(use.processes.at(1).minor_faults, 70);
}

// A kernel without scheduler statistics, a file of another user's.
TEST(ProcessTree, WhatIsNotToldIsNotZero) {
  FakeProc proc;
  proc.process(10, 1, "program", 0);
  proc.thread(10, 10, 1, 1, 1);
  std::filesystem::remove(proc.path() / "10/task/10/schedstat");
  std::filesystem::remove(proc.path() / "10/io");
  ProcessTree tree(10, true, proc.path());
  tree.look(1);
  EXPECT_FALSE(tree.use().threads.at(0).run_ns);
  EXPECT_FALSE(tree.use().threads.at(0).runnable_ns);
  EXPECT_FALSE(tree.use().processes.at(0).read_bytes);
}

}  // namespace
}  // namespace aaco
