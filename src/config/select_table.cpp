#include "config/select_table.hpp"

#include <limits>

#include "core/number_text.hpp"

namespace ventral::config {
namespace {

/// What is true is 1 in netCDF, and True, true or TRUE in tables of pandas, JSON or R.
std::vector<std::string> labels_of(bool flag) {
    return flag ? std::vector<std::string>{"1", "True", "true", "TRUE"}
                : std::vector<std::string>{"0", "False", "false", "FALSE"};
}

/// As `core::select` compares: labels as text.
std::string read_label(const Value& value, const Placeholders& placeholders) {
    if (value.is_text()) return read_template(value, placeholders);
    if (value.is_integer())
        return std::to_string(value.integer(std::numeric_limits<std::int64_t>::min(),
                                            std::numeric_limits<std::int64_t>::max()));
    if (value.is_number()) return core::number_text(value.number());
    value.fail_type(
        "a string, a number, true or false, a list of them or a range { min = …, max = … }");
}

void read_range(core::Condition& condition, Table table) {
    if (const auto minimum = table.find("min")) condition.minimum = minimum->number();
    if (const auto maximum = table.find("max")) condition.maximum = maximum->number();
    table.finish();
    if (!condition.minimum && !condition.maximum) table.fail("a range needs 'min' or 'max'");
    if (condition.minimum && condition.maximum && *condition.minimum > *condition.maximum)
        table.fail("'min' is above 'max'");
}

core::Condition read_condition(const std::string& coordinate, const Value& value,
                               const Placeholders& placeholders) {
    core::Condition condition;
    condition.coordinate = coordinate;
    if (value.is_table()) {
        read_range(condition, value.table());
        return condition;
    }
    for (const auto& label : value.list_or_one()) {
        if (!label.is_flag()) {
            condition.values.push_back(read_label(label, placeholders));
            continue;
        }
        for (const auto& text : labels_of(label.flag())) condition.values.push_back(text);
    }
    return condition;
}

}  // namespace

std::vector<core::Condition> read_select(const Value& value, const Placeholders& placeholders) {
    std::vector<core::Condition> conditions;
    for (const auto& [coordinate, wanted] : value.table().entries())
        conditions.push_back(read_condition(coordinate, wanted, placeholders));
    return conditions;
}

}  // namespace ventral::config
