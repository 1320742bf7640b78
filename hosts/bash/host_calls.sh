# A call: one script in a process group of its own, with its arguments as data.
#
#   stdin            the call as JSON: tool_name, arguments, state, and config
#   ARG_<name>       an argument: a text as it is, anything else as JSON; not set for null
#   CALLBOARD_TEXT   the text of a call that has no arguments
#   CONFIG_<name>    the same of the configuration
#   CALLBOARD_STATE  a file with the state, a JSON object; what is in it after a success is the new one
#   stdout           the result: a text, or a JSON object with "success"
#   fd 3             parts, one a line: JSON, or else a text
#   stderr           the log; its end is told when the script fails
#   exit status      0 is success
#
# A call has a shell of its own beside the main one, which waits for the script and writes the answer. It reads what the
# script prints until nobody can print any more: the script's group is ended with it, and those who read its stderr and
# its parts hold the same pipe until they are done. So the answer is last, and has all that there was.

CONFIG_RAW='{}' CONFIG_NAMES=() CONFIG_TEXTS=()
ENV_NAMES=() ENV_TEXTS=() ENV_PROBLEM=''
CALLS_COUNT=0
declare -A CALLS_FOLDERS=() # of each id, as it was spelt

readonly CALLS_LONGEST=120000    # bytes that one variable may have; the system's limit is 128 KiB
readonly CALLS_ALL=1000000       # bytes that all of them may have
readonly CALLS_OUTPUT=33554432   # bytes that a script may print
readonly CALLS_TAIL=2000         # bytes of its last words that are told

calls_setup() {
  local folder pid root=${TMPDIR:-/tmp}/callboard-bash-$HOSTNAME-
  local -a left=()
  CALLS_ROOT=$root$$-$RANDOM
  # A host that was killed cannot take away the files of the calls that were under way: its next generation does.
  set +f
  for folder in "$root"*; do
    pid=${folder#"$root"}
    [[ -O $folder ]] && ! kill -0 "${pid%%-*}" 2>/dev/null && left+=("$folder")
  done
  set -f
  if ((${#left[@]})); then rm -rf "${left[@]}"; fi
}

calls_configure() {
  ((PARAM_CONFIG >= 0)) && [[ ${JSON_TOKENS[PARAM_CONFIG]} == '{' ]] || return 0
  json_raw "$PARAM_CONFIG"
  CONFIG_RAW=$JSON_RAW
  calls_variables "$PARAM_CONFIG"
  CONFIG_NAMES=("${ENV_NAMES[@]}") CONFIG_TEXTS=("${ENV_TEXTS[@]}")
}

# calls_variables INDEX: what of an object can be variables. ENV_PROBLEM names what would be one and is too large, or holds a NUL.
calls_variables() {
  local name problem
  local -i i at total=0
  ENV_NAMES=() ENV_TEXTS=() ENV_PROBLEM=''
  json_members "$1"
  local -a keys=("${JSON_KEYS[@]}") values=("${JSON_VALUES[@]}") torn=()
  for i in "${!JSON_TORN[@]}"; do torn[i]=1; done
  for i in "${!keys[@]}"; do
    name=${keys[i]} at=${values[i]} problem=''
    if [[ ${torn[i]-} ]]; then
      ENV_PROBLEM=${ENV_PROBLEM:-"the argument's name '$name' holds a NUL, which no environment variable may"}
      continue
    fi
    [[ $name =~ $TOOLS_NAME ]] || continue
    case ${JSON_TOKENS[at]} in
      null) continue ;;
      '"'*) json_string $at || problem='holds a NUL' ;;
      *) json_raw $at && JSON_TEXT=$JSON_RAW ;;
    esac
    ((total += ${#JSON_TEXT}))
    ((${#JSON_TEXT} > CALLS_LONGEST || total > CALLS_ALL)) && problem="is ${#JSON_TEXT} bytes long"
    if [[ $problem ]]; then
      ENV_PROBLEM=${ENV_PROBLEM:-"the argument '$name' $problem, which no environment variable may"}
    else
      ENV_NAMES+=("$name") ENV_TEXTS+=("$JSON_TEXT")
    fi
  done
}

# calls_execute ID: begin the call in PARAM_…
calls_execute() {
  local id=$1
  local -i i tool=-1
  for i in "${!TOOL_NAMES[@]}"; do
    [[ ${TOOL_NAMES[i]} == "$PARAM_NAME" ]] && tool=i
  done
  if ((tool < 0)); then
    calls_fail "Unknown tool: $PARAM_NAME"
    return
  fi
  ENV_NAMES=() ENV_TEXTS=() ENV_PROBLEM=''
  unset CALL_TEXT
  if ((PARAM_PAYLOAD >= 0)); then
    calls_text
  elif ((PARAM_ARGUMENTS >= 0)); then
    if [[ ${JSON_TOKENS[PARAM_ARGUMENTS]} != '{' ]]; then
      calls_fail 'the arguments of a script are an object'
      return
    fi
    calls_variables "$PARAM_ARGUMENTS"
  fi
  if [[ $ENV_PROBLEM && ! ${TOOL_STDIN[tool]} ]]; then
    calls_fail "$ENV_PROBLEM; a script that reads its arguments from its stdin says so: # @stdin"
    return
  fi
  CALLS_COUNT=$((CALLS_COUNT + 1))
  CALL_FOLDER=$CALLS_ROOT-$CALLS_COUNT
  ((CALLS_COUNT % 16)) || calls_forget
  CALLS_FOLDERS[$id]=$CALL_FOLDER
  if [[ $HOST_TURN ]]; then
    calls_run "$id" "${TOOL_FILES[tool]}" &
  else
    calls_run "$id" "${TOOL_FILES[tool]}"
  fi
}

# The payload, if it is a text.
calls_text() {
  [[ ${JSON_TOKENS[PARAM_PAYLOAD]} == '"'* ]] || return 0
  if ! json_string "$PARAM_PAYLOAD"; then
    ENV_PROBLEM='the text holds a NUL, which no environment variable may'
  elif ((${#JSON_TEXT} > CALLS_LONGEST)); then
    ENV_PROBLEM="the text is ${#JSON_TEXT} bytes long, which no environment variable may"
  else
    CALL_TEXT=$JSON_TEXT
  fi
}

calls_fail() {
  json_quote "$1"
  host_answer "$id" "{\"success\":false,\"error\":$JSON_QUOTED}" "$PARAM_STATE"
}

# In a shell of its own.
calls_run() {
  local id=$1 state=${PARAM_STATE:-'{}'} text='' out much=''
  if ! { mkdir -m 700 "$CALL_FOLDER" && printf '%s\n' "$state" >"$CALL_FOLDER/state"; }; then
    host_refuse "$id" Error "there is no place for the files of a call in ${TMPDIR:-/tmp}; free some, or set TMPDIR"
    return
  fi
  exec {out}< <(calls_script "$2")
  IFS= read -r -N $CALLS_OUTPUT -u "$out" text && much=1
  [[ $much ]] && calls_kill KILL "$CALL_FOLDER"
  exec {out}<&-
  calls_reply "$text" "$much"
  rm -rf "$CALL_FOLDER" # before it is told: who has the answer may end this host at once
  host_send "$HOST_REPLY"
}

# calls_script FILE: run it, and leave its exit status in a file. What is printed here is what it prints.
calls_script() {
  local parts errors
  local -i script status
  exec {HOST_IN}<&-
  exec {parts}> >(calls_read_parts) {errors}> >(calls_read_errors)
  set -m # a job is a process group
  calls_exec "$1" 3>&"$parts" 2>&"$errors" {parts}>&- {errors}>&- <<<"${PARAM_RAW%\}},\"config\":$CONFIG_RAW}" &
  script=$!
  printf '%s' $script >"$CALL_FOLDER/pid"
  wait $script
  status=$?
  kill -KILL -- -$script 2>/dev/null # what it left running
  printf '%s' $status >"$CALL_FOLDER/status"
}

calls_exec() {
  local -i i
  set +m
  exec {HOST_OUT}>&-
  [[ $HOST_TURN ]] && exec {HOST_TURN}>&-
  for i in "${!CONFIG_NAMES[@]}"; do export "CONFIG_${CONFIG_NAMES[i]}=${CONFIG_TEXTS[i]}"; done
  for i in "${!ENV_NAMES[@]}"; do export "ARG_${ENV_NAMES[i]}=${ENV_TEXTS[i]}"; done
  [[ ${CALL_TEXT+given} ]] && export "CALLBOARD_TEXT=$CALL_TEXT"
  export CALLBOARD_STATE=$CALL_FOLDER/state CALLBOARD_TOOL=$PARAM_NAME
  if [[ $HOST_LOCALE ]]; then LC_ALL=${HOST_LOCALE#=}; else unset LC_ALL; fi
  exec "$BASH" -- "$1"
}

calls_read_parts() {
  local line payload
  while IFS= read -r line || [[ $line ]]; do
    if json_read "$line" && json_is_utf8 "$line"; then
      json_raw 0
      payload=$JSON_RAW
    else
      json_quote "$line"
      payload=$JSON_QUOTED
    fi
    host_send "{\"v\":1,\"id\":$id,\"event\":{\"type\":\"part\",\"payload\":$payload}}"
  done
}

# To the log, and the end of it to a file.
calls_read_errors() {
  local line tail=''
  while IFS= read -r line || [[ $line ]]; do
    printf '%s\n' "$line" >&2
    tail+=$line$'\n'
    ((${#tail} > CALLS_TAIL)) && tail=${tail: -CALLS_TAIL}
  done
  { printf '%s' "$tail" >"$CALL_FOLDER/errors"; } 2>/dev/null # it may have gone, with the host
}

# calls_reply TEXT MUCH: what the script printed and how it ended, as HOST_REPLY.
calls_reply() {
  local IFS=$' \t\n' text=$1 status='' value='' success='' error='' i
  if [[ -e $CALL_FOLDER/cancelled ]]; then
    host_reply_error "$id" Cancelled 'the call was cancelled, and its script ended'
    return
  fi
  json_trailing "$text" $'\n'
  text=${text::${#text}-JSON_COUNT}
  if [[ ${text:0:100} =~ ^[[:space:]]*'{' ]] && json_read "$text" && json_is_utf8 "$text"; then
    json_members 0
    for i in "${!JSON_KEYS[@]}"; do
      [[ ${JSON_KEYS[i]} == success ]] && success=${JSON_TOKENS[JSON_VALUES[i]]}
    done
    [[ $success == true || $success == false ]] && json_raw 0 && value=$JSON_RAW
  fi
  [[ $2 ]] || status=$(<"$CALL_FOLDER/status")
  if [[ $status == 0 ]]; then
    if ! calls_read_state; then
      host_reply_error "$id" InvalidResult "what $PARAM_NAME left as its state in the file CALLBOARD_STATE is no JSON object"
      return
    fi
    [[ $value ]] || { json_quote "$text" && value="{\"success\":true,\"result\":$JSON_QUOTED}"; }
  elif [[ $2 ]]; then
    json_quote "the script printed more than $((CALLS_OUTPUT >> 20)) MiB, and was ended"
    value="{\"success\":false,\"error\":$JSON_QUOTED}"
  elif [[ ! $value || $success == true ]]; then
    error=$(<"$CALL_FOLDER/errors")
    ((${#text} > CALLS_TAIL)) && text=${text: -CALLS_TAIL}
    error=${error:-$text}
    if ((status > 128)) && i=$(kill -l "$status" 2>/dev/null); then error+="${error:+ }(signal $i)"; fi
    json_quote "${error:-it ended with exit status $status, and said nothing}"
    value="{\"success\":false,\"error\":$JSON_QUOTED,\"exit_status\":$status}"
  fi
  host_reply "$id" "$value" "$state"
}

# The state that the script has left, into `state`.
calls_read_state() {
  local found
  { found=$(<"$CALL_FOLDER/state"); } 2>/dev/null || return 1
  [[ $found == "$state" ]] && return 0
  json_read "$found" && [[ ${JSON_TOKENS[0]} == '{' ]] && json_is_utf8 "$found" || return 1
  json_raw 0
  state=$JSON_RAW
}

# ------------------------------------------------------------------------------------------------------------ their ends

# calls_kill SIGNAL FOLDER: to a script, and to all that it has started.
calls_kill() {
  local pid
  { pid=$(<"$2/pid"); } 2>/dev/null && [[ $pid ]] && kill -"$1" -- -"$pid" 2>/dev/null
}

# The call that PARAM_ID names, if it is under way.
calls_cancel() {
  local folder=${PARAM_ID:+${CALLS_FOLDERS[$PARAM_ID]-}}
  [[ $folder && -d $folder ]] || return 0
  : >"$folder/cancelled"
  calls_kill TERM "$folder"
}

# Those that are over. They are not unset one by one: `unset` would expand what is in an id once more.
calls_forget() {
  local id
  local -A under=()
  for id in "${!CALLS_FOLDERS[@]}"; do
    [[ -d ${CALLS_FOLDERS[$id]} ]] && under[$id]=${CALLS_FOLDERS[$id]}
  done
  CALLS_FOLDERS=()
  for id in "${!under[@]}"; do CALLS_FOLDERS[$id]=${under[$id]}; done
}

# All of them, now.
calls_end() {
  local folder
  exec 2>/dev/null # nobody need hear who was killed here
  local -a folders
  set +f
  folders=("$CALLS_ROOT"-*)
  set -f
  ((${#folders[@]})) || return 0
  for folder in "${folders[@]}"; do calls_kill KILL "$folder"; done
  kill -KILL $(jobs -p) 2>/dev/null
  rm -rf "${folders[@]}"
}
