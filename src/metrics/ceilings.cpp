#include "metrics/ceilings.hpp"

#include "core/errors.hpp"
#include "core/label_codes.hpp"
#include "core/text.hpp"
#include "metrics/internal_consistency.hpp"
#include "metrics/predictor_consistency.hpp"
#include "metrics/rsa_ceiling.hpp"

namespace ventral::metrics {

const std::vector<RegisteredCeiling>& registered_ceilings() {
    static const std::vector<RegisteredCeiling> ceilings = {
        {"internal_consistency", internal_consistency_version, internal_consistency,
         consistent_repetitions},
        {"internal_consistency_temporal", internal_consistency_version,
         internal_consistency_temporal, consistent_repetitions},
        {"predictor_consistency", predictor_consistency_version, predictor_consistency},
        {"rsa_ceiling", rsa_ceiling_version, rsa_ceiling},
    };
    return ceilings;
}

void check_repetitions(const RegisteredCeiling& ceiling, const core::Assembly& labels) {
    if (ceiling.least_repetitions < 2) return;
    const auto distinct = core::label_codes(core::coordinate(labels, "repetition").values).distinct;
    if (distinct < ceiling.least_repetitions)
        throw core::InputError(too_few_repetitions(labels.name, distinct));
    core::coordinate(labels, "neuroid_id");
}

const RegisteredCeiling& find_ceiling(const std::string& name) {
    std::vector<std::string> names;
    for (const auto& ceiling : registered_ceilings()) {
        if (ceiling.name == name) return ceiling;
        names.push_back(ceiling.name);
    }
    throw core::InputError("ceiling '" + name + "' is not supported (supported: " +
                           core::listed(names) + ")" + core::near_names(name, names));
}

}  // namespace ventral::metrics
