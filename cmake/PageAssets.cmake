# The pages of `aaco serve`: dashboard/dist as scripts/dashboard builds it, put into the library as arrays. No npm is needed here.
function(aaco_page_assets library)
  set(folder ${CMAKE_SOURCE_DIR}/dashboard/dist)
  set(source ${CMAKE_BINARY_DIR}/generated/page_assets.cpp)
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/generated)
  file(GLOB assets CONFIGURE_DEPENDS ${folder}/*.html ${folder}/*.js ${folder}/*.css ${folder}/*.svg)
  add_custom_command(OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} -DFOLDER=${folder} -DSOURCE=${source} -P ${CMAKE_SOURCE_DIR}/cmake/EmbedPageAssets.cmake
    DEPENDS ${assets} ${CMAKE_SOURCE_DIR}/cmake/EmbedPageAssets.cmake
    COMMENT "Embedding the pages of aaco serve" VERBATIM)
  target_sources(aaco_${library} PRIVATE ${source})
  set_source_files_properties(${source} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
endfunction()
