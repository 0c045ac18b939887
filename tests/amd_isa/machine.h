// SPDX-License-Identifier: MIT
// Runs the machine code of one AMD kernel on the host: gfx942 (waves of 64 lanes) and gfx1100 (waves of 32). The
// semantics are those of AMD's ISA documents (CDNA3, RDNA3); README.md says what is modelled and what is not.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace aaco::amd {

// A kernel of a loaded code object.
struct KernelCode {
  std::string architecture;  // gfx942 or gfx1100
  std::string name;
  // The code object at its virtual addresses, relocated for this place in memory, aligned to 4096 bytes; the kernel's
  // addresses (s_getpc_b64) are those of these bytes. Outlives what runs it; its content does not change, except what
  // kernels write into its variables.
  std::span<std::byte> image;
  std::uint64_t entry = 0;  // offset of the first instruction in the image: descriptor + its 64-bit offset at byte 16
  std::uint32_t lds_bytes = 0;               // of the descriptor, byte 0: without dynamic shared memory
  std::uint32_t scratch_bytes_per_lane = 0;  // byte 4
  std::uint32_t kernarg_bytes = 0;           // byte 8
  std::uint32_t rsrc1 = 0;                   // compute_pgm_rsrc1, byte 48
  std::uint32_t rsrc2 = 0;                   // byte 52
  std::uint32_t rsrc3 = 0;                   // byte 44
  std::uint16_t properties = 0;              // kernel_code_properties, byte 56
};

struct Geometry {
  std::array<std::uint32_t, 3> grid_blocks{1, 1, 1};
  std::array<std::uint32_t, 3> block{1, 1, 1};  // threads of a block
  std::uint32_t dynamic_lds_bytes = 0;
};

// What kernels may read and write. A device address is the host address of the same byte. Not thread safe.
class Memory {
 public:
  struct Range {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;  // exclusive
    bool writable = true;
  };

  void add(void* pointer, std::size_t bytes);  // readable and writable
  void add_read_only(const void* pointer, std::size_t bytes);
  void remove(const void* pointer);  // of what was added; unknown pointers are ignored

  // The allocation that holds all bytes of [address, address + bytes), or nullptr.
  const Range* find(std::uint64_t address, std::size_t bytes) const;

 private:
  std::map<std::uint64_t, Range> ranges_;  // by begin
};

struct RunOptions {
  std::uint64_t seed = 0;   // of the order in which waves and blocks advance
  bool find_races = true;   // between waves, on LDS and global memory; four times as slow with much memory traffic
  bool check_waits = true;  // a register that is read before its s_waitcnt
  std::uint64_t max_instructions = 4'000'000'000;  // of all waves together: more is an endless loop
};

// Executed, one per wave and instruction.
struct RunCounts {
  std::uint64_t valu = 0;  // vector arithmetic without the matrix instructions
  std::uint64_t salu = 0;  // scalar arithmetic, branches and waits
  std::uint64_t mfma = 0;  // matrix instructions: MFMA and WMMA
  std::uint64_t lds = 0;
  std::uint64_t memory = 0;  // global, flat and scalar memory
  std::uint64_t scratch = 0;
  std::uint64_t barriers = 0;
  std::uint64_t lane_instructions = 0;  // of vector instructions: lanes whose EXEC bit was set, summed
  std::uint64_t instructions() const { return valu + salu + mfma + lds + memory + scratch + barriers; }
};

struct RunResult {
  RunCounts counts;
  std::string error;  // empty: the kernel ended. Else one line: kernel, address, instruction, and what was wrong
  explicit operator bool() const { return error.empty(); }
};

// Runs all blocks of a launch. `kernarg`: the bytes that the kernel's argument pointer is given, hidden ones included.
RunResult run_kernel(const KernelCode& kernel, const Geometry& geometry, std::span<const std::byte> kernarg,
                     Memory& memory, const RunOptions& options = {});

// Instructions of a kernel from its entry to its end in the code object, by class, as they lie there.
struct StaticCounts {
  RunCounts counts;                  // lane_instructions stays 0
  std::vector<std::string> unknown;  // mnemonics that have no handler, each once
  std::string error;                 // empty, or what could not be decoded
};

// `bytes`: of the kernel's function symbol.
StaticCounts count_instructions(const KernelCode& kernel, std::uint64_t bytes);

}  // namespace aaco::amd
