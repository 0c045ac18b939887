// SPDX-License-Identifier: MIT
// What `aaco observe` tells the library that it has the driver open in every process of a program: by variables of the
// environment, which the program's children inherit.
#pragma once

namespace aaco {

inline constexpr const char* kObserveLibrary = "libaaco_observe_cuda.so";  // beside the program
inline constexpr const char* kObserveFunction = "AacoObserve";             // int(const char*): a program that runs

// What is recorded of a replayed graph: each of its nodes, or the replay alone.
inline constexpr const char* kGraphNodes = "nodes";
inline constexpr const char* kWholeGraphs = "whole";

inline constexpr const char* kPythonHook = "aaco_python_hook";  // a folder beside that library

}  // namespace aaco

namespace aaco::observe_variable {

inline constexpr const char* kInjection = "CUDA_INJECTION64_PATH";      // of CUDA's driver: the library to open
inline constexpr const char* kChained = "AACO_OBSERVE_CHAINED";         // what kInjection named before
inline constexpr const char* kNvtxInjection = "NVTX_INJECTION64_PATH";  // of NVTX, in each library that has it built in
inline constexpr const char* kChainedNvtx = "AACO_OBSERVE_CHAINED_NVTX";  // what kNvtxInjection named before
inline constexpr const char* kPythonPath = "PYTHONPATH";
inline constexpr const char* kTorchOperators = "AACO_OBSERVE_TORCH_OPS";  // set: the hook in Python tells operators too
inline constexpr const char* kFolder = "AACO_OBSERVE_FOLDER";             // that each process makes its ring in
inline constexpr const char* kRingBytes = "AACO_OBSERVE_RING_BYTES";      // of each
inline constexpr const char* kBudget = "AACO_OBSERVE_BUDGET_PPM";         // of the time, that the collector may take
inline constexpr const char* kGraphs = "AACO_OBSERVE_GRAPHS";             // kGraphNodes or kWholeGraphs
inline constexpr const char* kDormant = "AACO_OBSERVE_DORMANT";           // not empty: sleep until aaco wakes it
inline constexpr const char* kRingExtension = ".ring";                    // of a process's file, which its pid names
inline constexpr const char* kOwnerFile = "owner";                        // in that folder: locked while aaco lives
inline constexpr const char* kInnerExtension = ".observer";   // of a path: the session of an observer within
inline constexpr const char* kProblemExtension = ".problem";  // of a text: why there is no ring

// By which launchers tell a process its rank, its rank on the node, and how many there are; the nearest to the program
// first (torchrun may run within srun).
struct RankVariables {
  const char* rank;
  const char* local_rank;
  const char* world_size;
};
inline constexpr RankVariables kLaunchers[] = {
    {"RANK", "LOCAL_RANK", "WORLD_SIZE"},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_SIZE"},
    {"PMI_RANK", "MPI_LOCALRANKID", "PMI_SIZE"},
    {"PMIX_RANK", nullptr, nullptr},
    {"SLURM_PROCID", "SLURM_LOCALID", "SLURM_NTASKS"}};

}  // namespace aaco::observe_variable
