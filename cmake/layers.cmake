# webship_layer(NAME [DEPENDS layers…] [LIBRARIES external targets…])
#
# One folder of src/ as one static library `webship_NAME`, with every .cc but the tests, linked to the layers and
# libraries it may use; and one test binary `NAME_test` from its *_test.cc. A layer whose folder isn't there
# defines nothing and may still be named in DEPENDS. Folders and files that appear are found by the next build.

add_library(webship_options INTERFACE)
target_include_directories(webship_options INTERFACE ${CMAKE_SOURCE_DIR}/src ${WEBSHIP_GENERATED})
add_dependencies(webship_options build_info)

function(webship_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 layer "" "" "DEPENDS;LIBRARIES")
  set(folder ${CMAKE_SOURCE_DIR}/src/${name})
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cc)
  file(GLOB headers CONFIGURE_DEPENDS ${folder}/*.h)
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  if(NOT sources AND NOT headers)
    return()
  endif()

  set(links webship_options)
  foreach(below IN LISTS layer_DEPENDS)
    if(TARGET webship_${below})
      list(APPEND links webship_${below})
    endif()
  endforeach()
  list(APPEND links ${layer_LIBRARIES})

  if(sources)
    add_library(webship_${name} STATIC ${sources})
    target_link_libraries(webship_${name} PUBLIC ${links})
    set_target_properties(webship_${name} PROPERTIES UNITY_BUILD ${WEBSHIP_UNITY})
  else()
    add_library(webship_${name} INTERFACE)
    target_link_libraries(webship_${name} INTERFACE ${links})
  endif()

  set_property(GLOBAL APPEND PROPERTY WEBSHIP_LAYERS webship_${name})

  if(WEBSHIP_TESTS AND tests)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE webship_${name} GTest::gtest_main GTest::gmock)
    add_test(NAME ${name} COMMAND ${name}_test --gtest_brief=1)
    set_tests_properties(${name} PROPERTIES LABELS unit TIMEOUT 300 WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  endif()
endfunction()

# webship_external(NAME HEADER file NAMES libraries…)
#
# An external library that has no CMake package, as the target external::NAME. (pkg-config would know them too, but
# takes half a minute to walk what re2 requires.)
function(webship_external name)
  cmake_parse_arguments(PARSE_ARGV 1 external "" "HEADER" "NAMES")
  find_path(${name}_INCLUDE ${external_HEADER} REQUIRED)
  set(found)
  foreach(library IN LISTS external_NAMES)
    find_library(${name}_${library}_LIBRARY ${library} REQUIRED)
    list(APPEND found ${${name}_${library}_LIBRARY})
  endforeach()
  mark_as_advanced(${name}_INCLUDE)
  add_library(external::${name} INTERFACE IMPORTED GLOBAL)
  target_include_directories(external::${name} INTERFACE ${${name}_INCLUDE})
  target_link_libraries(external::${name} INTERFACE ${found})
endfunction()
