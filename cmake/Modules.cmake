# The vendors' modules, libaaco_cuda.so and libaaco_hip.so, beside the program: src/device/gpu and src/device/kernels built
# once by nvcc and once by clang as HIP. Nothing of a vendor is linked into aaco. AACO_CUDA, AACO_HIP: auto builds what
# this machine has the tools for, on fails without them.
set(AACO_CUDA auto CACHE STRING "The CUDA module: auto, on or off")
set(AACO_HIP auto CACHE STRING "The HIP module: auto, on or off")
set(AACO_ARCHITECTURES daily CACHE STRING "Devices that get code: daily, one for each width of a wave; all, what a package ships")
if(AACO_ARCHITECTURES STREQUAL all)
  set(AACO_CUDA_ARCHITECTURES 80 90) # compute capabilities; the last one gets PTX too
  set(AACO_HIP_ARCHITECTURES gfx908 gfx90a gfx942 gfx1030 gfx1100)
elseif(AACO_ARCHITECTURES STREQUAL daily)
  set(AACO_CUDA_ARCHITECTURES 90)
  set(AACO_HIP_ARCHITECTURES gfx942 gfx1100) # waves of 64 lanes and of 32: the tests run both
else()
  message(FATAL_ERROR "AACO_ARCHITECTURES is daily or all, not ${AACO_ARCHITECTURES}")
endif()

# Beside static libstdc++ and libgcc, so that glibc 2.34 is enough for what links them.
set(AACO_STATIC_RUNTIME ${CMAKE_SOURCE_DIR}/src/base/glibc/static_runtime.cpp)
set(module_warnings -Wall -Wextra -Werror -Wshadow)
set(module_options -std=c++20 -O3 -I${CMAKE_SOURCE_DIR}/src)

# Why the module cannot be built: an error where it was asked for, else a line.
function(aaco_no_module option title reason)
  if(${option} STREQUAL on)
    message(FATAL_ERROR "${option}=on, but ${reason}")
  endif()
  message(STATUS "${title} module: not built, ${reason}")
endfunction()

# aaco_module(VENDOR KERNELS command... HOST command... LINK command... [MORE_HOST pattern...] [WITHOUT file...]): the
# commands compile one kernel file, one host file, and link; object, source and dependency file are added. Host files are
# those of gpu/ and gpu/VENDOR/, and of the patterns, without the named ones. HOPPER command...: compiles the kernels in
# folders of that name, which no other device has.
function(aaco_module vendor)
  cmake_parse_arguments(arg "" "" "KERNELS;HOPPER;HOST;LINK;MORE_HOST;WITHOUT" ${ARGN})
  set(folder ${CMAKE_SOURCE_DIR}/src/device)
  file(GLOB kernels CONFIGURE_DEPENDS ${folder}/kernels/*/*.cu)
  if(arg_HOPPER)
    file(GLOB hopper CONFIGURE_DEPENDS ${folder}/kernels/*/hopper/*.cu)
    list(APPEND kernels ${hopper})
  endif()
  file(GLOB host CONFIGURE_DEPENDS ${folder}/gpu/*.cpp ${folder}/gpu/libraries/*.cpp ${folder}/gpu/${vendor}/*.cpp
    ${AACO_STATIC_RUNTIME} ${arg_MORE_HOST})
  list(FILTER host EXCLUDE REGEX "_test\\.cpp$")
  if(arg_WITHOUT)
    list(REMOVE_ITEM host ${arg_WITHOUT})
  endif()
  set(objects)
  foreach(source ${kernels} ${host})
    file(RELATIVE_PATH name ${folder} ${source})
    string(REPLACE "../" "" name ${name}) # a file of base: its object too lies below the module's folder
    set(object ${CMAKE_BINARY_DIR}/module_${vendor}/${name}.o)
    get_filename_component(object_folder ${object} DIRECTORY)
    file(MAKE_DIRECTORY ${object_folder})
    if(source MATCHES "/hopper/")
      set(command ${arg_HOPPER})
    elseif(source MATCHES "\\.cu$")
      set(command ${arg_KERNELS})
    else()
      set(command ${arg_HOST})
    endif()
    add_custom_command(OUTPUT ${object}
      COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${command} -MD -MF ${object}.d -MT ${object} -c ${source} -o ${object}
      DEPENDS ${source} DEPFILE ${object}.d COMMENT "Building ${vendor} module: ${name}" VERBATIM)
    list(APPEND objects ${object})
  endforeach()
  set(module ${CMAKE_BINARY_DIR}/bin/libaaco_${vendor}.so)
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
  add_custom_command(OUTPUT ${module}
    COMMAND ${arg_LINK} ${objects} -o ${module}
    COMMAND ${CMAKE_COMMAND} -DMODULE=${module} -P ${CMAKE_SOURCE_DIR}/cmake/CheckModule.cmake
    DEPENDS ${objects} ${CMAKE_SOURCE_DIR}/cmake/CheckModule.cmake COMMENT "Linking ${vendor} module" VERBATIM)
  add_custom_target(aaco_${vendor} ALL DEPENDS ${module})
  add_dependencies(modules aaco_${vendor})
  install(FILES ${module} DESTINATION lib/aaco COMPONENT ${vendor} EXCLUDE_FROM_ALL OPTIONAL)
endfunction()

function(aaco_cuda_module)
  find_program(AACO_NVCC nvcc HINTS ENV CUDA_HOME PATHS /usr/local/cuda PATH_SUFFIXES bin)
  if(NOT AACO_NVCC)
    aaco_no_module(AACO_CUDA CUDA "there is no nvcc on PATH or in CUDA_HOME")
    return()
  endif()
  execute_process(COMMAND ${AACO_NVCC} --version OUTPUT_VARIABLE said ERROR_QUIET)
  string(REGEX MATCH "release ([0-9]+)\\.([0-9]+)" release "${said}")
  if(NOT release OR CMAKE_MATCH_1 LESS 13)
    aaco_no_module(AACO_CUDA CUDA "${AACO_NVCC} is not of CUDA 13 (${release})")
    return()
  endif()
  set(code)
  foreach(architecture ${AACO_CUDA_ARCHITECTURES})
    list(APPEND code -gencode arch=compute_${architecture},code=sm_${architecture})
  endforeach()
  list(GET AACO_CUDA_ARCHITECTURES -1 newest)
  list(APPEND code -gencode arch=compute_${newest},code=compute_${newest})
  string(REPLACE ";" "," warnings "${module_warnings}")
  # nvcc's own headers of C++ and the files it generates are not held to our warnings; host files are.
  set(both ${AACO_NVCC} ${module_options} -Xcompiler=-fPIC,-fvisibility=hidden)
  set(of_kernels --extended-lambda --expt-relaxed-constexpr -Werror=all-warnings -Xcompiler=-Wall,-Wextra)
  aaco_module(cuda
    KERNELS ${both} ${code} ${of_kernels}
    HOPPER ${both} -gencode arch=compute_90a,code=sm_90a ${of_kernels}
    HOST ${both} -Xcompiler=${warnings}
    LINK ${AACO_NVCC} -shared -cudart=static -Xcompiler=-static-libstdc++,-static-libgcc
    MORE_HOST ${CMAKE_SOURCE_DIR}/src/base/files/kept_lines.cpp ${CMAKE_SOURCE_DIR}/src/device/gpu/cupti/*.cpp)
  message(STATUS "CUDA module: ${AACO_NVCC}, ${release}, for ${AACO_CUDA_ARCHITECTURES}")
endfunction()

# libaaco_observe_cuda.so: CUPTI's collector for programs that know nothing of aaco, and for workers that load somebody
# else's CUDA (src/device/gpu/injected). No CUDA runtime, no library of C++ and none of its names are theirs to see. The
# driver of every observed process opens it, so that it needs nothing but the C library.
function(aaco_observe_library)
  find_path(AACO_CUPTI_INCLUDE cupti.h HINTS ENV CUDA_HOME PATHS /usr/local/cuda
    PATH_SUFFIXES include extras/CUPTI/include NO_DEFAULT_PATH)
  if(NOT AACO_CUPTI_INCLUDE)
    message(STATUS "CUDA observer: not built, there are no headers of CUPTI in CUDA_HOME")
    return()
  endif()
  set(gpu ${CMAKE_SOURCE_DIR}/src/device/gpu)
  file(GLOB sources CONFIGURE_DEPENDS ${gpu}/cupti/*.cpp ${gpu}/injected/*.cpp)
  add_library(aaco_observe_cuda SHARED ${sources} ${gpu}/activity_batch.cpp ${gpu}/libraries/vendor_library.cpp
    ${CMAKE_SOURCE_DIR}/src/device/observe_request.cpp ${CMAKE_SOURCE_DIR}/src/record/device/activity_ring.cpp
    ${CMAKE_SOURCE_DIR}/src/record/device/dormant_page.cpp ${AACO_STATIC_RUNTIME})
  set_target_properties(aaco_observe_cuda PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
  target_include_directories(aaco_observe_cuda PRIVATE ${CMAKE_SOURCE_DIR}/src)
  target_include_directories(aaco_observe_cuda SYSTEM PRIVATE ${AACO_CUPTI_INCLUDE})
  target_link_libraries(aaco_observe_cuda PRIVATE aaco_options Threads::Threads ${CMAKE_DL_LIBS})
  target_link_options(aaco_observe_cuda PRIVATE -static-libstdc++ -static-libgcc -Wl,--no-undefined -Wl,--gc-sections
    -Wl,--version-script=${CMAKE_SOURCE_DIR}/cmake/observe_cuda.map)
  set_target_properties(aaco_observe_cuda PROPERTIES LINK_DEPENDS ${CMAKE_SOURCE_DIR}/cmake/observe_cuda.map)
  add_dependencies(modules aaco_observe_cuda)
  install(TARGETS aaco_observe_cuda LIBRARY DESTINATION lib/aaco COMPONENT cuda EXCLUDE_FROM_ALL OPTIONAL)
  # Beside it what `aaco observe --modules` puts on Python's path.
  configure_file(${gpu}/injected/python_hook/sitecustomize.py ${CMAKE_BINARY_DIR}/bin/aaco_python_hook/sitecustomize.py COPYONLY)
  install(FILES ${gpu}/injected/python_hook/sitecustomize.py DESTINATION lib/aaco/aaco_python_hook COMPONENT cuda EXCLUDE_FROM_ALL)
endfunction()

function(aaco_hip_module)
  find_program(AACO_HIP_CLANG NAMES clang++-19)
  find_program(AACO_HIP_LINKER NAMES lld-19 lld)
  find_program(AACO_HIP_BUNDLER NAMES clang-offload-bundler HINTS /usr/lib/llvm-19/bin)  # clang finds it beside itself
  find_path(AACO_HIP_INCLUDE hip/hip_runtime.h HINTS ${AACO_DEPS}/hip/include ENV ROCM_PATH PATH_SUFFIXES include)
  find_path(AACO_HIP_BITCODE ocml.bc HINTS ${AACO_DEPS}/hip/bitcode ENV ROCM_PATH PATH_SUFFIXES amdgcn/bitcode)
  foreach(need AACO_HIP_CLANG AACO_HIP_LINKER AACO_HIP_BUNDLER AACO_HIP_INCLUDE AACO_HIP_BITCODE)
    if(NOT ${need})
      aaco_no_module(AACO_HIP HIP "clang++-19, clang-tools-19, lld-19, HIP headers or device libraries are missing (scripts/setup --tools)")
      return()
    endif()
  endforeach()
  execute_process(COMMAND ${AACO_HIP_CLANG} -print-resource-dir OUTPUT_VARIABLE resources OUTPUT_STRIP_TRAILING_WHITESPACE)
  list(TRANSFORM AACO_HIP_ARCHITECTURES PREPEND --offload-arch= OUTPUT_VARIABLE targets)
  set(both ${AACO_HIP_CLANG} ${module_options} ${module_warnings} -fPIC -fvisibility=hidden -isystem ${AACO_HIP_INCLUDE}
    -D__HIP_PLATFORM_AMD__)
  # Without headers of rocprofiler-sdk 1 hip/collector.cpp says that there is no collector.
  set(collector)
  set(version_header ${AACO_HIP_INCLUDE}/rocprofiler-sdk/version.h)
  if(EXISTS ${version_header})
    file(STRINGS ${version_header} known_version REGEX "define ROCPROFILER_VERSION_MAJOR +[1-9]")
    if(known_version)
      set(hip ${CMAKE_SOURCE_DIR}/src/device/gpu/hip)
      set(collector MORE_HOST ${hip}/rocprofiler/*.cpp WITHOUT ${hip}/collector.cpp)
    endif()
  endif()
  # libamdhip64 is not named: aaco opens the machine's own, of whatever version, before the module.
  aaco_module(hip
    KERNELS ${both} -x hip ${targets} --rocm-device-lib-path=${AACO_HIP_BITCODE} -nogpuinc
      -include ${resources}/include/__clang_hip_runtime_wrapper.h
    HOST ${both}
    LINK ${AACO_HIP_CLANG} -shared -static-libstdc++ -static-libgcc
    ${collector})
  message(STATUS "HIP module: ${AACO_HIP_CLANG}, for ${AACO_HIP_ARCHITECTURES}")
endfunction()

add_custom_target(modules) # all that can be built here
foreach(option AACO_CUDA AACO_HIP)
  if(NOT ${option} MATCHES "^(auto|on|off)$")
    message(FATAL_ERROR "${option} is auto, on or off, not ${${option}}")
  endif()
endforeach()
if(NOT AACO_CUDA STREQUAL off AND NOT AACO_SANITIZE)
  aaco_cuda_module()
  aaco_observe_library()
endif()
if(NOT AACO_HIP STREQUAL off AND NOT AACO_SANITIZE)
  aaco_hip_module()
endif()
