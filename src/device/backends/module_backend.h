// SPDX-License-Identifier: MIT
// A vendor's module as a backend: found beside the program, opened on first need. What is missing is an error that
// says so, and what to do.
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "device/backend.h"
#include "device/backends/module_device.h"

namespace aaco {

// What is known of a vendor before its module is open.
struct ModuleVendor {
  const char* backend;                 // "hip"
  const char* title;                   // "HIP"
  const char* file;                    // "libaaco_hip.so"
  std::vector<const char*> libraries;  // the first of these that opens has what the module is linked to, but not named
  const char* how_to_build;
  const char* how_to_install;  // a driver, a runtime
};
const ModuleVendor& cuda_vendor();
const ModuleVendor& hip_vendor();

// Folders where modules may lie, the nearest first. AACO_MODULES replaces them.
std::vector<std::filesystem::path> module_folders();

// Errors: kUnavailable where it is of another version than this program.
Result<void> check_module(const AacoModule& module, const std::string& file);

class ModuleBackend : public Backend {
 public:
  // `module`, where not null, is used as it is: no file is opened. Both outlive the backend.
  explicit ModuleBackend(const ModuleVendor& vendor, const AacoModule* module = nullptr)
      : vendor_(vendor), module_(module) {}

  const char* name() const override { return vendor_.backend; }
  Result<int> device_count() override;
  Result<Device*> open(int index) override;
  Result<std::unique_ptr<Communicator>> make_communicator(std::span<Device* const> devices) override;
  Result<RankId> make_rank_id() override;
  Result<std::unique_ptr<Communicator>> join_communicator(Device& device, const RankId& id, int32_t rank, int32_t ranks,
                                                          const CommunicatorOptions& options) override;
  Result<std::unique_ptr<ActivityCollector>> collect(ActivitySink& sink) override;

 private:
  // Under the lock. Opened once; a failure is final for the process, since the driver would not come by itself.
  Result<const AacoModule*> module();
  Result<const AacoModule*> open_module() const;
  Result<int> count_devices();
  Result<void*> handle_of(const AacoModule& table, Device& device) const;

  const ModuleVendor& vendor_;
  std::mutex mutex_;
  const AacoModule* module_;
  std::unique_ptr<Error> failure_;
  std::map<int, std::unique_ptr<ModuleDevice>> devices_;
};

}  // namespace aaco
