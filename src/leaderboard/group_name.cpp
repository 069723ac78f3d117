#include "leaderboard/group_name.hpp"

#include <string_view>

namespace ventral::leaderboard {
namespace {

/// netCDF allows 256 bytes; the rest is for the number of a name that is taken.
constexpr std::size_t longest_name = 240;

bool is_letter_or_digit(char character) {
    constexpr std::string_view fit =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    return fit.find(character) != fit.npos;
}

std::string fit_for_netcdf(std::string name) {
    for (auto& character : name)
        if (!is_letter_or_digit(character) && character != '-' && character != '.') character = '_';
    if (!is_letter_or_digit(name.front())) name.front() = '_';
    return name.substr(0, longest_name);
}

}  // namespace

std::string group_name(const core::ScoreRecord& record, std::set<std::string>& taken) {
    const auto wanted =
        fit_for_netcdf(record.model + "__" + record.benchmark + "__" + record.layer);
    auto name = wanted;
    for (int number = 2; !taken.insert(name).second; ++number)
        name = wanted + "__" + std::to_string(number);
    return name;
}

}  // namespace ventral::leaderboard
