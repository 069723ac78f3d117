# ventral_add_module(NAME SOURCES file... [DEPENDS module...] [LINKS target...])
# The module src/NAME. DEPENDS are the modules whose headers it may include (the test NAME/includes
# holds it to that); LINKS are outside libraries, kept out of its headers.
function(ventral_add_module name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;LINKS" ${ARGN})
  set(dir ${PROJECT_SOURCE_DIR}/src/${name})
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${dir}/*.hpp)
  list(TRANSFORM ARG_SOURCES PREPEND ${dir}/)
  list(TRANSFORM ARG_DEPENDS PREPEND ventral:: OUTPUT_VARIABLE depends)

  add_library(ventral_${name} STATIC ${ARG_SOURCES})
  add_library(ventral::${name} ALIAS ventral_${name})
  target_include_directories(ventral_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(ventral_${name} PUBLIC ${depends} PRIVATE ${ARG_LINKS})

  ventral_check_headers(${name} ${headers})
  add_test(NAME ${name}/includes COMMAND ${CMAKE_COMMAND} -D DIR=${dir} -D "ALLOWED=${name};${ARG_DEPENDS}"
                                         -P ${PROJECT_SOURCE_DIR}/tools/cmake/check_includes.cmake)
endfunction()

# ventral_add_part(MODULE NAME SOURCES file... [LINKS target...])
# Files of a module in a library of their own, ventral::NAME, for programs to choose: no module is linked with it.
function(ventral_add_part module name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  list(TRANSFORM ARG_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/src/${module}/)
  add_library(ventral_${module}_${name} STATIC ${ARG_SOURCES})
  add_library(ventral::${name} ALIAS ventral_${module}_${name})
  target_link_libraries(ventral_${module}_${name} PUBLIC ventral::${module} PRIVATE ${ARG_LINKS})
endfunction()
