# Every third-party thing is found here: on the system first, else in .deps/ where scripts/setup put it.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Protobuf REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(ZLIB REQUIRED)
find_package(Boost REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(ISAL REQUIRED IMPORTED_TARGET libisal)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
# Archives, so that a package needs neither: libbpf loads the programs of the kernel plane, libelf reads them for it.
find_path(LIBBPF_INCLUDE bpf/libbpf.h REQUIRED)
find_library(LIBBPF_ARCHIVE libbpf.a REQUIRED)
find_library(LIBELF_ARCHIVE libelf.a REQUIRED)
add_library(libbpf INTERFACE)
target_include_directories(libbpf SYSTEM INTERFACE ${LIBBPF_INCLUDE})
target_link_libraries(libbpf INTERFACE ${LIBBPF_ARCHIVE} ${LIBELF_ARCHIVE} ZLIB::ZLIB)
find_package(simdjson REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(pugixml REQUIRED)
# Not by pkg-config, whose -pthread would not fit the precompiled headers.
find_path(RE2_INCLUDE re2/re2.h REQUIRED)
find_library(RE2_LIBRARY re2 REQUIRED)

set(AACO_DEPS ${CMAKE_SOURCE_DIR}/.deps CACHE PATH "Where scripts/setup put the prebuilt libraries")
find_path(ONNXRUNTIME_INCLUDE onnxruntime_c_api.h HINTS ${AACO_DEPS}/onnxruntime/include PATH_SUFFIXES onnxruntime REQUIRED)
find_path(DUCKDB_INCLUDE duckdb.h HINTS ${AACO_DEPS}/duckdb/include REQUIRED)
find_file(ONNX_PROTO onnx.proto HINTS ${AACO_DEPS}/onnx NO_DEFAULT_PATH REQUIRED)

# Headers only: both libraries are opened at run time, so that one binary runs where they are missing and says so.
add_library(onnxruntime_headers INTERFACE)
target_include_directories(onnxruntime_headers SYSTEM INTERFACE ${ONNXRUNTIME_INCLUDE})
add_library(duckdb_headers INTERFACE)
target_include_directories(duckdb_headers SYSTEM INTERFACE ${DUCKDB_INCLUDE})

# onnx.proto as a library of its own; generated code is not held to our warnings.
set(onnx_generated ${CMAKE_BINARY_DIR}/generated)
file(MAKE_DIRECTORY ${onnx_generated})
add_custom_command(
  OUTPUT ${onnx_generated}/onnx.pb.cc ${onnx_generated}/onnx.pb.h
  COMMAND protobuf::protoc --cpp_out=${onnx_generated} -I $<SHELL_PATH:${AACO_DEPS}/onnx> ${ONNX_PROTO}
  DEPENDS ${ONNX_PROTO})
add_library(onnx_proto STATIC ${onnx_generated}/onnx.pb.cc)
target_include_directories(onnx_proto SYSTEM PUBLIC ${onnx_generated})
target_link_libraries(onnx_proto PUBLIC protobuf::libprotobuf)

if(AACO_TESTS)
  find_package(GTest REQUIRED)
  include(GoogleTest)
endif()
