# Of third-party headers alone, and only for speed: each file includes what it uses (check_tidy and the gcc preset compile
# without). One for all libraries, which share their flags, one for all test programs, and one for a library that has
# cmake/precompiled_NAME.h: a header that is heavy, and used there alone.
function(aaco_precompile target header owner)
  if(NOT AACO_PCH)
    return()
  endif()
  if(target STREQUAL owner)
    target_precompile_headers(${target} PRIVATE ${CMAKE_SOURCE_DIR}/cmake/${header})
  else()
    target_precompile_headers(${target} REUSE_FROM ${owner})
  endif()
endfunction()

# aaco_library(NAME DEPENDS ...): a static library of every .cpp in this folder (tests aside), and, where the folder has
# *_test.cpp files, one test program test_NAME. The link dependencies state which folders this one may include.
function(aaco_library name)
  cmake_parse_arguments(arg "" "" "DEPENDS" ${ARGN})
  set(folder ${CMAKE_SOURCE_DIR}/src/${name})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$|/main\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "/src/device/gpu/") # the vendors' modules and the lockstep libraries build these
  if(sources)
    add_library(aaco_${name} STATIC ${sources})
    target_link_libraries(aaco_${name} PUBLIC ${arg_DEPENDS} PRIVATE aaco_options)
    target_include_directories(aaco_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src)
    if(EXISTS ${CMAKE_SOURCE_DIR}/cmake/precompiled_${name}.h)
      aaco_precompile(aaco_${name} precompiled_${name}.h aaco_${name})
    else()
      aaco_precompile(aaco_${name} precompiled.h aaco_base)
    endif()
  else()
    add_library(aaco_${name} INTERFACE)
    target_link_libraries(aaco_${name} INTERFACE ${arg_DEPENDS})
    target_include_directories(aaco_${name} INTERFACE ${CMAKE_SOURCE_DIR}/src)
  endif()
  if(tests AND AACO_TESTS)
    add_executable(test_${name} ${tests})
    target_link_libraries(test_${name} PRIVATE aaco_${name} aaco_options GTest::gtest_main GTest::gmock)
    target_compile_definitions(test_${name} PRIVATE AACO_SOURCE_DIR="${CMAKE_SOURCE_DIR}" AACO_DEPS_DIR="${AACO_DEPS}"
      AACO_BUILT_MODULES="${CMAKE_BINARY_DIR}/bin")
    # What a test checks is the library; its own code is compiled once and runs for milliseconds.
    target_compile_options(test_${name} PRIVATE -O0)
    aaco_precompile(test_${name} precompiled_tests.h test_base)
    gtest_discover_tests(test_${name} TEST_PREFIX ${name}. NO_PRETTY_VALUES DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 300)
  endif()
endfunction()
