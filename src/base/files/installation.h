// SPDX-License-Identifier: MIT
// Where an installation keeps what the program opens at run time. All places are relative to the program or to a
// Python, so that an installed tree can lie anywhere:
//   PREFIX/bin/aaco, PREFIX/lib/aaco/*.so, PREFIX/share/aaco/configs    a package, /usr, an unpacked archive
//   PACKAGES/aaco/native/{bin,lib,share}                                a wheel, in the packages' folder of a Python
#pragma once

#include <filesystem>
#include <vector>

namespace aaco {

// Folders of this installation's own libraries: beside the program (a build), then ../lib/aaco.
std::vector<std::filesystem::path> library_folders();

// Folders of Python packages that belong to this run: those of the interpreter that started it (AACO_PYTHON_PACKAGES,
// colons between them, in its order), and the one that the program itself lies in. Empty where no wheel is installed.
std::vector<std::filesystem::path> own_python_packages();

// The same of other Pythons, which may hold libraries too: the active environment's, of those on PATH, the system's.
std::vector<std::filesystem::path> other_python_packages();

}  // namespace aaco
