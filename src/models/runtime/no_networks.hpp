#pragma once
/// @file
/// What a program without networks does where it is asked for one.

#include <cassert>
#include <stdexcept>

namespace ventral::models {

[[noreturn]] inline void refuse_networks() {
    assert(false);
    throw std::logic_error("this program is linked without networks");
}

}  // namespace ventral::models
