#include "metrics/ceilings.hpp"

#include "core/errors.hpp"
#include "core/label_codes.hpp"
#include "metrics/find_named.hpp"
#include "metrics/internal_consistency.hpp"
#include "metrics/predictor_consistency.hpp"
#include "metrics/rsa_ceiling.hpp"

namespace ventral::metrics {

const std::vector<RegisteredCeiling>& registered_ceilings() {
    static const std::vector<RegisteredCeiling> ceilings = {
        {.name = "internal_consistency",
         .version = internal_consistency_version,
         .compute = internal_consistency,
         .least_repetitions = consistent_repetitions},
        {.name = "internal_consistency_temporal",
         .version = internal_consistency_version,
         .compute = internal_consistency_temporal,
         .least_repetitions = consistent_repetitions,
         .per_time_bin = true},
        {.name = "predictor_consistency",
         .version = predictor_consistency_version,
         .compute = predictor_consistency},
        {.name = "rsa_ceiling",
         .version = rsa_ceiling_version,
         .compute = rsa_ceiling,
         .compares_subjects = true},
    };
    return ceilings;
}

void check_repetitions(const RegisteredCeiling& ceiling, const core::Assembly& labels) {
    if (ceiling.least_repetitions < 2) return;
    const auto distinct = core::label_codes(core::coordinate(labels, "repetition").values).distinct;
    if (distinct < ceiling.least_repetitions)
        throw core::InputError(too_few_repetitions(labels.name, distinct));
    core::coordinate(labels, "neuroid_id");
    if (ceiling.per_time_bin && !core::has_dimension(labels, "time_bin"))
        throw core::InputError(labels.name + ": no dimension 'time_bin' (the ceiling " +
                               ceiling.name + " is of each time bin) take one of all together");
}

void check_each_stimulus(const RegisteredCeiling& ceiling, const core::Assembly& labels) {
    if (ceiling.least_repetitions > 1) check_halves(labels);
}

const RegisteredCeiling& find_ceiling(const std::string& name) {
    return find_named(registered_ceilings(), "ceiling", name);
}

}  // namespace ventral::metrics
