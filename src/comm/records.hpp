#pragma once
/// @file
/// Records as messages between ranks of one run (Boost.Serialization). Not a format for files.

#include <cstdint>
#include <cstring>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <boost/serialization/map.hpp>
#include <boost/serialization/optional.hpp>
#include <boost/serialization/string.hpp>
#include <boost/serialization/utility.hpp>
#include <boost/serialization/vector.hpp>

#include "comm/communicator.hpp"
#include "core/hash.hpp"

namespace ventral::comm {

/// The record's bytes, behind their CRC-32C. `T` has a Boost `serialize` function.
template <typename T>
std::string pack(const T& record) {
    std::ostringstream stream;
    boost::archive::binary_oarchive archive(stream, boost::archive::no_header);
    archive << record;
    const auto bytes = std::move(stream).str();
    const auto checksum = core::crc32c(bytes);
    std::string packed(sizeof checksum, '\0');
    std::memcpy(packed.data(), &checksum, sizeof checksum);
    return packed + bytes;
}

/// The record that `pack` was given. Throws `std::runtime_error` if the bytes are not what it made.
template <typename T>
T unpack(const std::string& packed) {
    std::uint32_t checksum = 0;
    const bool whole = packed.size() >= sizeof checksum;
    if (whole) std::memcpy(&checksum, packed.data(), sizeof checksum);
    const auto bytes = std::string_view(packed).substr(whole ? sizeof checksum : 0);
    // Boost believes a length it reads, so damaged bytes must never reach it.
    if (!whole || core::crc32c(bytes) != checksum)
        throw std::runtime_error("a message between ranks is damaged (its checksum differs)");

    std::istringstream stream{std::string(bytes)};
    boost::archive::binary_iarchive archive(stream, boost::archive::no_header);
    T record;
    archive >> record;
    return record;
}

/// The record of every rank, in rank order, on every rank. Collective.
template <typename T>
std::vector<T> gather_records(Communicator& comm, const T& mine) {
    std::vector<T> records;
    for (const auto& packed : comm.all_gather(pack(mine))) records.push_back(unpack<T>(packed));
    return records;
}

}  // namespace ventral::comm
