#include "metrics/normalisation.hpp"

#include "core/errors.hpp"

namespace ventral::metrics {

const std::vector<std::string>& normalisations() {
    static const std::vector<std::string> names = {"explained_variance", "ceil_score", "none"};
    return names;
}

double normalise(const std::string& normalisation, double value, double ceiling) {
    if (normalisation == "explained_variance") return value * value / ceiling;
    if (normalisation == "ceil_score") return value / ceiling;
    if (normalisation == "none") return value;
    throw core::InputError("normalisation '" + normalisation + "' is not supported" +
                           core::near_names(normalisation, normalisations()));
}

}  // namespace ventral::metrics
