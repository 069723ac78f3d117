#pragma once
/// @file
/// A small run whose data are in a folder of their own.

#include <string>

#include "support/small_run.hpp"
#include "support/temporary_folder.hpp"

namespace ventral::test {

/// The run, whose data it writes into the folder.
inline config::RunRecord written_small_run(const std::string& folder) {
    write_small_data(folder);
    return small_run(folder);
}

struct SmallData {
    std::string path() const { return folder.path().string(); }

    TemporaryFolder folder;
    config::RunRecord run = written_small_run(path());
};

}  // namespace ventral::test
