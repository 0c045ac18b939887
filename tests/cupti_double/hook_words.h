// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

// The words that do what aaco's hook in Python does, through the observing library's functions. False: another word.
bool do_hook_word(std::string_view verb, const std::string& name);
