// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "cli/doctor/check.h"

#include "guard/store/guard_store.h"

namespace aaco::doctor {

namespace {

namespace fs = std::filesystem;

class DoctorTest : public testing::Test {
 protected:
  DoctorTest() : root_(fs::temp_directory_path() / ("aaco_doctor_" + std::to_string(::getpid()))) {
    fs::create_directories(root_);
    context_.host = HostFiles(root_);
  }
  ~DoctorTest() override { fs::remove_all(root_); }

  void write(const std::string& file, const std::string& text) const {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }
  Finding run(Check check, std::string_view name) const {
    std::vector<Finding> findings;
    check(context_, findings);
    for (const Finding& finding : findings) {
      if (finding.name == name) {
        return finding;
      }
    }
    ADD_FAILURE() << "no finding " << name;
    return {};
  }

  fs::path root_;
  Context context_;
};

// PATH for one scope.
class PathVariable {
 public:
  explicit PathVariable(const fs::path& path) {
    if (const char* before = std::getenv("PATH")) {
      before_ = before;
    }
    ::setenv("PATH", path.c_str(), 1);
  }
  ~PathVariable() { ::setenv("PATH", before_.c_str(), 1); }
  PathVariable(const PathVariable&) = delete;
  PathVariable& operator=(const PathVariable&) = delete;

 private:
  std::string before_;
};

}  // namespace

TEST_F(DoctorTest, ToolIsOkMissingOrBroken) {
  write("bin/nsys", "#!/bin/sh\necho banner\necho 'nsys version 2025.3.1'\n");
  write("bin/ncu", "#!/bin/sh\nexit 1\n");
  for (const char* tool : {"bin/nsys", "bin/ncu"}) {
    fs::permissions(root_ / tool, fs::perms::owner_all);
  }
  const PathVariable path(root_ / "bin");
  const Finding nsys = run(check_tools, "nsys");
  EXPECT_EQ(nsys.state, State::kOk);
  EXPECT_THAT(nsys.detail, testing::StartsWith("nsys version 2025.3.1 ("));
  const Finding broken = run(check_tools, "ncu");
  EXPECT_EQ(broken.state, State::kMissing);
  EXPECT_THAT(broken.detail, testing::HasSubstr("fails"));
  const Finding absent = run(check_tools, "rocprofv3");
  EXPECT_EQ(absent.state, State::kMissing);
  EXPECT_FALSE(absent.remedy.empty());
  EXPECT_FALSE(absent.essential);
}

TEST_F(DoctorTest, NvidiaDriverOfAnOldBranchIsTheWrongVersion) {
  EXPECT_EQ(run(check_drivers, "nvidia").state, State::kMissing);
  write("sys/module/nvidia/version", "570.86.15\n");
  const Finding old = run(check_drivers, "nvidia");
  EXPECT_EQ(old.state, State::kWrongVersion);
  EXPECT_FALSE(old.remedy.empty());
  fs::remove_all(root_ / "sys");
  write("sys/module/nvidia/version", "580.65.06\n");
  EXPECT_EQ(run(check_drivers, "nvidia").state, State::kOk);
}

TEST_F(DoctorTest, AmdDriverAndItsDevices) {
  EXPECT_EQ(run(check_drivers, "amdgpu").state, State::kMissing);
  EXPECT_EQ(run(check_permissions, "/dev/kfd").state, State::kMissing);
  EXPECT_EQ(run(check_permissions, "/dev/dri").state, State::kMissing);
  write("sys/module/amdgpu/version", "6.8.5\n");
  write("dev/kfd", "");
  write("dev/dri/renderD128", "");
  EXPECT_EQ(run(check_drivers, "amdgpu").detail, "6.8.5");
  EXPECT_EQ(run(check_permissions, "/dev/kfd").state, State::kOk);
  EXPECT_EQ(run(check_permissions, "/dev/dri").state, State::kOk);
}

TEST_F(DoctorTest, PerformanceEvents) {
  EXPECT_EQ(run(check_permissions, "perf_event_paranoid").state, State::kMissing);
  write("proc/sys/kernel/perf_event_paranoid", "1\n");
  EXPECT_EQ(run(check_permissions, "perf_event_paranoid").state, State::kOk);
}

TEST_F(DoctorTest, TheKernelPlaneNamesItsSourceAndHowToGetTheBetterOne) {
  PlaneSource source;
  source.name = "ebpf";
  const Finding best = kernel_plane_finding(source);
  EXPECT_EQ(best.state, State::kOk);
  EXPECT_EQ(best.detail, "ebpf");
  source.name = "perf_event_open";
  source.not_seen = "stacks";
  source.better = "run it as root";
  const Finding second = kernel_plane_finding(source);
  EXPECT_EQ(second.state, State::kMissing);
  EXPECT_EQ(second.detail, "perf_event_open; does not see: stacks");
  EXPECT_EQ(second.remedy, "run it as root");
  EXPECT_FALSE(second.essential);
  const Finding none = kernel_plane_finding(Error{ErrorKind::kUnavailable, "no source", "see dmesg"});
  EXPECT_EQ(none.detail, "no source");
  EXPECT_EQ(none.remedy, "see dmesg");
}

TEST_F(DoctorTest, TheKernelPlaneIsTriedOnThisMachineAlone) {
  std::vector<Finding> findings;
  check_kernel_plane(context_, findings);
  EXPECT_TRUE(findings.empty()) << "another machine's files were given";
  context_.host = HostFiles("/");
  EXPECT_THAT(run(check_kernel_plane, "kernel plane").detail,
              testing::AnyOf(testing::StartsWith("ebpf"), testing::StartsWith("perf_event_open; does not see: what"),
                             testing::StartsWith("procfs; does not see: single spans")));
}

TEST_F(DoctorTest, TheGuardsHistoryIsCountedAndNotMade) {
  context_.history = root_ / "guard";
  EXPECT_EQ(run(check_guard, "history").state, State::kNotNeeded);
  EXPECT_FALSE(fs::exists(root_ / "guard"));
  const auto store = GuardStore::open(context_.history);
  ASSERT_TRUE(store);
  GuardEntry entry;
  entry.record.record_id = "r1";
  entry.record.place = {"s", "cpu", "m"};
  entry.record.valid = 0;
  ASSERT_TRUE(store->append(entry));
  const Finding counted = run(check_guard, "history");
  EXPECT_EQ(counted.state, State::kOk);
  EXPECT_EQ(counted.detail, (root_ / "guard").string() + ": 1 recording, 1 of them no baseline");
  write("guard/journal/r2.json", "no recording");
  const Finding damaged = run(check_guard, "history");
  EXPECT_EQ(damaged.state, State::kMissing);
  EXPECT_THAT(damaged.remedy, testing::AllOf(testing::HasSubstr("r2.json"), testing::HasSubstr("move it out")));
  EXPECT_FALSE(damaged.essential);
}

TEST_F(DoctorTest, FoldersThatCanBeWritten) {
  context_.sessions_folder = root_ / "new" / "sessions";
  EXPECT_EQ(run(check_folders, "sessions").state, State::kOk);
  EXPECT_FALSE(fs::exists(root_ / "new"));  // looked at, not made
  write("file", "");
  context_.sessions_folder = root_ / "file";
  const Finding finding = run(check_folders, "sessions");
  EXPECT_EQ(finding.state, State::kMissing);
  EXPECT_TRUE(finding.essential);
}

TEST_F(DoctorTest, RegistryWithAMistakeNamesItsPlace) {
  write("configs/models.yaml", "models:\n  x:\n    nonsense: 1\n");
  ::setenv("AACO_CONFIGS", (root_ / "configs").c_str(), 1);
  const Finding finding = run(check_registries, "models.yaml");
  ::unsetenv("AACO_CONFIGS");
  EXPECT_EQ(finding.state, State::kMissing);
  EXPECT_TRUE(finding.essential);
  EXPECT_THAT(finding.detail, testing::HasSubstr("models.yaml:3:"));
}

TEST_F(DoctorTest, EssentialLibraryThatIsNotThere) {
  context_.ort_library = root_ / "libnothing.so";
  const Finding finding = run(check_onnx_runtime, "ONNX Runtime");
  EXPECT_EQ(finding.state, State::kMissing);
  EXPECT_TRUE(finding.essential);
  EXPECT_FALSE(finding.remedy.empty());
}

// On a machine without GPUs each vendor is one line; with its driver, what else of it is missing is told.
TEST_F(DoctorTest, AbsentVendorsAreALineEach) {
  const PathVariable path(root_ / "bin");
  const auto examined = [&] {
    std::vector<Finding> findings;
    for (const Check check : {check_permissions, check_drivers, check_tools}) {
      check(context_, findings);
    }
    return without_absent_vendors(findings);
  };
  const auto findings_of = [](const std::vector<Finding>& findings, std::string_view vendor) {
    return std::ranges::count(findings, vendor, &Finding::vendor);
  };
  const std::vector<Finding> without = examined();
  EXPECT_EQ(findings_of(without, "AMD"), 1);
  EXPECT_EQ(findings_of(without, "NVIDIA"), 1);
  EXPECT_EQ(without.back().state, State::kNotNeeded);
  EXPECT_THAT(without.back().detail, testing::HasSubstr("nsys, ncu, nvidia-smi"));
  write("sys/module/amdgpu/version", "6.8.5\n");
  const std::vector<Finding> with = examined();
  EXPECT_EQ(findings_of(with, "AMD"), 9);  // the driver, its two devices and six tools
  EXPECT_EQ(findings_of(with, "NVIDIA"), 1);
}

// The workshop's three validations: the machine, ROCm, and the profilers, which are held against a real training.
TEST_F(DoctorTest, WorkshopAsksForMemoryAndRocm) {
  EXPECT_EQ(run(check_workshop, "memory").state, State::kMissing);
  write("proc/meminfo", "MemTotal:        8000000 kB\nMemFree: 1 kB\n");
  const Finding small = run(check_workshop, "memory");
  EXPECT_EQ(small.state, State::kMissing);
  EXPECT_THAT(small.detail, testing::StartsWith("8.19 GB"));
  EXPECT_THAT(small.remedy, testing::HasSubstr("nano"));
  write("proc/meminfo", "MemTotal:       32000000 kB\n");
  EXPECT_EQ(run(check_workshop, "memory").state, State::kOk);

  EXPECT_EQ(run(check_workshop, "ROCm").state, State::kMissing);
  write("opt/rocm/.info/version", "5.7.1-98\n");
  const Finding old = run(check_workshop, "ROCm");
  EXPECT_EQ(old.state, State::kWrongVersion);
  EXPECT_THAT(old.remedy, testing::HasSubstr("newer ROCm"));
  write("opt/rocm/.info/version", "6.2.4-120\n");
  EXPECT_EQ(run(check_workshop, "ROCm").state, State::kOk);
}

TEST_F(DoctorTest, WorkshopTrainsAndRecordsOnTheCpu) {
  const Finding training = run(check_workshop, "training on cpu:0");
  EXPECT_EQ(training.state, State::kOk) << training.detail;
  EXPECT_THAT(training.detail, testing::MatchesRegex("loss 4\\.[0-9]+ -> 4\\.[0-9]+ of version 1 at nano"));
  const Finding records = run(check_workshop, "records of cpu:0");
  EXPECT_EQ(records.state, State::kOk) << records.detail;
  EXPECT_THAT(records.detail, testing::HasSubstr("kernels a step"));
}

TEST_F(DoctorTest, WorkshopsProfilersOnAmd) {
  write("bin/rocprof-compute", "#!/bin/sh\necho 'rocprofiler-compute version: 3.1.0 (release)'\n");
  fs::permissions(root_ / "bin/rocprof-compute", fs::perms::owner_all);
  const PathVariable path(root_ / "bin");
  EXPECT_THAT(run(check_tools, "rocprof-compute").detail, testing::HasSubstr("3.1.0"));
  const Finding system = run(check_tools, "rocprof-sys-run");
  EXPECT_EQ(system.state, State::kMissing);
  EXPECT_THAT(system.remedy, testing::HasSubstr("rocprofiler-systems"));
  EXPECT_EQ(system.vendor, "AMD");
}

TEST_F(DoctorTest, EveryFindingThatIsNotOkHasARemedy) {
  std::vector<Finding> findings;
  for (const Check check : all_checks()) {
    check(context_, findings);
  }
  EXPECT_GT(findings.size(), all_checks().size());
  for (const Finding& finding : findings) {
    EXPECT_EQ(finding.state == State::kOk, finding.remedy.empty()) << finding.name;
    EXPECT_FALSE(finding.detail.empty()) << finding.name;
  }
}

}  // namespace aaco::doctor
