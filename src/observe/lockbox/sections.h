// SPDX-License-Identifier: MIT
// The sections of the lockbox, one function each; environment.cpp puts them together.
#pragma once

#include <string>
#include <vector>

#include "base/json/json.h"
#include "observe/host_files.h"

namespace aaco::lockbox {

// Model, topology, caches, instruction sets of interest, microcode, governor, turbo.
Json cpu(const HostFiles& host);
// Total, NUMA nodes, huge pages.
Json memory(const HostFiles& host);
// Release, command line, address space randomisation, perf_event_paranoid, clock source.
Json kernel(const HostFiles& host);
// Host name, distribution, boot id, virtualisation and container hints.
Json host(const HostFiles& host);
// The limits of the control groups that this process is in.
Json container(const HostFiles& host);
// Processor affinity and resource limits of this process.
Json limits();
// Load and available memory at this moment; never compared.
Json load(const HostFiles& host);

// One entry per graphics processor, and the drivers that are loaded. `run_tools`: ask nvidia-smi too.
Json gpus(const HostFiles& host, bool run_tools);
Json gpu_drivers(const HostFiles& host, bool run_tools);

// aaco, its compiler and build, the C library.
Json software();
// Commit of the current folder and whether tracked files differ from it.
Json git(bool run_tools);

inline std::string not_available(const std::string& why) { return "not available: " + why; }
// The value, or why there is none.
template <class T>
Json value_or(const std::optional<T>& value, const std::string& why) {
  return value ? Json(*value) : Json(not_available(why));
}

}  // namespace aaco::lockbox
