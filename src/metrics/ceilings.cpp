#include "metrics/ceilings.hpp"

#include "core/errors.hpp"
#include "metrics/internal_consistency.hpp"
#include "metrics/predictor_consistency.hpp"
#include "metrics/rsa_ceiling.hpp"

namespace ventral::metrics {

const std::vector<RegisteredCeiling>& registered_ceilings() {
    static const std::vector<RegisteredCeiling> ceilings = {
        {"internal_consistency", internal_consistency_version, internal_consistency},
        {"internal_consistency_temporal", internal_consistency_version,
         internal_consistency_temporal},
        {"predictor_consistency", predictor_consistency_version, predictor_consistency},
        {"rsa_ceiling", rsa_ceiling_version, rsa_ceiling},
    };
    return ceilings;
}

const RegisteredCeiling& find_ceiling(const std::string& name) {
    std::vector<std::string> names;
    std::string known;
    for (const auto& ceiling : registered_ceilings()) {
        if (ceiling.name == name) return ceiling;
        names.push_back(ceiling.name);
        known += (known.empty() ? "" : ", ") + ceiling.name;
    }
    throw core::InputError("ceiling '" + name + "' is not supported (supported: " + known + ")" +
                           core::near_names(name, names));
}

}  // namespace ventral::metrics
