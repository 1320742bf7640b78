#!/usr/bin/env bash
# @tool Give out the next number: 1, 2, 3 and so on, also after a crash.
set -euo pipefail

[[ $(<"$CALLBOARD_STATE") =~ \"last\":([0-9]+) ]] && last=${BASH_REMATCH[1]} || last=0
echo "{\"last\":$((last + 1))}" >"$CALLBOARD_STATE"
echo $((last + 1))
