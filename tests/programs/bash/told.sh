# @tool Do what it is told in one of many ways.
# @option way string What to do.
# @option text string A text.
# @stdin
set -u
case ${ARG_way-} in
  env) for name in "${!ARG_@}" "${!CONFIG_@}"; do printf '%s=%s\n' "$name" "${!name}"; done ;;
  text) printf '%s' "$ARG_text" ;;
  stdin) cat ;;
  bytes) printf '%b' "$ARG_text" ;;
  result) printf '%s\n\n' "$ARG_text" ;;
  parts) echo '{"n": 1.50}' >&3; echo 'a "text"' >&3; printf 'no newline \xff' >&3 ; echo last ;;
  fail) echo "first line" >&2; echo "no such thing: $ARG_text" >&2; exit 3 ;;
  silent) exit 4 ;;
  lie) echo '{"success": true, "result": 1}'; exit 5 ;;
  killed) kill -KILL $$ ;;
  state) printf '%s' "$ARG_text" >"$CALLBOARD_STATE"; cat "$CALLBOARD_STATE" ;;
  state_and_fail) echo '{"lost":1}' >"$CALLBOARD_STATE"; exit 1 ;;
  no_state) rm "$CALLBOARD_STATE" ;;
  behind) sleep 1000 & echo $! ;;
  hang) echo started >&3; sleep 1000 ;;
  missing) no-such-program ;;
  lines) printf -v many '%3000s' ''; printf 'a%s' "${many// /$'\n'}" ;;
  where) echo "$PWD $CALLBOARD_TOOL ${LC_ALL-none}" ;;
esac
