// The command line: which command with which arguments, `--help` with examples, usage errors.
//
// The one place that knows CLI11. What the commands do is cli/commands.h.
#pragma once

namespace cli {

// Parses and executes; the exit status: the command's, or 2 for what is no command line.
int execute(int count, char** arguments);

}  // namespace cli
