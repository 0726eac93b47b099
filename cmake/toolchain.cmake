# Compiler and linker: warnings, sanitizers, hardening, the compiler cache and the fast linker.

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
  message(FATAL_ERROR "Webship needs GCC 14: `make run` installs it, or configure with a preset (cmake --preset dev)")
endif()
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Debug CACHE STRING "" FORCE)
endif()

# ccache, with paths taken relative to the project: two checkouts share what they compiled.
find_program(WEBSHIP_CCACHE ccache)
if(WEBSHIP_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${WEBSHIP_CCACHE} base_dir=${CMAKE_SOURCE_DIR} hash_dir=false)
endif()
add_compile_options(-ffile-prefix-map=${CMAKE_SOURCE_DIR}/=)

# Everything ends in an executable: -fPIE lets the compiler inline what -fPIC would leave open to interposition.
add_compile_options(-fPIE)
add_link_options(-pie)

add_compile_options(
  -Wall -Wextra -Wpedantic
  -Wconversion -Wno-sign-conversion
  -Wextra-semi
  -Wformat=2
  -Wimplicit-fallthrough
  -Wnon-virtual-dtor
  -Wold-style-cast
  -Woverloaded-virtual
  -Wundef
  -Wvla
  -Wno-missing-field-initializers) # designated initializers name what they set; the rest has defaults
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Of shadowing, what the trailing _ of members doesn't rule out already; a parameter may be named like an accessor.
  # clang looks into OpenSSL's macros for casts, GCC doesn't.
  add_compile_options(-Wcast-qual -Wduplicated-cond -Wlogical-op -Wredundant-move -Wshadow=local)
  # These depend on what the optimizer happened to inline and cry wolf inside the standard library. They are judged
  # in the dev build, at -O1; sanitizers and -O3 with LTO only produce false ones.
  if(WEBSHIP_SANITIZE OR CMAKE_BUILD_TYPE STREQUAL "Release")
    set(noisy -Wno-maybe-uninitialized -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread
        -Wno-restrict -Wno-free-nonheap-object)
    add_compile_options(${noisy})
    add_link_options(${noisy})
  endif()
  if(WEBSHIP_UNITY)
    # GCC takes a .cc that another file includes for a header, whose types in anonymous namespaces would be a mistake.
    add_compile_options(-Wno-subobject-linkage)
  endif()
else()
  add_compile_options(-Wshadow)
endif()
if(WEBSHIP_WERROR)
  add_compile_options(-Werror)
endif()

set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g -fno-omit-frame-pointer")
set(CMAKE_CXX_FLAGS_RELEASE "-O3 -DNDEBUG")

if(CMAKE_BUILD_TYPE STREQUAL "Release")
  set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ON)
  add_compile_options(-fno-plt -fstack-protector-strong -fstack-clash-protection -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
  add_link_options(-Wl,-z,relro,-z,now -Wl,--as-needed)
else()
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
  find_program(WEBSHIP_MOLD mold)
  find_program(WEBSHIP_LLD NAMES ld.lld)
  if(WEBSHIP_MOLD)
    add_link_options(-fuse-ld=mold)
  elseif(WEBSHIP_LLD)
    add_link_options(-fuse-ld=lld)
  endif()
endif()

if(WEBSHIP_SANITIZE)
  add_compile_options(-fsanitize=${WEBSHIP_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${WEBSHIP_SANITIZE})
  if(WEBSHIP_FUZZ)
    add_compile_options(-fsanitize=fuzzer-no-link)
  endif()
endif()
