#pragma once
/// @file
/// What libraries do at the end of a process, which the system does as well.

#include <cstdio>
#include <cstdlib>
#include <iostream>

#include <unistd.h>

namespace ventral::core {

/// First in `main`: the process will end without the destructors of libraries, of which those of
/// libtorch's registers take a fifth as long as the start of the program. What is registered from
/// here on, as by HDF5 and MPI, still comes to its end. Sanitizers look for leaks there, so that
/// under them it does nothing.
inline void skip_library_destructors() {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    on_exit(
        [](int code, void*) {
            std::cout.flush();
            std::fflush(nullptr);
            _exit(code);
        },
        nullptr);
#endif
}

}  // namespace ventral::core
