#include "params_option.hpp"

#include <fstream>
#include <sstream>

#include "core/errors.hpp"
#include "io/input_file.hpp"

namespace ventral::jobs {

std::string read_params(const std::string& params, const std::string& option) {
    if (!params.starts_with('@')) {
        if (io::is_there(params))
            throw core::InputError(option + ": '" + params + "' is a file, give '@" + params + "'");
        return params;
    }
    const auto path = params_place(params, option);
    std::ifstream file(path);  // which may be a pipe
    if (!file) throw core::InputError(path + ": cannot be read (named by " + option + ")");
    std::ostringstream text;
    text << file.rdbuf();
    if (text.str().empty())
        throw core::InputError(path + ": is empty or cannot be read (named by " + option +
                               ") leave " + option + " out for the defaults");
    return text.str();
}

std::string params_place(const std::string& params, const std::string& option) {
    return params.starts_with('@') ? params.substr(1) : option;
}

}  // namespace ventral::jobs
