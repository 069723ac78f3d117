#include "pipeline/extraction/work_ahead.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "io/activations/activations_file.hpp"
#include "pipeline/fit/expected_pass.hpp"
#include "pipeline/unit.hpp"
#include "support/extraction_source.hpp"
#include "support/recorded_scores.hpp"
#include "support/small_run.hpp"
#include "support/team.hpp"

using namespace ventral;
using pipeline::ExpectedPass;
using pipeline::ExtractRequest;
using pipeline::WorkAhead;
using test::Team;

namespace {

constexpr double gibibyte = 1 << 30;

/// A team with the small network and its images, in three batches, as the next unit.
struct NextUnit {
    NextUnit(comm::Communicator& ranks, const std::string& folder,
             std::optional<std::chrono::duration<double>> limit = {})
        : world(ranks),
          source(ranks, folder),
          team(ranks, folder, 1, limit),
          path(folder + "/a.h5"),
          ahead({[this] { return expected(); }, 0}, team.context) {
        team.context.peak_memory = [] { return gibibyte; };
        team.context.ahead = &ahead;
    }

    ExtractRequest request(std::vector<std::string> layers = {"stage1", "stage7"}) const {
        return {source.model, source.stimuli, std::move(layers), "key", path};
    }

    std::optional<ExpectedPass> expected() const {
        if (is_last) return std::nullopt;
        return ExpectedPass{"key", "network on images", request()};
    }

    /// All ranks but the last have nothing left to do while the last one is busy.
    void tail(
        double held_bytes = 1e6, const std::function<void()>& meanwhile = [] {}) {
        ahead.begin_tail(held_bytes);
        if (is_busy()) world.barrier();
        ahead.use_tail(meanwhile);
        if (!is_busy()) world.barrier();
        world.barrier();
    }
    bool is_busy() const { return world.rank() == world.size() - 1; }

    /// The values in the file of an extraction, on every rank.
    std::vector<float> extracted(const std::string& layer = "stage7") {
        pipeline::extract(request(), team.context);
        world.barrier();
        const io::ActivationsFile file(path);
        const std::size_t features = layer == "stage1" ? 36 : 26;
        std::vector<float> values(file.rows() * features);
        file.read_columns(layer, 0, features, values);
        world.barrier();
        return values;
    }

    /// From now on images 0 … count-1 cannot be read by any rank.
    void lose_images(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) source.stimuli.files[i] = "lost.png";
    }

    comm::Communicator& world;
    test::ExtractionSource source;
    Team team;
    std::string path;
    bool is_last = false;
    WorkAhead ahead;
};

/// Two networks on the small recordings, each a unit.
class TwoUnits {
public:
    TwoUnits(comm::Communicator& world, const std::string& folder)
        : world_(world), folder_(folder) {
        models::configure_torch();
        if (world.rank() == 0) write();
        world.barrier();
        run_ = test::small_run(folder);
        // PLS of so few rows is fitted again on the features, for which all that was done ahead
        // goes.
        std::erase_if(run_.benchmarks,
                      [](const auto& benchmark) { return benchmark.metric.name != "ridge"; });
        run_.models = test::small_network_run(folder).models;
        run_.models[0].candidate_layers = {"stage1", "stage7"};
        run_.models.push_back(run_.models[0]);
        run_.models[1].identifier = "other";
        run_.models[1].weights_file = folder + "/other.ts";
        run_.datasets.at("small").stimuli = {{folder + "/stimuli.csv", ""}, folder, 8.0};
    }

    /// Scores one after the other on `ranks` into a folder of their own. Returns the bits.
    std::string score(comm::Communicator& ranks, const std::string& out, bool works_ahead) {
        if (ranks.rank() == 0)
            for (const char* part : {"/journal", "/activations", "/grams"})
                std::filesystem::create_directories(out + part);
        ranks.barrier();
        const auto facts = pipeline::share_facts(run_, ranks);
        const auto plan = pipeline::make_plan(run_, facts, {});
        std::map<std::string, pipeline::CeilingOutcome> ceilings;
        for (const auto& ceiling : plan.ceilings)
            ceilings.emplace(ceiling.key, core::CeilingValue{0.5, 0.01});
        pipeline::RecordingsReader recordings(run_);
        const pipeline::Finished finished;
        pipeline::NetworkTrials trials(run_, {});
        const pipeline::UnitInputs inputs{run_, recordings, ceilings, facts, finished, trials};
        Team team(ranks, out);
        team.context.peak_memory = [] { return gibibyte; };
        WorkAhead ahead({[&] { return expected_pass(plan.units.at(1), inputs, team.context); }, 0},
                        team.context);
        if (works_ahead) team.context.ahead = &ahead;
        std::optional<pipeline::RunJournal> journal;
        if (team.context.leads()) journal.emplace(out, "job", team.context.fingerprint);
        for (const auto& unit : plan.units) {
            score_unit(unit, inputs, journal ? &*journal : nullptr, team.context);
            ranks.barrier();
        }
        const auto bits = test::score_bits(out);
        ranks.barrier();
        return bits;
    }

private:
    void write() const {
        test::write_small_data(folder_);
        models::write_demo_network(folder_ + "/network.ts", models::DemoWeights::random, 1);
        models::write_demo_network(folder_ + "/other.ts", models::DemoWeights::random, 2);
        std::ofstream table(folder_ + "/stimuli.csv");
        table << "stimulus_id,filename\n";
        const auto ids = core::texts(test::small_features(), "stimulus_id");
        for (std::size_t i = 0; i < ids.size(); ++i) {
            stimuli::write_png(folder_ + "/" + ids[i] + ".png", stimuli::demo_image(i, 1).image);
            table << ids[i] << "," << ids[i] << ".png\n";
        }
    }

    comm::Communicator& world_;
    std::string folder_;
    config::RunRecord run_;
};

}  // namespace

TEST_CASE("batches that were run ahead are not run again and have the same bits") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        NextUnit plain(world, folder);
        const auto stage1 = plain.extracted("stage1");
        const auto stage7 = plain.extracted("stage7");
        NextUnit next(world, folder);
        next.tail();
        // Every rank but the last has a batch of eight images, until all three are done.
        next.lose_images(
            std::min(test::network_stimuli, 8 * static_cast<std::size_t>(world.size() - 1)));
        CHECK(next.extracted("stage1") == stage1);
        next.ahead.drop();
        if (world.size() > 1) CHECK_THROWS_WITH(next.extracted(), Catch::Contains("lost.png"));
        NextUnit again(world, folder);
        again.tail();
        CHECK(again.extracted("stage7") == stage7);
    });
}

TEST_CASE("compressed batches that were run ahead have the same bits") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        NextUnit plain(world, folder);
        const auto stage1 = plain.extracted("stage1");
        NextUnit next(world, folder);
        next.team.context.kept.compression = 4;
        next.tail();
        CHECK(next.extracted("stage1") == stage1);
    });
}

TEST_CASE("what fails ahead harms nothing, and fails again where it belongs") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        NextUnit next(world, folder);
        next.lose_images(test::network_stimuli);
        next.tail();
        CHECK_FALSE(next.ahead.take(next.request()).runner);
        CHECK_THROWS_WITH(next.extracted(), Catch::Contains("lost.png"));
        next.source.model.weights_file = folder + "/absent.ts";
        next.tail();
        CHECK_FALSE(next.ahead.take(next.request()).runner);
        CHECK_THROWS_WITH(next.extracted(), Catch::Contains("absent.ts"));
        if (world.size() == 1) return;
        // What goes on meanwhile is no work ahead: the journal may be what fails.
        const auto meanwhile = [] { throw std::runtime_error("disk full"); };
        next.ahead.begin_tail(0);
        CHECK_THROWS_WITH(next.ahead.use_tail(meanwhile), "disk full");
        world.barrier();
    });
}

TEST_CASE("what was loaded for another pass, or a unit that has ended, is dropped") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        NextUnit next(world, folder);
        const bool works = !next.is_busy();
        next.tail();
        CHECK((next.ahead.take(next.request()).runner != nullptr) == works);
        next.tail();
        CHECK_FALSE(next.ahead.take(next.request({"stage7"})).runner);
        CHECK_FALSE(next.ahead.take(next.request()).runner);
        next.tail();
        next.ahead.end_unit("another key");
        CHECK((next.ahead.take(next.request()).runner != nullptr) == works);
        next.tail();
        next.ahead.end_unit("key");
        CHECK_FALSE(next.ahead.take(next.request()).runner);
        next.is_last = true;
        next.tail();
        CHECK_FALSE(next.ahead.take(next.request()).runner);
    });
}

TEST_CASE("nothing is done ahead without room for it, out of a tail, or after a request to stop") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        NextUnit next(world, folder);
        const auto has_worked = [&] { return next.ahead.take(next.request()).runner != nullptr; };
        next.tail(gibibyte / 39);
        CHECK_FALSE(has_worked());
        next.tail(gibibyte / 41);
        CHECK(has_worked() == !next.is_busy());
        next.ahead.use_tail([] {});
        CHECK_FALSE(has_worked());
        next.ahead.begin_tail(0);
        next.ahead.end_unit("of which a rank came to no fit");
        next.ahead.use_tail([] {});
        CHECK_FALSE(has_worked());
        next.team.context.memory_bound.bytes = 1.9 * gibibyte;
        next.tail();
        CHECK_FALSE(has_worked());
        next.team.context.memory_bound.bytes = 2.1 * gibibyte;
        next.tail();
        CHECK(has_worked() == !next.is_busy());
        next.team.context.peak_memory = {};
        next.tail();
        CHECK_FALSE(has_worked());
        world.barrier();
        NextUnit stopped(world, folder, std::chrono::seconds(0));
        stopped.tail();
        CHECK_FALSE(stopped.ahead.take(stopped.request()).runner);
    });
}

TEST_CASE("the trace names the next unit while a rank works for it") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        pipeline::CrashTrace trace(world.rank() == 0 ? folder + "/job.0.trace" : "", world, world);
        NextUnit next(world, folder);
        next.team.context.trace = &trace;
        const auto place = [&] {
            const auto places = pipeline::read_traces(folder).at(0).side_work;
            const auto rank = static_cast<std::size_t>(world.rank());
            return rank < places.size() ? places[rank] : "";
        };
        std::vector<std::string> places;
        next.tail(0, [&] { places.push_back(place()); });
        if (!next.is_busy()) {
            REQUIRE(places.size() == 2);  // before and after the network is loaded
            CHECK(places[0].empty());
            CHECK_THAT(places[1], Catch::StartsWith("beside key "));
        }
        CHECK(place().empty());
        world.barrier();
    });
}

TEST_CASE("units have the same scores where ranks may begin the next one in the last fits") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        TwoUnits units(world, folder);
        const auto serial = comm::make_serial();
        const auto alone = folder + "/alone" + std::to_string(world.rank());
        const auto expected = units.score(*serial, alone, false);
        CHECK(units.score(world, folder + "/plain", false) == expected);
        CHECK(units.score(world, folder + "/ahead", true) == expected);
    });
}
