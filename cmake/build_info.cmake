# Writes "base/build_info.h" into the build folder: version, build type, compiler and git revision. The revision is
# looked up at every build; the header changes, and its few users are compiled again, only when the revision did.
# Included by CMakeLists.txt, and run as a script (cmake -P) by the target `build_info`.

if(CMAKE_SCRIPT_MODE_FILE)
  execute_process(
    COMMAND git describe --always --dirty --abbrev=12 --exclude=*
    WORKING_DIRECTORY ${SOURCE_DIR}
    OUTPUT_VARIABLE REVISION OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT REVISION)
    set(REVISION unknown)
  endif()
  configure_file(${SOURCE_DIR}/cmake/build_info.h.in ${OUTPUT} @ONLY)
  return()
endif()

set(WEBSHIP_GENERATED ${CMAKE_BINARY_DIR}/generated)
string(TOLOWER "${CMAKE_BUILD_TYPE}" build_type)
if(WEBSHIP_SANITIZE)
  string(APPEND build_type " with ${WEBSHIP_SANITIZE} sanitizers")
endif()
set(build_info_command
  ${CMAKE_COMMAND} -D SOURCE_DIR=${CMAKE_SOURCE_DIR} -D OUTPUT=${WEBSHIP_GENERATED}/base/build_info.h
  -D VERSION=${PROJECT_VERSION} -D "BUILD_TYPE=${build_type}"
  -D "COMPILER=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}" -P ${CMAKE_CURRENT_LIST_FILE})
execute_process(COMMAND ${build_info_command} COMMAND_ERROR_IS_FATAL ANY)
add_custom_target(build_info COMMAND ${build_info_command}
  BYPRODUCTS ${WEBSHIP_GENERATED}/base/build_info.h VERBATIM COMMENT "")
