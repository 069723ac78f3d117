cmake_minimum_required(VERSION 3.25)

# cmake -D SOURCE=folder -D TO=commit.cpp -P write_commit.cmake
# Defines `ventral::jobs::commit()` as the commit that is checked out in SOURCE.
execute_process(COMMAND git describe --always --dirty WORKING_DIRECTORY ${SOURCE}
                OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT commit)
  set(commit unknown)
endif()
file(CONFIGURE OUTPUT ${TO} CONTENT [[
#include "commit.hpp"

const char* ventral::jobs::commit() { return "@commit@"; }
]] @ONLY)
