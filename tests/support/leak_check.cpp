#include "comm/communicator.hpp"

/// Asked by the leak sanitizer at exit: what Open MPI never frees is not ours to mend, and lies in
/// modules that it has unloaded by then, which no list of names could tell from ours.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming): its fixed name
extern "C" int __lsan_is_turned_off() { return ventral::comm::under_mpiexec(); }
