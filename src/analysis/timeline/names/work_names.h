// SPDX-License-Identifier: MIT
// What work is by its name, for want of a better mark on the device's side. The only list of such names:
// docs/measuring/traces.md tells them to users.
#pragma once

#include <string_view>

namespace aaco {

// Kernels of NCCL, RCCL, MSCCL, oneCCL and HCCL, of NVSHMEM and its kin, of the libraries of expert parallelism
// (DeepEP, MoRI, pplx), and collectives of inference engines and compilers by what they do ("cross_device_reduce",
// "all_to_all"). By the function's name and namespaces: a type among its arguments says nothing of what it does, and
// neither does "dispatch" or "combine", which routing of tokens and attention have too.
bool is_communication(std::string_view kernel_name);

// By the copy's name, as CUPTI and ROCm write it: between the device's memory and the host's.
bool crosses_to_host(std::string_view copy_name);

// A migration of pages of unified memory, as Nsight Systems names it: no call launches it.
bool is_migration(std::string_view copy_name);

}  // namespace aaco
