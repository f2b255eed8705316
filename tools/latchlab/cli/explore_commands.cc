#include "tools/latchlab/cli/cli.h"
#include "tools/latchlab/explore.h"
#include "tools/latchlab/swarm.h"

namespace latchlab::tool {

namespace {

namespace explore = latchlab::explore;

// What most options of explore are: a number within bounds, or a text.
template <class Number>
CLI::Option& number(CLI::App& command, const char* name, Number& value, std::uint64_t least,
                    std::uint64_t most, const char* help) {
  CLI::Option& option = *command.add_option(name, value, help);
  return *option.type_name("N")->check(whole_number(least, most))->capture_default_str();
}
template <class Text>
CLI::Option& text(CLI::App& command, const char* name, Text& value, const char* type,
                  const char* help) {
  return *command.add_option(name, value, help)->type_name(type);
}

void add_time(CLI::App& command, ExploreArguments& arguments) {
  text(command, "--latencies", arguments.latencies, "TIME ...",
       "Timed search: each way of a verb (to its effect, and back) takes one of these latencies");
  number(command, "--drift", arguments.campaign.drift_ppm, 0, 100'000,
         "Timed: each client node's clock is exact, or runs slow or fast by this many ppm");
  text(command, "--hold", arguments.hold, "TIME",
       "Timed: how long a client holds the lock [longest latency]");
  text(command, "--patience", arguments.patience, "TIME",
       "Timed: a client gives up after this time, if the lock supports it [never]");
  text(command, "--pause-length", arguments.pause_length, "TIME",
       "Timed, with --pauses: how long the CPU of a paused client is stopped");
  text(command, "--horizon", arguments.horizon, "TIME",
       "Timed: the search ignores events after this time [1000 times the longest latency]");
}

}  // namespace

void add_explore(Cli& cli) {
  const auto arguments = tool::arguments<ExploreArguments>();
  CLI::App& command =
      cli.add("explore", "Search the orders of events of a few clients for one that breaks a lock",
              [arguments] { return explore_protocol(*arguments); });
  explore::Case& base = arguments->campaign.base;
  text(command, "--protocol", base.protocol, "PROTOCOL", "The lock (see latchlab list protocols)")
      .required();
  text(command, "--profile", base.profile, "PROFILE",
       "Parameters of the lock [the small model: rare paths are reachable]");
  text(command, "--set", base.sets, "NAME=VALUE",
       "Set a parameter of the protocol, over the profile (repeatable)")
      .expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  number(command, "--clients", arguments->campaign.clients, 1, 16, "Number of clients");
  number(command, "--operations", base.operations, 1, 64, "Acquisitions of each client");
  number(command, "--locks", base.locks, 1, 64,
         "Number of locks; each client acquires one after the other");
  number(command, "--held", base.held, 1, 64, "Number of locks that an operation holds at once");
  command.add_flag(
      "--as-asked", arguments->as_asked,
      "With --held: client i starts with lock i, instead of all clients in the same order");
  text(command, "--extents", arguments->extents, "A-B,C-D ...",
       "Ranges of units that requests acquire: client number plus operation number selects, "
       "cyclically [the whole object]");
  command
      .add_option(
          "--readers", arguments->campaign.readers,
          "Number of clients that only read; the other clients only write [every assignment]")
      ->type_name("N")
      ->check(whole_number(0, 16));
  text(command, "--modes", base.modes, "TEXT ...",
       "Modes of each client's operations, one letter each: X write, S read, U update, P update "
       "and upgrade, - nothing (alone: no operation at all)");
  number(command, "--crashes", base.crashes, 0, 16,
         "Maximum number of crashes, each at any moment");
  command
      .add_option("--crash-unit", arguments->crash_unit,
                  "What crashes: a client, its process, or its node with all clients on it [as the "
                  "protocol declares]")
      ->check(CLI::IsMember({"client", "process", "node"}));
  number(command, "--pauses", base.pauses, 0, 16,
         "Maximum number of pauses in which a client stalls while leases expire");
  command.add_flag("--between-atomics", base.between_atomics,
                   "With --pauses: only clients without an atomic in flight stall");
  number(
      command, "--cuts", base.cuts, 0, explore::kMostCuts,
      "Maximum number of times that a path between two nodes is down for longer than RC retries: "
      "a verb, message or call over it fails, with its effect or without it");
  number(command, "--delays", base.delays, 0, explore::kMostDelays,
         "Of locks with leases: maximum number of SENDs, of verbs and calls to a dead node, and, "
         "with --cuts, of paths that are down, for which RC retries while leases expire");
  number(command, "--timeouts", base.timeouts, 0, 1'000,
         "Maximum number of lease expiries after a client has died or stalled");
  add_time(command, *arguments);
  command
      .add_option("--placement", arguments->placement,
                  "spread: one node for each client; together: one node for all clients")
      ->check(CLI::IsMember({"spread", "together", "both"}))
      ->capture_default_str();
  number(command, "--client-nodes", arguments->campaign.nodes, 0, 16,
         "Number of client nodes, with equally many clients, instead of a placement");
  number(command, "--servers", base.servers, 1, 16,
         "Number of servers; lock i is on server i modulo this");
  command.add_flag("--colocated", base.colocated,
                   "Client nodes are also servers: client node i is server i");
  command
      .add_option("--strategy", arguments->strategy,
                  "exhaustive: all orders; pct, random: one order at a time")
      ->check(CLI::IsMember({"exhaustive", "pct", "random"}))
      ->capture_default_str();
  text(command, "--budget", arguments->budget, "N|TIME",
       "Total number of states, or walks for each case [10000]; or a time such as 60s");
  number(command, "--seed", arguments->campaign.seed, 0, kMostSeed, "Seed of random walks");
  text(command, "--out", arguments->out, "DIR", "Directory for traces of counterexamples")
      .capture_default_str();
  number(command, "--jobs", arguments->jobs, 0, 1'024,
         "Explore so many cases at a time; 0: as many as there are cores");
  command.add_flag(
      "--compact", arguments->campaign.compact,
      "Exhaustive: compare states by hashes, in a third of the memory; the probability "
      "of a miss is told, and whether clients can always finish is not checked");
  text(command, "--checkpoint", arguments->campaign.checkpoint, "DIR",
       "Exhaustive: keep in DIR what has been searched, when a bound or Ctrl-C ends the search and "
       "every 5 minutes; the same command goes on from there");
  command.add_flag("--every-step", arguments->every_step,
                   "Merge no steps: slower, with the same verdicts; for checking the merging");
  command.add_flag("--every-client", arguments->every_client,
                   "Do not treat equal clients alike: slower, with the same verdicts; for checking "
                   "that");
  command.add_flag("--json", arguments->json, "Print one JSON document on stdout and nothing else");
  command.add_flag("--quiet", arguments->quiet, "Print no progress");
  cli.take_plugins(command);
  command.footer(kExitCodes);
}

void add_swarm(Cli& cli) {
  const auto arguments = tool::arguments<SwarmArguments>();
  CLI::App& command =
      cli.add("swarm", "Hunt: draw scenarios with faults at random, and hold locks to their claims",
              [arguments] { return swarm(*arguments); });
  text(command, "scenario", arguments->scenarios, "SCENARIO ...",
       "Scenarios of one point to play and judge, in place of drawn ones");
  text(command, "--protocol", arguments->protocols, "PROTOCOL",
       "The lock (see latchlab list protocols; repeatable) [all]")
      .expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  text(command, "--set", arguments->sets, "NAME=VALUE",
       "Set a parameter of the lock in all runs, which is held to what it claims without "
       "(repeatable)")
      .expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  CLI::Option& runs =
      number(command, "--runs", arguments->runs, 1, 100'000'000, "Runs of each lock");
  text(command, "--budget", arguments->budget, "TIME",
       "Draw until so much time has passed, such as 90s, 10m or 1h, in place of --runs")
      .excludes(&runs);
  number(command, "--first", arguments->first, 0, kMostSeed,
         "Number of the first run: with --runs 1 that run again");
  number(command, "--seed", arguments->seed, 0, kMostSeed, "Determines what is drawn");
  command
      .add_option("--parameters", arguments->parameters,
                  "Parameters of the locks. default: of the first profile; drawn: at random, where "
                  "the lock makes claims; both: drawn in runs with an odd number")
      ->check(CLI::IsMember({"default", "drawn", "both"}))
      ->capture_default_str();
  number(command, "--shrink", arguments->shrink, 0, 1'000'000,
         "At most so many plays to make a finding smaller; 0: leave it as drawn");
  add_jobs(command, arguments->jobs, "Runs");
  add_data(command, arguments->data);
  text(command, "--out", arguments->out, "DIR",
       "Directory for results; must not exist [results/swarm-N, the first free N]");
  text(command, "--regressions", arguments->regressions, "DIR",
       "Play all scenarios below DIR that are in a folder named regressions");
  command.add_flag("--keep", arguments->keep, "Write each drawn scenario, not only findings");
  command.add_flag("--json", arguments->json, "Print one JSON document on stdout and nothing else");
  command.add_flag("--quiet", arguments->quiet, "Print no progress and no table");
  cli.take_plugins(command);
  command.footer(kExitCodes);
}

void add_replay(Cli& cli) {
  const auto arguments = tool::arguments<ReplayArguments>();
  CLI::App& command = cli.add("replay", "Print a counterexample of latchlab explore, step by step",
                              [arguments] { return replay(*arguments); });
  command.add_option("trace", arguments->file, "A trace that latchlab explore wrote")
      ->required()
      ->type_name("FILE");
  command.add_flag("--json", arguments->json,
                   "Print one JSON document on stdout and nothing else: docs/export.md");
  command
      .add_option("--page", arguments->page, "Also write a page that plays the trace in a browser")
      ->type_name("FILE");
  cli.take_plugins(command);
}

}  // namespace latchlab::tool
