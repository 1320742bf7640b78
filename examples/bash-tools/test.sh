#!/usr/bin/env bash
# The tests of these tools. A tool is a script: it is run as the host runs it, with variables, and without any host.
set -uo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")" || exit

failed=0
expect() { # WHAT EXPECTED FOUND
  [[ $2 == "$3" ]] && return
  printf 'not ok: %s: expected %q, found %q\n' "$1" "$2" "$3"
  failed=1
}

expect 'words are counted' 4 "$(ARG_text='to be * $(not)' bash count.sh)"
expect 'lines are counted' 2 "$(ARG_text=$'to be\nor not' ARG_unit=lines bash count.sh)"
expect 'an empty text has no lines' 0 "$(ARG_text= ARG_unit=lines bash count.sh)"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
printf -- '-e is an option\nnothing\n' >"$folder/a.txt"
expect 'what is looked for is no option' \
  $'./a.txt:1:-e is an option\n1 lines' "$(CONFIG_folder=$folder ARG_text=-e bash search.sh 3>&1)"
expect 'nothing is found' '0 lines' "$(CONFIG_folder=$folder ARG_text=absent bash search.sh 3>&1)"

echo '{}' >"$folder/state"
expect 'the first number' 1 "$(CALLBOARD_STATE=$folder/state bash next_number.sh)"
expect 'and the next' 2 "$(CALLBOARD_STATE=$folder/state bash next_number.sh)"
expect 'the state' '{"last":2}' "$(<"$folder/state")"

((failed)) || echo ok
exit $failed
