// SPDX-License-Identifier: MIT
#include "serve/assets/page_assets.h"

#include <algorithm>

namespace aaco::serve {

const PageAsset* asset_of_path(std::string_view path) {
  constexpr std::string_view kFolder = "/assets/";
  const std::string_view name = path == "/"                 ? std::string_view("index.html")
                                : path.starts_with(kFolder) ? path.substr(kFolder.size())
                                                            : "";
  const std::span<const PageAsset> assets = page_assets();
  const auto found_asset =
      std::find_if(assets.begin(), assets.end(), [&](const PageAsset& asset) { return name == asset.name; });
  return found_asset == assets.end() ? nullptr : &*found_asset;
}

std::string type_of_asset(const PageAsset& asset) {
  const std::string_view name = asset.name;
  return name.ends_with(".html")  ? "text/html; charset=utf-8"
         : name.ends_with(".js")  ? "text/javascript; charset=utf-8"
         : name.ends_with(".css") ? "text/css; charset=utf-8"
         : name.ends_with(".svg") ? "image/svg+xml"
                                  : "application/octet-stream";
}

}  // namespace aaco::serve
