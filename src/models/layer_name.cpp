#include "models/layer_name.hpp"

#include <cstddef>

namespace ventral::models {

LayerName parse_layer_name(const std::string& text) {
    auto begin = text.find('[');
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

}  // namespace ventral::models
