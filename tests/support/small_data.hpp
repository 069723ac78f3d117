#pragma once
/// @file
/// A small run whose data are in a folder of their own.

#include <string>

#include "support/small_run.hpp"
#include "support/temporary_folder.hpp"

namespace ventral::test {

struct SmallData {
    SmallData() : run((write_small_data(path()), small_run(path()))) {}
    std::string path() const { return folder.path().string(); }

    TemporaryFolder folder;
    config::RunRecord run;
};

}  // namespace ventral::test
