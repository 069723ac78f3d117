#include "metrics/pairing.hpp"

#include <algorithm>
#include <deque>
#include <numeric>
#include <unordered_map>

#include "core/counted.hpp"
#include "core/errors.hpp"

namespace ventral::metrics {
namespace {

const std::string own_stimuli = "score recordings with the stimuli that they were recorded with";
const std::string fewer_rows = "keep one row of it for each of the recordings";

struct Side {
    const char* name;
    const std::vector<std::string>& ids;
    // Behind the advice:
    const char* if_it_has_others;
    const char* if_it_lacks_one;
    std::string if_it_repeats;  ///< the advice

    std::size_t count(const std::string& id) const {
        return static_cast<std::size_t>(std::count(ids.begin(), ids.end(), id));
    }
};

Side source_side(const std::vector<std::string>& ids, StimuliOf kind) {
    if (kind == StimuliOf::table)
        return {"table of stimuli", ids, " and no others, unless a benchmark selects them", "",
                fewer_rows};
    return {"features", ids,
            " and no others (of several datasets, a file for each), unless a benchmark selects "
            "them",
            ", under the ids that extract --images TABLE.csv gives them (of several datasets, a "
            "file for each)",
            fewer_rows};
}

/// Images of a folder have the names of their files for ids, "a.jpg" for "a".
bool is_image_of(const std::string& file, const std::string& id) {
    return file == id + ".png" || file == id + ".jpg" || file == id + ".jpeg";
}

/// Of a stimulus that occurs more often on one side.
[[noreturn]] void fail(const std::string& id, const Side& more, const Side& fewer) {
    const auto other_times = fewer.count(id);
    const auto before = std::string("the stimulus ids of the ") + more.name + " and of the " +
                        fewer.name + " differ (stimulus '" + id + "' is in the " + more.name;
    const auto image = std::find_if(fewer.ids.begin(), fewer.ids.end(), [&](const auto& other) {
        return is_image_of(other, id) || is_image_of(id, other);
    });
    if (other_times == 0 && image != fewer.ids.end())
        throw core::InputError(before + ", in the " + fewer.name + " there is '" + *image +
                               "') give both the ids of one table of stimuli");
    if (other_times == 0)
        throw core::InputError(
            before + ", but not in the " + fewer.name +
            (fewer.ids.empty() ? "" : ", where '" + fewer.ids[0] + "' is first") + ") " +
            own_stimuli + more.if_it_has_others + fewer.if_it_lacks_one);
    throw core::InputError(before + " " + core::counted(more.count(id), "time") + ", in the " +
                           fewer.name + " " + core::counted(other_times, "time") + ") " +
                           more.if_it_repeats);
}

}  // namespace

std::vector<std::size_t> pair_rows(const std::vector<std::string>& source_ids,
                                   const std::vector<std::string>& target_ids, StimuliOf kind) {
    const auto source = source_side(source_ids, kind);
    const Side target{"recordings", target_ids, "", "",
                      "average what is repeated first, as is done for the 'repetitions' of a "
                      "dataset (coordinates that differ between them, as of a session, keep these "
                      "apart: drop them, { file = …, drop = [\"session\"] } in the dataset's "
                      "TOML), or " +
                          own_stimuli};
    std::unordered_map<std::string, std::deque<std::size_t>> rows;
    for (std::size_t row = 0; row < source_ids.size(); ++row) rows[source_ids[row]].push_back(row);
    std::vector<std::size_t> pairs;
    pairs.reserve(target_ids.size());
    for (const auto& id : target_ids) {
        const auto found = rows.find(id);
        if (found == rows.end() || found->second.empty()) fail(id, target, source);
        pairs.push_back(found->second.front());
        found->second.pop_front();
    }
    for (const auto& id : source_ids)
        if (!rows[id].empty()) fail(id, source, target);
    return pairs;
}

std::vector<Eigen::Index> given_order(const std::vector<std::size_t>& rows) {
    std::vector<Eigen::Index> order(rows.size());
    std::iota(order.begin(), order.end(), Eigen::Index{0});
    std::stable_sort(order.begin(), order.end(), [&](Eigen::Index a, Eigen::Index b) {
        return rows[static_cast<std::size_t>(a)] < rows[static_cast<std::size_t>(b)];
    });
    return order;
}

}  // namespace ventral::metrics
