#!/usr/bin/env bash
# The Bash tool host: runs scripts as tools, and speaks version 1 of the tool host protocol.
#
#   bash host.sh --path <folder of scripts>     or     bash host.sh --file <one script>
#
# Requests come in on stdin and answers go out on stdout, one JSON value a line. Calls run side by side, each script in a
# process of its own; it gets its arguments as variables and on its stdin, and nothing that comes over the wire is ever
# evaluated. It needs Bash 4.4, mkdir and rm.
#
# It is no sandbox and restarts nothing. It lives as long as its stdin; at the end of it, scripts under way are ended.

if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] < 404)); then
  # In the words of Bash 3, so that it can be said at all.
  echo "[tool host] this is Bash $BASH_VERSION; the host needs 4.4 or a newer one" >&2
  while IFS= read -r line; do
    [[ $line =~ \"id\":\"([^\"\\]*)\" ]] || continue
    printf '{"v":1,"id":"%s","ok":false,"error":{"type":"LoadError","detail":"%s","stack":"","phase":"load"}}\n' \
      "${BASH_REMATCH[1]}" "this is Bash $BASH_VERSION, and the host needs 4.4 or a newer one: put one first on PATH"
  done
  exit 0
fi

HOST_FOLDER=${BASH_SOURCE[0]%/*}
[[ $HOST_FOLDER == "${BASH_SOURCE[0]}" ]] && HOST_FOLDER=.
source "$HOST_FOLDER/host_json.sh"
source "$HOST_FOLDER/host_tools.sh"
source "$HOST_FOLDER/host_calls.sh"

host_log() { printf '[tool host] %s\n' "$1" >&2; }

# --------------------------------------------------------------------------------------------------------------- streams

# stdout is the protocol's: what is printed by mistake goes to stderr, and nobody but a call reads or inherits stdin.
host_claim_streams() {
  exec {HOST_IN}<&0 {HOST_OUT}>&1 0</dev/null 1>&2
  # A pipe with one byte in it: who has taken that may write, since long lines of several would mix. A system where a
  # pipe cannot be opened a second time has no such thing, and there one call runs after the other.
  if { exec {HOST_TURN}<> <(:); } 2>/dev/null; then
    printf . >&"$HOST_TURN"
  else
    HOST_TURN=''
  fi
}

host_send() {
  local turn
  [[ $HOST_TURN ]] && IFS= read -r -N 1 -u "$HOST_TURN" turn
  printf '%s\n' "$1" >&"$HOST_OUT"
  [[ $HOST_TURN ]] && printf . >&"$HOST_TURN"
}

# host_answer ID VALUE [STATE], all of them JSON
host_answer() {
  host_reply "$@"
  host_send "$HOST_REPLY"
}

# host_refuse ID TYPE DETAIL [PHASE]
host_refuse() {
  host_reply_error "$@"
  host_send "$HOST_REPLY"
}

host_reply() { HOST_REPLY="{\"v\":1,\"id\":$1,\"ok\":true,\"result\":{\"value\":$2${3:+,\"state\":$3}}}"; }

host_reply_error() {
  json_quote "$3"
  HOST_REPLY="{\"v\":1,\"id\":$1,\"ok\":false,\"error\":{\"type\":\"$2\",\"detail\":$JSON_QUOTED,\"stack\":\"\"${4:+,\"phase\":\"$4\"}}}"
}

# -------------------------------------------------------------------------------------------------------------- requests

host_receive() {
  local id='' v='' key
  local -i i at method=-1 params=-1
  if ! json_read "$1" || [[ ${JSON_TOKENS[0]} != '{' ]]; then
    [[ $1 ]] && host_log "ignored a line that is no JSON object: ${1:0:200}"
    return
  fi
  json_members 0
  for i in "${!JSON_KEYS[@]}"; do
    key=${JSON_KEYS[i]} at=${JSON_VALUES[i]}
    case $key in
      v) v=${JSON_TOKENS[at]} ;;
      id) id=${JSON_TOKENS[at]} ;;
      method) method=at ;;
      params) params=at ;;
    esac
  done
  if [[ $id != '"'* ]]; then
    host_log "ignored a line: a request has an \"id\", which is a string: ${1:0:200}"
  elif [[ $v != 1 ]]; then
    host_refuse "$id" ProtocolError "this host speaks version 1 of the protocol, and \"v\" is ${v:-missing}"
  elif ((method < 0)) || [[ ${JSON_TOKENS[method]} != '"'* ]]; then
    host_refuse "$id" ProtocolError 'a request has a "method", which is a string'
  elif ((params >= 0)) && [[ ${JSON_TOKENS[params]} != '{' ]]; then
    host_refuse "$id" ProtocolError 'the "params" of a request are an object'
  else
    json_string $method
    host_begin "$id" "$JSON_TEXT" $params
  fi
}

# host_begin ID METHOD PARAMS: PARAMS is the index of that object, or -1.
host_begin() {
  local id=$1 method=$2 schemas
  host_read_params "$3"
  if [[ $TOOLS_PROBLEM && $method != describe ]]; then
    host_refuse "$id" LoadError "$TOOLS_PROBLEM" load
    return
  fi
  case $method in
    init)
      calls_configure
      host_answer "$id" '{}' '{}'
      ;;
    get_tool_schemas)
      printf -v schemas ',%s' "${TOOL_SCHEMAS[@]}"
      host_answer "$id" "[${schemas:1}]" "$PARAM_STATE"
      ;;
    execute_tool) calls_execute "$id" ;;
    cancel)
      calls_cancel
      host_answer "$id" true
      ;;
    describe)
      host_answer "$id" '{"protocol":"thp/1","host":{"name":"callboard-bash","version":"1"},"features":["cancel","payload"],"methods":["init","get_tool_schemas","execute_tool"]}'
      ;;
    *) host_refuse "$id" MethodNotFound "this host has no method $method" ;;
  esac
}

# The members of the params as PARAM_…: the spelling of a value, or where it stands.
host_read_params() {
  local -i i at
  PARAM_STATE='' PARAM_NAME='' PARAM_ID='' PARAM_RAW='{}' PARAM_ARGUMENTS=-1 PARAM_CONFIG=-1 PARAM_PAYLOAD=-1
  (($1 >= 0)) || return 0
  json_raw "$1"
  PARAM_RAW=$JSON_RAW
  json_members "$1"
  for i in "${!JSON_KEYS[@]}"; do
    at=${JSON_VALUES[i]}
    case ${JSON_KEYS[i]} in
      state) json_raw $at && PARAM_STATE=$JSON_RAW ;;
      tool_name) [[ ${JSON_TOKENS[at]} == '"'* ]] && json_string $at && PARAM_NAME=$JSON_TEXT ;;
      id) PARAM_ID=${JSON_TOKENS[at]} ;;
      arguments) PARAM_ARGUMENTS=$at ;;
      config) PARAM_CONFIG=$at ;;
      payload) PARAM_PAYLOAD=$at ;;
    esac
  done
}

host_leave() {
  trap '' TERM
  calls_end
  exit 0
}

host_main() {
  local line
  HOST_LOCALE=${LC_ALL+=$LC_ALL} # for the scripts: this one's own is C
  json_setup
  shopt -s nullglob # where globbing is on for a moment
  host_claim_streams
  case $#:$1 in
    2:--path) tools_of_folder "$2" ;;
    2:--file) tools_of_file "$2" ;;
    *)
      echo "usage: bash host.sh --path <folder of scripts>, or --file <one script>" >&2
      exit 2
      ;;
  esac
  [[ $TOOLS_PROBLEM ]] && host_log "$TOOLS_PROBLEM"
  calls_setup
  trap host_leave TERM
  while IFS= read -r -u "$HOST_IN" line; do
    host_receive "$line"
  done
  host_leave
}

host_main "$@"
