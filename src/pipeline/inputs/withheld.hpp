#pragma once
/// @file
/// What is said in place of an error that would show something of a private dataset.

#include <string>

namespace ventral::pipeline {

/// `what` cannot be done, with the way to learn why.
inline std::string withheld(const std::string& what) {
    return what +
           " (details are withheld: the dataset's access is private) they are shown while its "
           "record says access = \"public\"";
}

}  // namespace ventral::pipeline
