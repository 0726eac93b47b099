#include "cli/arguments.h"

int main(int count, char** arguments) { return cli::execute(count, arguments); }
