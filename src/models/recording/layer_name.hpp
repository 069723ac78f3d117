#pragma once
/// @file
/// How users name a layer: a submodule, and which tensor of what it returns.

#include <string>
#include <vector>

namespace ventral::models {

class SubmoduleNames;

/// "features.12" is a submodule. Where its output is a tuple, a list or a dict, brackets behind the
/// name choose a member, by position, field or key and without quotation marks: "encoder[1]",
/// "head[out]", "block[1][0]".
struct LayerName {
    std::string submodule;
    std::vector<std::string> members;  ///< from the outermost to the innermost; mostly none
};

/// A name whose brackets do not match is taken for a submodule's as a whole.
LayerName parse_layer_name(const std::string& text);

/// The same, but brackets that are part of a submodule's own name stay there.
LayerName parse_layer_name(const std::string& text, const SubmoduleNames& submodules);

}  // namespace ventral::models
