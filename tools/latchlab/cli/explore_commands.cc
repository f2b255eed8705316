#include "tools/latchlab/cli/cli.h"

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
       "Search in time: each leg of a verb (to its effect, and back) takes one of these");
  number(command, "--drift", arguments.campaign.drift_ppm, 0, 100'000,
         "In time: each client node's clock runs so many ppm slow, right, or fast");
  text(command, "--hold", arguments.hold, "TIME",
       "In time: how long a client keeps the lock [longest latency]");
  text(command, "--patience", arguments.patience, "TIME",
       "In time: a client gives up after so long, where the lock lets it [never]");
  text(command, "--pause-length", arguments.pause_length, "TIME",
       "In time, with --pauses: how long the CPU of a paused client does nothing");
  text(command, "--horizon", arguments.horizon, "TIME",
       "In time: what happens later is not looked at [1000 times the longest latency]");
}

void add_explore(Cli& cli) {
  const auto arguments = tool::arguments<ExploreArguments>();
  CLI::App& command =
      cli.add("explore", "Search the orders of events of a small world for one that breaks a lock",
              [arguments] { return explore_protocol(*arguments); });
  explore::Case& base = arguments->campaign.base;
  text(command, "--protocol", base.protocol, "PROTOCOL", "See: latchlab list protocols").required();
  text(command, "--profile", base.profile, "PROFILE", "[the small model: rare paths within reach]");
  text(command, "--set", base.sets, "NAME=VALUE",
       "A parameter of the protocol, over the profile (repeatable)")
      .expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  number(command, "--clients", arguments->campaign.clients, 1, 16, "How many there are");
  number(command, "--operations", base.operations, 1, 64, "Acquisitions of each client");
  number(command, "--locks", base.locks, 1, 64, "Each client takes one after the other");
  number(command, "--held", base.held, 1, 64, "Locks that an operation holds at once");
  command.add_flag("--as-asked", arguments->as_asked,
                   "With --held: client i begins with lock i, instead of all in the same order");
  text(command, "--extents", arguments->extents, "A-B,C-D ...",
       "Units of the lock that are wanted, by client plus operation in turn [the whole]");
  command
      .add_option("--readers", arguments->campaign.readers,
                  "So many clients only read, the others only write [every assignment]")
      ->type_name("N")
      ->check(whole_number(0, 16));
  text(command, "--modes", base.modes, "TEXT ...",
       "One assignment: for each client a text such as XS, writes then reads; U updates, P "
       "updates and becomes a writer, - does nothing (alone: never)");
  number(command, "--crashes", base.crashes, 0, 16,
         "How many crashes there may be, each at any moment");
  command
      .add_option("--crash-unit", arguments->crash_unit,
                  "What dies: a client, its process, or its node with all clients on it [as the "
                  "protocol says]")
      ->check(CLI::IsMember({"client", "process", "node"}));
  number(command, "--pauses", base.pauses, 0, 16,
         "How often a client may stand still while leases run out");
  command.add_flag("--between-atomics", base.between_atomics,
                   "With --pauses: only clients that have no atomic under way stand still");
  number(command, "--long-sends", base.long_sends, 0, explore::kMostLongSends,
         "How many SENDs, and verbs and calls to a dead node, may be retried while leases run out");
  number(command, "--timeouts", base.timeouts, 0, 1'000,
         "How many leases may run out once a client has died or stands still");
  add_time(command, *arguments);
  command.add_option("--placement", arguments->placement, "A node for each client, one for all")
      ->check(CLI::IsMember({"spread", "together", "both"}))
      ->capture_default_str();
  number(command, "--client-nodes", arguments->campaign.nodes, 0, 16,
         "So many, equally full, instead of a placement");
  number(command, "--servers", base.servers, 1, 16, "Lock i lies on server i modulo this");
  command.add_flag("--colocated", base.colocated,
                   "Client nodes are servers too: client node i is server i");
  command
      .add_option("--strategy", arguments->strategy,
                  "exhaustive: all orders; pct, random: one order at a time")
      ->check(CLI::IsMember({"exhaustive", "pct", "random"}))
      ->capture_default_str();
  text(command, "--budget", arguments->budget, "N|TIME",
       "States in all, or walks of each case [10000]; or a time such as 60s");
  number(command, "--seed", arguments->campaign.seed, 0, kMostSeed, "Of random walks");
  text(command, "--out", arguments->out, "DIR", "Where traces of what is found go")
      .capture_default_str();
  command.add_flag("--every-step", arguments->every_step,
                   "Merge no steps: slower, the same verdicts; to check the merging");
  command.add_flag("--json", arguments->json, "Print one JSON document on stdout and nothing else");
  command.add_flag("--quiet", arguments->quiet, "No progress");
  cli.take_plugins(command);
  command.footer(kExitCodes);
}

void add_replay(Cli& cli) {
  const auto arguments = tool::arguments<ReplayArguments>();
  CLI::App& command = cli.add("replay", "Tell what latchlab explore found, step by step",
                              [arguments] { return replay(*arguments); });
  command.add_option("trace", arguments->file, "A file that latchlab explore wrote")
      ->required()
      ->type_name("FILE");
  command.add_flag("--json", arguments->json,
                   "Print one JSON document on stdout and nothing else: docs/export.md");
  command.add_option("--page", arguments->page, "Also a page that plays it, for a browser")
      ->type_name("FILE");
  cli.take_plugins(command);
}

}  // namespace

void add_explore_commands(Cli& cli) {
  add_explore(cli);
  add_replay(cli);
}

}  // namespace latchlab::tool
