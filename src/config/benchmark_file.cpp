#include "config/benchmark_file.hpp"

#include <algorithm>
#include <limits>

#include "config/identifier.hpp"
#include "config/metric_table.hpp"
#include "config/select_table.hpp"
#include "config/table.hpp"
#include "config/time_bin_value.hpp"
#include "config/unknown_name.hpp"
#include "metrics/normalisation.hpp"
#include "stimuli/microsaccades.hpp"

namespace ventral::config {
namespace {

using Members = std::vector<BenchmarkEntry>;
using SetValue = void (*)(BenchmarkEntry& member, const Value& value);

/// Every member once for each of the values.
void multiply(Members& members, const std::vector<Value>& values, SetValue set) {
    Members product;
    for (const auto& member : members)
        for (const auto& value : values) {
            product.push_back(member);
            set(product.back(), value);
        }
    members = std::move(product);
}

void set_dataset(BenchmarkEntry& member, const Value& value) {
    member.record.dataset = value.text();
    member.dataset_place = value.place();
}

void set_region(BenchmarkEntry& member, const Value& value) { member.record.region = value.text(); }

void set_metric(BenchmarkEntry& member, const Value& value) {
    member.record.metric = read_metric(value);
}

void set_ceiling(BenchmarkEntry& member, const Value& value) {
    member.record.ceiling = read_ceiling(value);
}

void set_normalisation(BenchmarkEntry& member, const Value& value) {
    member.record.normalisation = value.choice(metrics::normalisations());
}

void multiply_all(Members& members, Table& table) {
    multiply(members, table.need("dataset").list_or_one(), set_dataset);
    multiply(members, table.need("region").list_or_one(), set_region);
    multiply(members, table.need("metric").list_or_one(), set_metric);
    if (const auto ceiling = table.find("ceiling"))
        multiply(members, ceiling->list_or_one(), set_ceiling);
    if (const auto normalisation = table.find("normalisation"))
        multiply(members, normalisation->list_or_one(), set_normalisation);
    else
        for (auto& member : members)
            if (member.record.ceiling.is_none()) member.record.normalisation = "none";
}

Placeholders placeholders_of(const benchmarks::BenchmarkRecord& record) {
    return {{"dataset", record.dataset},
            {"region", record.region},
            {"metric", record.metric.name},
            {"ceiling", record.ceiling.name},
            {"normalisation", record.normalisation}};
}

void name_members(Members& members, Table& table) {
    const auto identifier = table.need("identifier");
    const auto parent = table.find("parent");
    const auto select = table.find("select");
    std::set<std::string> seen;
    for (auto& member : members) {
        auto& record = member.record;
        const auto placeholders = placeholders_of(record);
        record.identifier = read_template(identifier, placeholders);
        check_identifier(identifier, record.identifier);
        member.place = identifier.place();
        if (!seen.insert(record.identifier).second)
            identifier.fail("two members of the family are called '" + record.identifier +
                            "' (a key that is a list belongs into the identifier, as {metric}; a "
                            "metric with several settings needs a file for each)");
        if (parent) record.parent = read_template(*parent, placeholders);
        if (select) record.select = read_select(*select, placeholders);
    }
}

/// What all members of a family share.
benchmarks::BenchmarkRecord read_common(Table& table) {
    benchmarks::BenchmarkRecord record;
    if (const auto version = table.find("version"))
        record.version = static_cast<int>(version->integer(1, std::numeric_limits<int>::max()));
    if (const auto bibtex = table.find("bibtex")) record.bibtex = bibtex->text();
    if (const auto pattern = table.find("pattern")) {
        record.pattern = pattern->text();
        if (record.pattern != "neural")
            pattern->fail("pattern '" + record.pattern +
                          "' is not supported yet (supported: neural)");
    }
    if (const auto bins = table.find("time_bins")) record.time_bins = read_time_bins(*bins);
    if (const auto dropna = table.find("dropna")) record.dropna = dropna->choice({"presentation"});
    if (const auto trials = table.find("number_of_trials"))
        record.number_of_trials =
            static_cast<std::size_t>(trials->integer(1, stimuli::most_trials));
    if (const auto variance = table.find("require_variance"))
        record.require_variance = variance->flag();
    return record;
}

std::vector<benchmarks::Expectation> read_expectations(Table table) {
    std::vector<benchmarks::Expectation> expectations;
    const auto tolerance = table.need("tolerance");
    if (tolerance.number() < 0) tolerance.fail("'tolerance' may not be negative");
    for (const auto quantity : {benchmarks::Quantity::ceiling, benchmarks::Quantity::score})
        if (const auto value = table.find(benchmarks::name_of(quantity)))
            expectations.push_back({quantity, value->number(), tolerance.number()});
    if (const auto scores = table.find("scores"))
        for (const auto& [model, value] : scores->table().entries())
            expectations.push_back(
                {benchmarks::Quantity::score, value.number(), tolerance.number(), model});
    table.finish();
    if (expectations.empty())
        table.fail("nothing is expected (give 'ceiling', 'score' or 'scores')");
    return expectations;
}

void read_expected(Members& members, Table table) {
    std::vector<std::string> known;
    for (const auto& member : members) known.push_back(member.record.identifier);
    for (const auto& [identifier, value] : table.entries()) {
        const auto found = std::find(known.begin(), known.end(), identifier);
        if (found == known.end())
            value.fail(unknown_name("benchmark of [expected]", identifier, known));
        members[static_cast<std::size_t>(found - known.begin())].record.expected =
            read_expectations(value.table());
    }
}

}  // namespace

std::vector<BenchmarkEntry> read_benchmark_file(const std::string& path) {
    const auto contents = parse_toml(path);
    Table table(path, contents);
    Members members(1);
    members.front().record = read_common(table);
    members.front().record.origin = path;
    multiply_all(members, table);
    name_members(members, table);
    if (const auto expected = table.find("expected")) read_expected(members, expected->table());
    table.finish();
    return members;
}

}  // namespace ventral::config
