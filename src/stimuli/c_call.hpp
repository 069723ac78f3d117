#pragma once
/// @file
/// Calls into C libraries that report their errors by a long jump.

#include <csetjmp>

namespace ventral::stimuli {

/// Runs `call`; false if it was left by longjmp(jump, 1). What `call` itself makes is then not
/// destroyed, so it must make nothing that needs a destructor and must not throw.
template <typename Call>
[[gnu::noinline]] bool completes(std::jmp_buf& jump, Call call) {
    if (setjmp(jump) != 0) return false;
    call();
    return true;
}

}  // namespace ventral::stimuli
