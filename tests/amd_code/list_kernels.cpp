// SPDX-License-Identifier: MIT
// list_amd_kernels MODULE FOLDER: a JSON array of the kernels in MODULE's code objects, by architecture, with what
// their metadata says and the waves that this allows; the code objects themselves go to FOLDER as files. For
// scripts/amd_kernels.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "code_object.h"
#include "occupancy.h"
#include "offload_bundle.h"

namespace aaco::amd {
namespace {

nlohmann::json json_of(const LoadedKernel& kernel, const std::string& file) {
  const KernelMetadata& is = kernel.metadata;
  const Occupancy occupancy = occupancy_of(kernel.code.architecture, is);
  return {{"architecture", kernel.code.architecture},
          {"kernel", is.name},
          {"file", file},
          {"entry", kernel.code.entry},
          {"code_bytes", kernel.code_bytes},
          {"wave_lanes", is.wave_lanes},
          {"most_threads", is.most_threads},
          {"vgprs", is.vgprs},
          {"agprs", is.agprs},
          {"sgprs", is.sgprs},
          {"lds_bytes", is.lds_bytes},
          {"scratch_bytes", is.scratch_bytes},
          {"vgpr_spills", is.vgpr_spills},
          {"sgpr_spills", is.sgpr_spills},
          {"waves_by_vgprs", occupancy.by_vector_registers},
          {"waves_by_sgprs", occupancy.by_scalar_registers},
          {"waves_by_lds", occupancy.by_lds},
          {"waves", occupancy.waves},
          {"most_waves", occupancy.most}};
}

Result<void> add_bundle(std::span<const std::byte> bundle, const std::string& stem, nlohmann::json& all) {
  AACO_ASSIGN(const auto entries, read_bundle(bundle));
  for (const BundleEntry& entry : entries) {
    if (entry.architecture.empty()) {
      continue;
    }
    AACO_ASSIGN(const CodeObject object, CodeObject::load(entry.code, entry.architecture));
    const std::string file = stem + "." + entry.architecture + ".co";
    std::ofstream(file, std::ios::binary)
        .write(reinterpret_cast<const char*>(entry.code.data()), static_cast<std::streamsize>(entry.code.size()));
    for (const LoadedKernel& kernel : object.kernels()) {
      all.push_back(json_of(kernel, file));
    }
  }
  return {};
}

Result<nlohmann::json> list_kernels(const std::string& module, const std::string& folder) {
  std::ifstream stream(module, std::ios::binary);
  const std::vector<char> file{std::istreambuf_iterator<char>(stream), {}};
  AACO_ASSIGN(const auto bundles, bundles_of_library(std::as_bytes(std::span(file))));
  nlohmann::json all = nlohmann::json::array();
  for (std::size_t i = 0; i < bundles.size(); ++i) {
    AACO_TRY(add_bundle(bundles[i], folder + "/" + std::to_string(i), all));
  }
  return all;
}

}  // namespace
}  // namespace aaco::amd

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: list_amd_kernels MODULE FOLDER\n", stderr);
    return 2;
  }
  const auto all = aaco::amd::list_kernels(argv[1], argv[2]);
  if (!all) {
    std::fprintf(stderr, "%s: %s (%s)\n", argv[1], all.error().message.c_str(), all.error().hint.c_str());
    return all.error().exit_code();
  }
  std::puts(all->dump().c_str());
  return 0;
}
