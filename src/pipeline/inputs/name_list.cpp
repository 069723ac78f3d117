#include "pipeline/inputs/name_list.hpp"

namespace ventral::pipeline {

std::string name_list(const std::vector<std::string>& names) {
    std::string text;
    for (const auto& name : names) text += std::to_string(name.size()) + ":" + name;
    return text;
}

std::vector<std::string> names_in(const std::string& list) {
    std::vector<std::string> names;
    for (std::size_t begin = 0; begin < list.size();) {
        const auto colon = list.find(':', begin);
        names.push_back(list.substr(colon + 1, std::stoul(list.substr(begin, colon - begin))));
        begin = colon + 1 + names.back().size();
    }
    return names;
}

}  // namespace ventral::pipeline
