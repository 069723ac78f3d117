#include "pipeline/outlook/calibrate.hpp"

#include <filesystem>

#include <catch2/catch.hpp>

#include "core/where_and_when.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;

TEST_CASE("every rate of a machine is measured, and the disk is left as it was") {
    const test::TemporaryFolder folder;
    core::Workers workers(2);
    const auto measured = pipeline::calibrate(workers, folder.path().string(), 0.25);
    CHECK(measured.host == core::host_name());
    CHECK(measured.workers == 2);
    CHECK(measured.process_seconds == 0.25);
    const pipeline::Calibration guessed;
    for (const auto rate :
         {&pipeline::WorkerRates::gram_flops, &pipeline::WorkerRates::pass_flops,
          &pipeline::WorkerRates::product_flops, &pipeline::WorkerRates::convolution_flops})
        for (const auto& rates : {measured.together, measured.alone}) {
            CHECK(rates.*rate > 0);
            CHECK(rates.*rate != guessed.together.*rate);
        }
    for (const auto rate :
         {&pipeline::Calibration::written_bytes, &pipeline::Calibration::read_bytes,
          &pipeline::Calibration::buffered_bytes}) {
        CHECK(measured.*rate > 0);
        CHECK(measured.*rate != guessed.*rate);
    }
    CHECK(std::filesystem::is_empty(folder.path()));
}
