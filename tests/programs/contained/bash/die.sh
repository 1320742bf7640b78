# @tool Ends its host, which is the second process of its sandbox, by a signal.
# @param signal string Which.
kill -s "${ARG_signal#SIG}" 2
sleep 60
