#include "print_score.hpp"

#include <fstream>
#include <iostream>
#include <sstream>

#include "core/errors.hpp"
#include "core/log.hpp"
#include "core/number_text.hpp"
#include "io/score_json.hpp"

namespace ventral::jobs {

std::string read_params(const std::string& params, const std::string& option) {
    if (params.empty() || params.front() != '@') return params;
    const auto path = params_place(params, option);
    std::ifstream file(path);
    if (!file) throw core::InputError(path + ": cannot be read (named by " + option + ")");
    std::ostringstream text;
    text << file.rdbuf();
    if (text.str().empty())
        throw core::InputError(path + ": is empty or cannot be read (named by " + option +
                               ") leave " + option + " out for the defaults");
    return text.str();
}

std::string params_place(const std::string& params, const std::string& option) {
    return params.empty() || params.front() != '@' ? option : params.substr(1);
}

void print_score(const core::Score& score, bool json) {
    for (const auto& warning : score.warnings) core::log_warning(warning);
    if (json) {
        std::cout << io::to_json(score) << '\n';
        return;
    }
    std::cout << core::number_text(score.value);
    if (score.error) std::cout << " ± " << core::number_text(*score.error);
    std::cout << '\n';
}

}  // namespace ventral::jobs
