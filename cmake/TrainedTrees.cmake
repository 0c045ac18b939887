# The trees of the learned classifier, put into the library as an array; bench/classifier/train.py writes the file.
function(aaco_trained_trees library)
  set(trees ${CMAKE_SOURCE_DIR}/configs/classifier/limits.trees)
  set(array ${CMAKE_BINARY_DIR}/generated/trained_trees.cpp)
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/generated)
  add_custom_command(OUTPUT ${array}
    COMMAND ${CMAKE_COMMAND} -DFILE=${trees} -DARRAY=${array} -DHEADER=analysis/learned/trained_trees.h -DNAME=kTrainedTrees
      -P ${CMAKE_SOURCE_DIR}/cmake/EmbedBytes.cmake
    DEPENDS ${trees} ${CMAKE_SOURCE_DIR}/cmake/EmbedBytes.cmake
    COMMENT "Embedding the trees of the learned classifier" VERBATIM)
  target_sources(aaco_${library} PRIVATE ${array})
  set_source_files_properties(${array} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
endfunction()
