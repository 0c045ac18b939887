# The kernel plane's programs: compiled for BPF by clang, whatever compiles the rest, and put into the library as an array.
find_program(AACO_BPF_CLANG NAMES clang-19 clang REQUIRED)

function(aaco_kernel_programs library)
  set(folder ${CMAKE_SOURCE_DIR}/src/observe/kernel/bpf)
  set(source ${folder}/kernel_plane.bpf.c)
  set(object ${CMAKE_BINARY_DIR}/generated/kernel_plane.bpf.o)
  set(array ${CMAKE_BINARY_DIR}/generated/kernel_programs.cpp)
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/generated)
  # -g makes the types (BTF), by which the loader fits the programs to the running kernel.
  add_custom_command(OUTPUT ${array}
    COMMAND ${AACO_BPF_CLANG} -target bpf -mcpu=v3 -O2 -g -Wall -Wextra -Wno-unused-parameter -Werror -isystem ${LIBBPF_INCLUDE}
      -ffile-prefix-map=${CMAKE_SOURCE_DIR}=. -c ${source} -o ${object}
    COMMAND ${CMAKE_COMMAND} -DFILE=${object} -DARRAY=${array} -DHEADER=observe/kernel/bpf/program_object.h -DNAME=kKernelPrograms
      -P ${CMAKE_SOURCE_DIR}/cmake/EmbedBytes.cmake
    DEPENDS ${source} ${folder}/kernel_types.h ${folder}/records.h ${CMAKE_SOURCE_DIR}/cmake/EmbedBytes.cmake
    COMMENT "Building the kernel plane's programs" VERBATIM)
  target_sources(aaco_${library} PRIVATE ${array})
  set_source_files_properties(${array} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
endfunction()
