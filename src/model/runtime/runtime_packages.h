// SPDX-License-Identifier: MIT
// ONNX Runtime's packages on PyPI (onnxruntime, onnxruntime-gpu, onnxruntime-migraphx) install into one folder. pip
// cannot know: the package installed last overwrites the other's files, and removing either breaks both.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace aaco {

// The packages, with version ("onnxruntime-gpu 1.31.1"), whose list of files (RECORD) names files in the folder of
// `library`. Empty where it does not lie in a Python's packages.
std::vector<std::string> owners_of_runtime(const std::filesystem::path& library);

// "onnxruntime 1.31.1 and onnxruntime-gpu 1.31.1 are both installed ..."; empty where there is no clash.
std::string runtime_clash(const std::vector<std::string>& owners);

// The command that ends the clash.
std::string clash_remedy(const std::vector<std::string>& owners);

}  // namespace aaco
