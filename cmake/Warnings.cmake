# Warnings are errors in our own code; third-party headers come in as SYSTEM.
add_library(aaco_options INTERFACE)
target_compile_options(aaco_options INTERFACE -Wall -Wextra -Werror -Wshadow -Wconversion -Wno-sign-conversion
  -Wnon-virtual-dtor -Wnull-dereference -Wold-style-cast -march=x86-64-v2 -fno-omit-frame-pointer)
# GCC 12 reports null dereferences and maybe-uninitialised values inside inlined library code at -O2.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  target_compile_options(aaco_options INTERFACE -Wno-null-dereference -Wno-maybe-uninitialized -Wno-restrict
    -Wno-stringop-overflow -Wno-array-bounds)
endif()
# clang blames us for std::get_temporary_buffer, which is deprecated and which libstdc++'s stable_sort uses; GCC still
# reports deprecated things that we name ourselves.
if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
  target_compile_options(aaco_options INTERFACE -Wno-deprecated-declarations)
  # Without the time in it the same precompiled header comes out of the same sources, as a compiler cache needs.
  target_compile_options(aaco_options INTERFACE "SHELL:-Xclang -fno-pch-timestamp")
endif()
if(AACO_SANITIZE)
  target_compile_options(aaco_options INTERFACE -fsanitize=${AACO_SANITIZE} -fno-sanitize-recover=all)
  target_link_options(aaco_options INTERFACE -fsanitize=${AACO_SANITIZE})
endif()
