#include "config/time_bin_value.hpp"

#include <algorithm>

namespace ventral::config {
namespace {

core::TimeBin read_time_bin(const Value& value) {
    const auto ends = value.list();
    if (ends.size() != 2) value.fail("a time bin is [start, end] in ms");
    const core::TimeBin bin = {ends[0].number(), ends[1].number()};
    if (bin.start_ms >= bin.end_ms) value.fail("a time bin must end after its start");
    return bin;
}

}  // namespace

core::TimeBins read_time_bins(const Value& value) {
    core::TimeBins bins;
    for (const auto& each : value.list()) {
        const auto bin = read_time_bin(each);
        if (std::find(bins.begin(), bins.end(), bin) != bins.end())
            each.fail("the time bin is listed twice");
        bins.push_back(bin);
    }
    return bins;
}

}  // namespace ventral::config
