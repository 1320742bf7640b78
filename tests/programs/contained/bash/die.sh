# @tool Ends its host by a signal.
# @param signal string Which.
kill -s "${ARG_signal#SIG}" "$PPID"
sleep 60
