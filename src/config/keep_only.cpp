#include "config/keep_only.hpp"

#include <algorithm>
#include <set>

#include "config/unknown_name.hpp"
#include "core/errors.hpp"

namespace ventral::config {
namespace {

template <typename Record>
void keep(std::vector<Record>& records, const std::vector<std::string>& names,
          const std::string& kind, const std::string& origin) {
    if (names.empty()) return;
    std::vector<std::string> known;
    for (const auto& record : records) known.push_back(record.identifier);
    for (const auto& name : names)
        if (std::find(known.begin(), known.end(), name) == known.end())
            throw core::InputError(origin + ": --" + kind +
                                   "s: " + unknown_name(kind, name, known));
    const std::set<std::string> wanted(names.begin(), names.end());
    std::erase_if(records, [&](const Record& record) { return !wanted.count(record.identifier); });
}

}  // namespace

void keep_only(RunRecord& run, const std::vector<std::string>& models,
               const std::vector<std::string>& benchmarks) {
    keep(run.models, models, "model", run.origin);
    keep(run.benchmarks, benchmarks, "benchmark", run.origin);
    std::set<std::string> used;
    for (const auto& benchmark : run.benchmarks) used.insert(benchmark.dataset);
    for (const auto& model : run.models)
        if (model.pca) used.insert(model.pca->dataset);
    std::erase_if(run.datasets, [&](const auto& each) { return !used.count(each.first); });
    used.clear();
    for (const auto& model : run.models) used.insert(model.identifier);
    std::erase_if(run.listed_layers, [&](const auto& each) { return !used.count(each.first); });
}

}  // namespace ventral::config
