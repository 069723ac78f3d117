#include "pipeline/demo/demo.hpp"

#include <iostream>
#include <memory>

#include "exit_codes.hpp"
#include "subcommand.hpp"

namespace ventral::jobs {

Subcommand add_demo(CLI::App& app) {
    const auto folder = std::make_shared<std::string>();
    auto* sub = app.add_subcommand(
        "demo", "write a small, complete, synthetic data set with models of known truth");
    sub->add_option("DIR", *folder, "where to write it")->required();
    return {sub, Ranks::first_only, [folder](comm::Communicator&) {
                pipeline::write_demo(*folder);
                std::cout << "score it with: ventral run " << *folder << "/run.toml --out "
                          << *folder << "/results\n";
                return exit_done;
            }};
}

}  // namespace ventral::jobs
