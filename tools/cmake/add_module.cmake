# ventral_add_module(NAME SOURCES file... [DEPENDS module...] [LINKS target...])
# The module src/NAME. DEPENDS are the modules whose headers it may include (the test NAME/includes
# holds it to that); LINKS are outside libraries, kept out of its headers.
function(ventral_add_module name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;LINKS" ${ARGN})
  set(dir ${PROJECT_SOURCE_DIR}/src/${name})
  file(GLOB headers CONFIGURE_DEPENDS ${dir}/*.hpp)
  ventral_find_included_first(${name} proven ${headers})
  list(REMOVE_ITEM headers ${proven})
  list(TRANSFORM ARG_SOURCES PREPEND ${dir}/)
  list(TRANSFORM ARG_DEPENDS PREPEND ventral:: OUTPUT_VARIABLE depends)

  add_library(ventral_${name} STATIC ${ARG_SOURCES})
  add_library(ventral::${name} ALIAS ventral_${name})
  target_sources(ventral_${name} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/src FILES ${headers}
                                 PUBLIC FILE_SET proven TYPE HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/src FILES ${proven})
  set_target_properties(ventral_${name} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON INTERFACE_HEADER_SETS_TO_VERIFY HEADERS)
  target_link_libraries(ventral_${name} PUBLIC ${depends} PRIVATE ${ARG_LINKS})

  add_test(NAME ${name}/includes COMMAND ${CMAKE_COMMAND} -D DIR=${dir} -D "ALLOWED=${name};${ARG_DEPENDS}"
                                         -P ${PROJECT_SOURCE_DIR}/tools/cmake/check_includes.cmake)
endfunction()

# Those of the headers that a source of the same name includes before anything else: it shows that they compile alone.
function(ventral_find_included_first module result)
  set(found)
  foreach(header IN LISTS ARGN)
    cmake_path(REPLACE_EXTENSION header LAST_ONLY cpp OUTPUT_VARIABLE source)
    cmake_path(GET header FILENAME name)
    set(first)
    if(EXISTS ${source})
      file(STRINGS ${source} first LIMIT_COUNT 1 REGEX "^#include")
    endif()
    if("${first}" STREQUAL "#include \"${module}/${name}\"")
      list(APPEND found ${header})
    endif()
  endforeach()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

# ventral_add_test(MODULE/NAME DEPENDS module... [LINKS target...] [RANKS n...])
# Builds tests/MODULE/NAME_test.cpp; runs it alone and, for each n of RANKS, under mpiexec.
# Catch's and Eigen's headers are compiled once for all tests: they take a quarter of the time to compile these.
function(ventral_add_test path)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINKS;RANKS" ${ARGN})
  string(REPLACE "/" "_" target ${path}_test)
  list(TRANSFORM ARG_DEPENDS PREPEND ventral::)
  add_executable(${target} ${PROJECT_SOURCE_DIR}/tests/${path}_test.cpp)
  target_link_libraries(${target} PRIVATE ${ARG_DEPENDS} ${ARG_LINKS} ventral::test_main)
  target_compile_options(${target} PRIVATE ${test_flags} -fpch-preprocess)
  target_precompile_headers(${target} REUSE_FROM ventral_test_headers)
  add_test(NAME ${path} COMMAND ${target})
  set_tests_properties(${path} PROPERTIES TIMEOUT 300 SKIP_RETURN_CODE 77 ENVIRONMENT "${VENTRAL_TEST_ENVIRONMENT}")
  foreach(n IN LISTS ARG_RANKS)
    set(test ${path}.np${n})
    add_test(NAME ${test} COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${n} ${MPIEXEC_PREFLAGS} $<TARGET_FILE:${target}>)
    set_tests_properties(${test} PROPERTIES PROCESSORS ${n} LABELS mpi TIMEOUT 300 ENVIRONMENT "${VENTRAL_TEST_ENVIRONMENT}")
  endforeach()
endfunction()

# One thread each; Open MPI allowed as root and on fewer cores than ranks, as on a build machine.
set(VENTRAL_TEST_ENVIRONMENT
    "OMP_NUM_THREADS=1;OPENBLAS_NUM_THREADS=1;OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;OMPI_MCA_rmaps_base_oversubscribe=1;OMPI_MCA_btl_vader_single_copy_mechanism=none")
