#include "models/runtime/torch_reason.hpp"

#include <c10/util/Exception.h>

#include "models/runtime/torch_message.hpp"

namespace ventral::models {

std::string torch_reason(const std::exception& error) {
    const auto* torch_error = dynamic_cast<const c10::Error*>(&error);
    return torch_message(torch_error ? torch_error->what_without_backtrace() : error.what());
}

}  // namespace ventral::models
