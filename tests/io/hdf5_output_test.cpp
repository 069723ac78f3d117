#include "io/hdf5/hdf5_output.hpp"

#include <filesystem>
#include <numeric>

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <hdf5.h>
#include <unistd.h>

#include "core/errors.hpp"
#include "io/file_size_limit.hpp"
#include "io/hdf5/hdf5_array.hpp"
#include "io/hdf5/hdf5_attribute.hpp"
#include "io/page_cache.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;
using io::Hdf5Output;

TEST_CASE("an array is read back from a file that was written, closed and reopened") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("a.h5");
    const std::vector<double> numbers(300000, 0.25);
    const std::vector<std::string> texts{"", "ü"};
    auto created = Hdf5Output::create(path);
    io::write_array({created.id(), path}, "numbers", numbers, io::Storage::compressed);
    created.close();
    auto reopened = Hdf5Output::reopen(path);
    io::write_array({reopened.id(), path}, "texts", texts);
    reopened.close();
    CHECK(std::filesystem::file_size(path) < 100000);
    const auto file = io::open_hdf5(path);
    CHECK(io::read_doubles({file.id(), path}, "numbers") == numbers);
    CHECK(io::read_texts({file.id(), path}, "texts") == texts);
    CHECK_THROWS_AS(io::read_texts({file.id(), path}, "numbers"), core::InputError);
    CHECK_THROWS_AS(io::read_doubles({file.id(), path}, "missing"), core::InputError);
}

TEST_CASE("a full disk is one error with its reason, and HDF5 goes on as if nothing had been") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("a.h5");
    {
        const test::FileSizeLimit limit(10000);
        auto output = Hdf5Output::create(path);
        io::write_array({output.id(), path}, "numbers", std::vector<double>(5000, 1.0));
        CHECK_THROWS_WITH(output.check(), path + ": cannot be written (File too large)");
        CHECK_THROWS_WITH(output.close(), path + ": cannot be written (File too large)");
    }
    auto output = Hdf5Output::create(path);
    io::write_array({output.id(), path}, "numbers", std::vector<double>(5000, 1.0));
    output.close();
}

TEST_CASE("a file that cannot be created or opened is an error that names it") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("no/a.h5");
    CHECK_THROWS_WITH(Hdf5Output::create(path),
                      path + ": cannot be written (No such file or directory)");
    CHECK_THROWS_WITH(Hdf5Output::reopen(path),
                      path + ": cannot be written (No such file or directory)");
}

TEST_CASE("who writes values only leaves the rest of the file as it is") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("a.h5");
    auto created = Hdf5Output::create(path);
    io::write_array({created.id(), path}, "numbers", std::vector<double>(3, 1.0));
    created.close();
    auto reopened = Hdf5Output::reopen_for_values(path);
    io::write_attribute({reopened.id(), path}, "remark", std::string("lost"));
    reopened.close();
    const auto file = io::open_hdf5(path);
    CHECK(io::read_doubles({file.id(), path}, "numbers") == std::vector<double>(3, 1.0));
    CHECK_THROWS_AS(io::read_text_attribute({file.id(), path}, "remark"), core::InputError);
}

TEST_CASE("values are written as well where the page cache is known to be dear") {
    constexpr std::size_t mib = std::size_t{1} << 20;
    io::CopyCost dear;
    dear.add(16 * mib, 1);
    const test::TemporaryFolder folder;
    const auto path = folder.file("a.h5");
    auto created = Hdf5Output::create(path);
    io::write_array({created.id(), path}, "numbers", std::vector<double>(mib));
    created.close();
    std::vector<double> numbers(mib);
    std::iota(numbers.begin(), numbers.end(), 0);
    const auto write_numbers = [&] {
        auto output = Hdf5Output::reopen_for_values(path, dear);
        {
            const io::Hdf5Handle dataset(H5Dopen2(output.id(), "numbers", H5P_DEFAULT), H5Dclose,
                                         path, "open the dataset");
            REQUIRE(H5Dwrite(dataset.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                             numbers.data()) >= 0);
        }
        output.close();
    };
    {
        const test::FileSizeLimit limit(6 * mib);
        CHECK_THROWS_WITH(write_numbers(), path + ": cannot be written (File too large)");
    }
    write_numbers();
    if (!test::keeps_files_in_memory(path)) {
        const int descriptor = open(path.c_str(), O_RDONLY);
        CHECK(test::bytes_in_memory(descriptor, 8 * mib) < mib);
        close(descriptor);
    }
    const auto file = io::open_hdf5(path);
    CHECK(io::read_doubles({file.id(), path}, "numbers") == numbers);
}
