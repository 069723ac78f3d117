#include "bootstrap_option.hpp"

#include "core/errors.hpp"
#include "metrics/bootstrap_error.hpp"

namespace ventral::jobs {

void add_bootstrap_option(CLI::App& subcommand, std::vector<std::string>& dimensions) {
    subcommand
        .add_option("--bootstrap", dimensions,
                    "also the error by 1000 resamples of these dimensions of the raw values, for "
                    "example neuroid or split,neuroid (Brain-Score's bootstrap_error)")
        ->option_text("A,B")
        ->delimiter(',');
}

void add_bootstrap_error(const std::vector<std::string>& dimensions, core::Score& score) {
    if (dimensions.empty()) return;
    score.further["bootstrap_error"] = core::naming(
        "--bootstrap", [&] { return metrics::bootstrap_error(score.raw, {.over = dimensions}); });
}

}  // namespace ventral::jobs
