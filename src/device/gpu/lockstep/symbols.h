// SPDX-License-Identifier: MIT
// The functions of the shared library that this code is in, from the symbol table of its file: also those that it does
// not export, such as kernels in unnamed namespaces.
#pragma once

#include <map>
#include <string>

namespace aaco::gpu::lockstep {

class Symbols {
 public:
  Symbols();
  // Null: none, or several functions of that name.
  const void* address_of(const std::string& name) const;
  std::string name_of(const void* function) const;  // "?" where it has none

 private:
  std::map<std::string, const void*> addresses_;
  std::map<const void*, std::string> names_;
};

}  // namespace aaco::gpu::lockstep
