// SPDX-License-Identifier: MIT
// GPU libraries (cuBLAS, cuDNN, ...) where a PyTorch install keeps them: site-packages/nvidia/*/lib.
#pragma once

#include <string>

namespace aaco {

// Opens, with global symbols, the libraries that `provider` needs and that the loader's own path lacks. Does nothing
// for providers that need none, or when they are found anyway. What is still missing shows when the provider is opened.
void load_gpu_libraries(const std::string& provider);

}  // namespace aaco
