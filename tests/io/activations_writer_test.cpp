#include "io/activations/activations_writer.hpp"

#include <filesystem>
#include <optional>

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <hdf5.h>
#include <unistd.h>

#include "comm/communicator.hpp"
#include "comm/run_collectively.hpp"
#include "core/errors.hpp"
#include "io/activations/activations_file.hpp"
#include "io/disk/direct_reads.hpp"
#include "io/file_size_limit.hpp"
#include "io/page_cache.hpp"
#include "io/small_activations.hpp"
#include "support/ranks.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;
using io::ActivationsFile;
using io::ActivationsWriter;
using test::activation;
using test::batch;
using test::batch_rows;
using test::header_of;
using test::write_all_rows;

namespace {

/// The folder of rank 0, under the same name on all ranks.
std::string common_path(comm::Communicator& comm, const test::TemporaryFolder& folder) {
    return comm.broadcast(folder.file("a.h5"), 0);
}

std::size_t entries(const std::string& path) {
    const auto folder = std::filesystem::path(path).parent_path();
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

}  // namespace

TEST_CASE("what the ranks write together each of them reads") {
    test::on_ranks([](comm::Communicator& comm) {
        const test::TemporaryFolder folder;
        const auto path = common_path(comm, folder);
        const auto header = header_of(20);
        {
            ActivationsWriter writer(path, comm, header);
            write_all_rows(writer, comm, header);
            CHECK_FALSE(std::filesystem::exists(path));
            writer.finish();
        }
        comm.barrier();
        const ActivationsFile file(path);
        for (const auto& layer : file.layers()) CHECK_NOTHROW(file.verify(layer.name));
        CHECK(file.key() == "0123abc");
        CHECK(file.rows() == 20);
        CHECK(file.stimulus_ids() == header.stimuli.stimulus_ids);
        REQUIRE(file.layers().size() == 3);
        CHECK(file.layers()[0].name == "features.5");
        CHECK(file.layers()[0].shape == std::vector<std::int64_t>{2, 3, 4});
        CHECK(file.layers()[1].name == "logits");

        std::vector<float> columns(20 * 905);
        file.read_columns("logits", 4095, 905, columns);
        bool same = true;
        for (std::size_t row = 0; row < 20; ++row) {
            for (std::size_t i = 0; i < 905; ++i) {
                same = same && columns[row * 905 + i] == activation(1, row, 4095 + i);
            }
        }
        CHECK(same);
        std::vector<float> rows(2 * 24);
        file.read_block("features.5", {18, 2, 0, 24}, rows);
        CHECK(rows[0] == activation(0, 18, 0));
        CHECK(rows[47] == activation(0, 19, 23));
        if (comm.rank() == 0) CHECK(entries(path) == 1);
        comm.barrier();
    });
}

TEST_CASE("compressed rows are read back bit by bit, whoever compressed them") {
    test::on_ranks([](comm::Communicator& comm) {
        const test::TemporaryFolder folder;
        const auto path = common_path(comm, folder);
        auto header = header_of(20);
        header.compression = 1;
        {
            ActivationsWriter writer(path, comm, header);
            write_all_rows(writer, comm, header);
            CHECK_THROWS(writer.write_rows(0, 1, batch_rows(header, 0, 0)));
            writer.finish();
        }
        comm.barrier();
        const ActivationsFile file(path);
        for (std::size_t layer = 0; layer < 3; ++layer) {
            const auto features = io::feature_count(header.layers[layer]);
            std::vector<float> rows(20 * features);
            file.read_columns(header.layers[layer].name, 0, features, rows);
            bool same = true;
            for (std::size_t i = 0; i < rows.size(); ++i)
                same = same && rows[i] == activation(layer, i / features, i % features);
            CHECK(same);
        }
        std::vector<float> part(20 * 905);
        file.read_columns("logits", 4095, 905, part);
        CHECK(part[905 * 19 + 904] == activation(1, 19, 4999));
        // 20 rows of 5030 numbers are 402,400 bytes.
        CHECK(std::filesystem::file_size(path) < 300'000);
        comm.barrier();
    });
}

TEST_CASE("compressed rows that are missing or on their way leave no file") {
    test::on_ranks([](comm::Communicator& comm) {
        const test::TemporaryFolder folder;
        const auto path = common_path(comm, folder);
        auto header = header_of(30);
        header.compression = 9;
        {
            ActivationsWriter writer(path, comm, header);
            writer.write_rows(1, batch * static_cast<std::size_t>(comm.rank()),
                              batch_rows(header, 1, batch * static_cast<std::size_t>(comm.rank())));
            if (comm.rank() == 0) CHECK_THROWS(writer.write_rows(1, 30, batch_rows(header, 1, 0)));
        }
        {
            ActivationsWriter writer(path, comm, header);
            CHECK_THROWS_WITH(writer.finish(), Catch::Contains("was given 0 of 30"));
        }
        comm.barrier();
        if (comm.rank() == 0) CHECK(entries(path) == 0);
        comm.barrier();
    });
}

TEST_CASE("a disk that is too small for compressed rows is an error on all ranks") {
    test::on_ranks([](comm::Communicator& comm) {
        const test::TemporaryFolder folder;
        const auto path = common_path(comm, folder);
        auto header = header_of(600);
        header.compression = 1;
        {
            ActivationsWriter writer(path, comm, header);
            comm.barrier();
            std::optional<test::FileSizeLimit> limit;
            if (comm.rank() == 0) limit.emplace(50'000);
            CHECK_THROWS_WITH(
                comm::run_collectively(comm, [&] { write_all_rows(writer, comm, header); }),
                Catch::Contains("a.h5") && Catch::Contains("cannot be written"));
            comm.barrier();
        }
        comm.barrier();
        if (comm.rank() == 0) CHECK(entries(path) == 0);
        comm.barrier();
    });
}

TEST_CASE("a file that is not finished is not there, and missing rows cannot be finished") {
    test::on_ranks([](comm::Communicator& comm) {
        const test::TemporaryFolder folder;
        const auto path = common_path(comm, folder);
        const auto header = header_of(4);
        {
            ActivationsWriter writer(path, comm, header);
            writer.write_rows(2, 0,
                              comm.rank() == 0 ? batch_rows(header, 2, 0) : std::vector<float>{});
            CHECK_THROWS_WITH(writer.finish(), Catch::Contains("'features.5' was given 0 of 4"));
        }
        comm.barrier();
        if (comm.rank() == 0) CHECK(entries(path) == 0);
        comm.barrier();
    });
}

TEST_CASE("rows that cannot be are refused on the rank that gives them") {
    test::on_ranks([](comm::Communicator& comm) {
        const test::TemporaryFolder folder;
        const auto path = common_path(comm, folder);
        const auto header = header_of(4);
        ActivationsWriter writer(path, comm, header);
        const std::vector<float> row(6);
        CHECK_THROWS(writer.write_rows(2, 4, row));
        CHECK_THROWS(writer.write_rows(2, 0, std::span(row).first(5)));
        CHECK_THROWS(writer.write_rows(3, 0, {}));
    });
}

TEST_CASE("a file that cannot be made is thrown on all ranks") {
    test::on_ranks([](comm::Communicator& comm) {
        const test::TemporaryFolder folder;
        const auto path = common_path(comm, folder);
        CHECK_THROWS(ActivationsWriter(path + ".d/a.h5", comm, header_of(2)));
        auto header = header_of(2);
        header.layers[1].name = "features.5";
        CHECK_THROWS_WITH(ActivationsWriter(path, comm, header), Catch::Contains("two layers"));
        header.layers[1].name = "a/b";
        CHECK_THROWS_WITH(ActivationsWriter(path, comm, header), Catch::Contains("'a/b'"));
        header = header_of(2);
        header.layers[1].shape = {0};
        CHECK_THROWS_WITH(ActivationsWriter(path, comm, header), Catch::Contains("size of 0"));
        comm.barrier();
        if (comm.rank() == 0) CHECK(entries(path) == 0);
        comm.barrier();
    });
}

TEST_CASE("a disk that is too small is an error before the first row") {
    test::on_ranks([](comm::Communicator& comm) {
        const test::TemporaryFolder folder;
        const auto path = common_path(comm, folder);
        std::optional<test::FileSizeLimit> limit;
        if (comm.rank() == 0) limit.emplace(1000000);
        CHECK_THROWS_WITH(ActivationsWriter(path, comm, header_of(1000)), Catch::Contains("a.h5"));
        comm.barrier();
        if (comm.rank() == 0) CHECK(entries(path) == 0);
        comm.barrier();
    });
}

TEST_CASE("rows of one chunk may come from several ranks") {
    test::on_ranks([](comm::Communicator& comm) {
        const test::TemporaryFolder folder;
        const auto path = common_path(comm, folder);
        auto header = header_of(2 * batch);
        header.layers = {{"block", {2, 3}}};
        {
            ActivationsWriter writer(path, comm, header);
            for (std::size_t row = 0; row < 2 * batch; ++row) {
                std::vector<float> values(6, activation(0, row, 0));
                if (row % static_cast<std::size_t>(comm.size()) !=
                    static_cast<std::size_t>(comm.rank()))
                    values.clear();
                writer.write_rows(0, row, values);
            }
            writer.finish();
        }
        comm.barrier();
        std::vector<float> rows(2 * batch * 6);
        ActivationsFile(path).read_columns("block", 0, 6, rows);
        for (std::size_t i = 0; i < rows.size(); ++i) CHECK(rows[i] == activation(0, i / 6, 0));
        comm.barrier();
    });
}

TEST_CASE("a write that fails on one rank leaves no other waiting and no file") {
    test::on_ranks([](comm::Communicator& comm) {
        const test::TemporaryFolder folder;
        const auto path = common_path(comm, folder);
        const auto header = header_of(4);
        {
            ActivationsWriter writer(path, comm, header);
            if (comm.rank() == 0) {
                const test::FileSizeLimit limit(100);
                CHECK_THROWS_AS(writer.write_rows(0, 0, batch_rows(header, 0, 0)),
                                core::TransientError);
                CHECK_THROWS_WITH(writer.write_rows(0, 0, batch_rows(header, 0, 0)),
                                  Catch::Contains("a.h5") && Catch::Contains("File too large"));
            }
            CHECK_THROWS(writer.finish());
        }
        comm.barrier();
        if (comm.rank() == 0) CHECK(entries(path) == 0);
        comm.barrier();
    });
}
