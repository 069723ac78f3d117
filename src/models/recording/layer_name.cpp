#include "models/recording/layer_name.hpp"

#include <cstddef>

#include "models/network/submodule_names.hpp"

namespace ventral::models {
namespace {

/// A submodule of `length` letters and its members.
LayerName split_behind(const std::string& text, std::size_t length) {
    auto begin = text.find('[', length);
    LayerName name{text.substr(0, begin), {}};
    while (begin != std::string::npos && begin < text.size()) {
        const auto end = text.find(']', begin);
        const bool matches = text[begin] == '[' && end != std::string::npos && end > begin + 1;
        if (!matches) return {text, {}};
        name.members.push_back(text.substr(begin + 1, end - begin - 1));
        begin = end + 1;
    }
    return name;
}

}  // namespace

LayerName parse_layer_name(const std::string& text) { return split_behind(text, 0); }

LayerName parse_layer_name(const std::string& text, const SubmoduleNames& submodules) {
    for (auto end = text.size(); end != std::string::npos && end > 0;
         end = text.rfind('[', end - 1))
        if (submodules.has(text.substr(0, end))) return split_behind(text, end);
    return parse_layer_name(text);
}

}  // namespace ventral::models
