# ventral_add_test(MODULE/NAME [OWN_PROGRAM | NETWORKS] DEPENDS module... [LINKS target...] [RANKS n...])
# The cases of tests/MODULE/NAME_test.cpp are part of the program MODULE_tests, or of MODULE_networks_tests where they need
# libtorch, which takes half a second to load, or of one of their own where they replace what all of a program uses. The
# test runs only these, in a process of their own, alone and, for each n of RANKS, under mpiexec.
function(ventral_add_test path)
  cmake_parse_arguments(ARG "OWN_PROGRAM;NETWORKS" "" "DEPENDS;LINKS;RANKS" ${ARGN})
  cmake_path(GET path PARENT_PATH module)
  cmake_path(GET path FILENAME name)
  set(source ${PROJECT_SOURCE_DIR}/tests/${path}_test.cpp)
  set_property(GLOBAL APPEND PROPERTY ventral_tested_files ${source})
  list(TRANSFORM ARG_DEPENDS PREPEND ventral::)
  if(ARG_OWN_PROGRAM)
    set(target ${module}_${name}_test)
    ventral_add_test_program(${target})
    target_sources(${target} PRIVATE ${source})
  else()
    set(target ${module}_tests)
    if(ARG_NETWORKS)
      set(target ${module}_networks_tests)
    endif()
    if(NOT TARGET ${target})
      ventral_add_test_program(${target})
      cmake_language(EVAL CODE "cmake_language(DEFER CALL ventral_add_test_sources ${target})")
    endif()
    set_property(TARGET ${target} APPEND PROPERTY tested_files ${source})
  endif()
  target_link_libraries(${target} PRIVATE ${ARG_DEPENDS} ${ARG_LINKS})

  # Catch makes a file's name a tag of its cases.
  # Hidden ones, of tag [.], are for those who ask for them.
  set(cases --filenames-as-tags --warn NoTests "[#${name}_test]~[.]")
  add_test(NAME ${path} COMMAND ${target} ${cases})
  set_tests_properties(${path} PROPERTIES TIMEOUT 300 SKIP_RETURN_CODE 77 ENVIRONMENT "${VENTRAL_TEST_ENVIRONMENT}")
  foreach(n IN LISTS ARG_RANKS)
    set(test ${path}.np${n})
    add_test(NAME ${test} COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${n} ${MPIEXEC_PREFLAGS} $<TARGET_FILE:${target}> ${cases})
    set_tests_properties(${test} PROPERTIES PROCESSORS ${n} LABELS mpi TIMEOUT 300 SKIP_RETURN_CODE 77 ENVIRONMENT "${VENTRAL_TEST_ENVIRONMENT}")
  endforeach()
endfunction()

# ventral_precompile_test_headers(owner)
# Catch's and Eigen's headers are compiled once for all tests of the folder and of those in it: they take a quarter of the
# time to compile these. The owner is an executable as they are, since a library's code is made another way (-fPIC).
# The option is for ccache, which then caches the tests too; it changes nothing else.
function(ventral_precompile_test_headers owner)
  add_executable(${owner} ${PROJECT_SOURCE_DIR}/tests/support/test_headers.cpp)
  target_link_libraries(${owner} PRIVATE Catch2::Catch2 Eigen3::Eigen)
  target_compile_options(${owner} PRIVATE ${test_flags} -fpch-preprocess)
  target_precompile_headers(${owner} PRIVATE
    <algorithm> <filesystem> <fstream> <functional> <map> <numeric> <optional> <set> <span> <string> <vector> <catch2/catch.hpp> <Eigen/Core>)
  set(test_headers ${owner} PARENT_SCOPE)
endfunction()

function(ventral_add_test_program target)
  add_executable(${target})
  set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)
  target_link_libraries(${target} PRIVATE ventral::test_main)
  target_compile_options(${target} PRIVATE ${test_flags} -fpch-preprocess)
  if(CMAKE_UNITY_BUILD)  # as of what CMake unites itself
    target_compile_options(${target} PRIVATE -Wno-shadow -Wshadow=local -Wno-subobject-linkage)
  endif()
  target_precompile_headers(${target} REUSE_FROM ${test_headers})
endfunction()

# The sources of MODULE_tests, when all are known. Where others are united (CMAKE_UNITY_BUILD) so are these, ten a time,
# but for those that add to a namespace of the program or include torch, which has a CHECK of its own.
function(ventral_add_test_sources target)
  get_target_property(sources ${target} tested_files)
  set(most 1)
  if(CMAKE_UNITY_BUILD)
    set(most 10)
  endif()
  set(batch)
  foreach(source IN LISTS sources)
    file(STRINGS ${source} apart REGEX "^namespace ventral|^#include <torch")
    if(apart)
      cmake_path(GET source STEM name)
      ventral_name_cases(${name} content)
      ventral_add_generated(${target} ${name} "#include <catch2/catch.hpp>\n${content}#include \"${source}\"\n")
      continue()
    endif()
    list(APPEND batch ${source})
    list(LENGTH batch size)
    if(size EQUAL most)
      ventral_unite_tests(${target} ${batch})
      set(batch)
    endif()
  endforeach()
  if(batch)
    ventral_unite_tests(${target} ${batch})
  endif()
endfunction()

# One source of several: what they include, and each in a namespace of its own, where it includes nothing any more.
# So their helpers may have the same names.
function(ventral_unite_tests target first)
  set(includes "#include <catch2/catch.hpp>")
  set(bodies)
  foreach(source IN LISTS first ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
    file(STRINGS ${source} lines REGEX "^#include")
    list(APPEND includes ${lines})
    cmake_path(GET source STEM name)
    ventral_name_cases(${name} naming)
    string(APPEND bodies "${naming}namespace ${name} {\n#include \"${source}\"\n}\n")
  endforeach()
  list(REMOVE_DUPLICATES includes)
  list(JOIN includes "\n" includes)
  cmake_path(GET first STEM name)
  ventral_add_generated(${target} ${name} "${includes}\n${bodies}")
endfunction()

# Names of cases begin with that of their file: a program may have no name twice.
function(ventral_name_cases file result)
  set(${result} "#undef TEST_CASE\n#define TEST_CASE(...) INTERNAL_CATCH_TESTCASE(\"${file}: \" __VA_ARGS__)\n" PARENT_SCOPE)
endfunction()

function(ventral_add_generated target name content)
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/from_${name}.cpp)
  file(CONFIGURE OUTPUT ${generated} CONTENT "${content}" @ONLY)
  target_sources(${target} PRIVATE ${generated})
endfunction()

# One thread each; Open MPI allowed as root and on fewer cores than ranks, as on a build machine, where a waiting rank lets
# others work.
set(VENTRAL_TEST_ENVIRONMENT
    "OMP_NUM_THREADS=1;OPENBLAS_NUM_THREADS=1;OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;OMPI_MCA_rmaps_base_oversubscribe=1;OMPI_MCA_btl_vader_single_copy_mechanism=none;OMPI_MCA_mpi_yield_when_idle=1")
