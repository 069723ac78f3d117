#include "print_score.hpp"

#include <iostream>

#include "core/log.hpp"
#include "core/number_text.hpp"
#include "io/journal/score_json.hpp"

namespace ventral::jobs {

void print_score(const core::Score& score, Format format) {
    for (const auto& warning : score.warnings) core::log_warning(warning);
    if (format == Format::json) {
        std::cout << io::to_json(score) << '\n';
        return;
    }
    std::cout << core::number_text(score.value);
    if (score.error) std::cout << " ± " << core::number_text(*score.error);
    std::cout << '\n';
    for (const auto& [name, value] : score.further)
        std::cout << name << ' ' << core::number_text(value) << '\n';
}

}  // namespace ventral::jobs
