# @tool Runs whatever it is told.
# @param line string The line.
/bin/sh -c "{ $ARG_line
} 2>&1"
