// The command line: which command with which arguments, `--help` with examples, usage errors.
//
// Used by the commands alone; errors are sentences for the person who typed.
#pragma once

namespace cli {

// Parses and executes; the exit status: the command's, or 2 for what is no command line.
int execute(int count, char** arguments);

}  // namespace cli
