# cmake -DMODULE=FILE -P CheckModule.cmake: a module must define all that is ours, every operation of op_list.h among it;
# what is the vendor's may be missing until the vendor's library is open.
execute_process(COMMAND nm -D -C --undefined-only ${MODULE} OUTPUT_VARIABLE missing COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]*aaco::[^\n]*" ours "${missing}")
if(ours)
  file(REMOVE ${MODULE})
  string(REPLACE ";" "\n" ours "${ours}")
  message(FATAL_ERROR "${MODULE} lacks:\n${ours}")
endif()
