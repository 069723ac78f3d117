#pragma once
/// @file
/// Runs of the small data, one after the other in one folder.

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "comm/communicator.hpp"
#include "io/netcdf/netcdf_assembly.hpp"
#include "pipeline/run.hpp"
#include "support/recorded_scores.hpp"
#include "support/small_run.hpp"
#include "support/temporary_folder.hpp"

namespace ventral::test {

/// A folder with the small data, and runs on it.
struct SmallRun {
    SmallRun() : record((test::write_small_data(folder.path().string()), record_of(folder))) {}

    static config::RunRecord record_of(const test::TemporaryFolder& folder) {
        return test::small_run(folder.path().string());
    }

    pipeline::RunResult operator()(std::size_t threads = 1) const {
        core::Workers workers(threads);
        auto wanted = options;
        wanted.out = out();
        return pipeline::run(record, wanted, *comm::make_serial(), workers);
    }

    std::string out() const { return folder.file(out_name); }

    test::TemporaryFolder folder;
    config::RunRecord record;
    pipeline::RunOptions options;
    std::string out_name = "out";
};

/// Adds a model "other", whose features differ in one value from those of "stored".
inline void add_other_model(config::RunRecord& record, const std::string& folder) {
    record.models.push_back(record.models[0]);
    record.models[1].identifier = "other";
    record.models[1].features.path = folder + "/other.nc";
    auto features = test::small_features();
    std::get<std::vector<float>>(features.values)[0] += 1;
    io::write_assembly(record.models[1].features.path, features);
}

/// Of a model, in the journal.
inline std::size_t scored(const std::string& out, const std::string& model) {
    std::size_t count = 0;
    for (const auto& record : test::recorded_scores(out))
        if (record.model == model && record.status == core::ScoreStatus::scored) ++count;
    return count;
}

}  // namespace ventral::test
