// SPDX-License-Identifier: MIT
// The pages' files, dashboard/dist, within the program (cmake/PageAssets.cmake).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace aaco::serve {

struct PageAsset {
  const char* name;  // "index.html"
  const unsigned char* bytes;
  size_t size;
};

std::span<const PageAsset> page_assets();

// Of "/" and "/assets/NAME"; null for any other path.
const PageAsset* asset_of_path(std::string_view path);
std::string type_of_asset(const PageAsset& asset);

}  // namespace aaco::serve
