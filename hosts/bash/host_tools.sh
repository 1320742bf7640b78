# Which tools there are: scripts that say of themselves what they are, in comments at their top or in a file beside them.
#
#   #!/usr/bin/env bash
#   # @tool Count the words of a text.              makes it one, and comes first
#   # @param text string The text.                  has to be given
#   # @option unit words|lines What is counted.     may be given
#   # @stdin                                        reads its arguments there too, so they may be of any size
#   # @freeform                                     takes one text, and no arguments
#
# A tool is called as its file is, without `.sh`. Where NAME.json lies beside NAME.sh, that is its schema: whole (it has
# a "type"), or its "description" and "parameters". Nothing is run in order to find out, but for `bash -n`.

TOOL_NAMES=() TOOL_FILES=() TOOL_SCHEMAS=() TOOL_STDIN=()
TOOLS_PROBLEM='' # why there are none, in a sentence

readonly TOOLS_NAME='^[A-Za-z_][A-Za-z0-9_]*$'

tools_of_folder() {
  local file
  local -a files
  if ! cd -- "$1" 2>/dev/null; then
    TOOLS_PROBLEM="there is no folder $1; correct the path"
    return
  fi
  set +f
  files=(*.sh)
  set -f
  for file in "${files[@]}"; do
    [[ $file == _* ]] && continue # for the others to source
    tools_add "$PWD/$file"
    [[ $TOOLS_PROBLEM ]] && return
  done
  ((${#TOOL_NAMES[@]})) || TOOLS_PROBLEM="no script in $1 is a tool; begin one, NAME.sh, with a comment '# @tool What it does.'"
}

tools_of_file() {
  if [[ ! -f $1 ]]; then
    TOOLS_PROBLEM="there is no file $1; correct the path"
    return
  fi
  [[ $1 == */* ]] && cd -- "${1%/*}"
  tools_add "$PWD/${1##*/}"
  ((${#TOOL_NAMES[@]})) || [[ $TOOLS_PROBLEM ]] || TOOLS_PROBLEM="$1 is no tool; begin it with a comment '# @tool What it does.'"
}

tools_add() {
  local file=$1 name=${1##*/} beside=${1%.sh}.json said
  name=${name%.sh}
  HEAD_TOOL='' HEAD_PROPERTIES='' HEAD_REQUIRED='' HEAD_STDIN='' HEAD_FREEFORM=''
  if [[ ! -r $file ]]; then
    TOOLS_PROBLEM="$file cannot be read; make it readable"
  elif ! tools_read_head "$file"; then
    TOOLS_PROBLEM="$file: $TOOLS_PROBLEM"
  elif [[ ! $HEAD_TOOL && ! -f $beside ]]; then
    return # not meant as one
  elif ! said=$("$BASH" -n -- "$file" 2>&1); then
    TOOLS_PROBLEM="$file has a syntax error; correct it: ${said%%$'\n'*}"
  elif [[ -f $beside ]]; then
    tools_read_beside "$beside" "$name" || TOOLS_PROBLEM="$beside $TOOLS_PROBLEM"
  else
    json_quote "$name"
    said="\"name\":$JSON_QUOTED"
    json_quote "$HEAD_TOOL"
    said+=",\"description\":$JSON_QUOTED"
    TOOL_NAMES+=("$name")
    if [[ $HEAD_FREEFORM ]]; then
      TOOL_SCHEMAS+=("{\"type\":\"custom\",$said,\"format\":{\"type\":\"text\"}}")
    else
      tools_add_function "$said"
    fi
  fi
  [[ $TOOLS_PROBLEM ]] && return
  TOOL_FILES+=("$file") TOOL_STDIN+=("$HEAD_STDIN")
}

# tools_add_function SAID: the schema of one with parameters; what is said of it comes before them.
tools_add_function() {
  local parameters="\"type\":\"object\",\"properties\":{${HEAD_PROPERTIES:1}}"
  parameters+=",\"required\":[${HEAD_REQUIRED:1}],\"additionalProperties\":false"
  TOOL_SCHEMAS+=("{\"type\":\"function\",\"function\":{$1,\"parameters\":{$parameters}}}")
}

# The comments before the first line that is none.
tools_read_head() {
  local line word rest spoilt bom=''
  local -i number=0
  while IFS= read -r line || [[ $line ]]; do
    number+=1
    spoilt=''
    [[ $line != *$'\r' ]] || line=${line%$'\r'} spoilt='ends as lines on Windows do (CRLF), which Bash takes for a part of the word before; save it with LF'
    if ((number == 1)) && [[ $line == $'\xef\xbb\xbf'* ]]; then
      line=${line#$'\xef\xbb\xbf'} bom=1
    fi
    [[ $line == '#!'* || ! $line ]] && continue
    [[ $line == '#'* ]] || break
    [[ $line =~ ^#[[:blank:]]*@([a-z]+)[[:blank:]]*(.*)$ ]] || continue
    word=${BASH_REMATCH[1]} rest=${BASH_REMATCH[2]}
    case $word in
      tool)
        HEAD_TOOL=$rest && [[ $rest ]] || TOOLS_PROBLEM="line $number says @tool, and not what it does"
        [[ ! $bom ]] || TOOLS_PROBLEM='it begins with a byte order mark, which Bash takes for a word; save it as UTF-8 without one'
        [[ ! $spoilt ]] || TOOLS_PROBLEM="line $number $spoilt"
        ;;
      param | option)
        [[ ! $HEAD_TOOL ]] || tools_read_parameter "$word" "$rest" || TOOLS_PROBLEM="line $number $TOOLS_PROBLEM"
        ;;
      stdin) HEAD_STDIN=1 ;;
      freeform) HEAD_FREEFORM=1 ;;
      *) [[ ! $HEAD_TOOL ]] || TOOLS_PROBLEM="line $number says @$word; known are @tool, @param, @option, @stdin and @freeform" ;;
    esac
    [[ $TOOLS_PROBLEM ]] && return 1
  done <"$1"
  if [[ $HEAD_FREEFORM && $HEAD_PROPERTIES ]]; then
    TOOLS_PROBLEM="it takes one text, as @freeform says, and so no parameters"
    return 1
  fi
  return 0
}

# NAME TYPE DESCRIPTION
tools_read_parameter() {
  local name type schema each choices=''
  local -a words
  if [[ ! $2 =~ ^([^[:blank:]]+)[[:blank:]]+([^[:blank:]]+)[[:blank:]]*(.*)$ ]]; then
    TOOLS_PROBLEM="says @$1 $2; it needs a name, a type and what it means, as in '@$1 text string The text.'"
    return 1
  fi
  name=${BASH_REMATCH[1]} type=${BASH_REMATCH[2]}
  json_quote "${BASH_REMATCH[3]}"
  if [[ ! $name =~ $TOOLS_NAME ]]; then
    TOOLS_PROBLEM="calls a parameter '$name', which can be no variable; use letters, digits and _"
    return 1
  fi
  case $type in
    string | integer | number | boolean | array | object) schema="\"type\":\"$type\"" ;;
    string'[]' | integer'[]' | number'[]' | boolean'[]' | object'[]') schema="\"type\":\"array\",\"items\":{\"type\":\"${type%'[]'}\"}" ;;
    *'|'*)
      local description=$JSON_QUOTED IFS='|'
      words=($type)
      for each in "${words[@]}"; do
        json_quote "$each"
        choices+=",$JSON_QUOTED"
      done
      JSON_QUOTED=$description
      schema="\"type\":\"string\",\"enum\":[${choices:1}]"
      ;;
    *)
      TOOLS_PROBLEM="gives '$name' the type '$type'; it has to be string, integer, number, boolean, array, object, one of these with [], or choices as in a|b"
      return 1
      ;;
  esac
  HEAD_PROPERTIES+=",\"$name\":{$schema,\"description\":$JSON_QUOTED}"
  [[ $1 == param ]] && HEAD_REQUIRED+=",\"$name\""
  return 0
}

# tools_read_beside FILE NAME: the schema of a tool from a file of its own.
tools_read_beside() {
  local text key whole='' said='' called=''
  local -i i at function=-1
  { text=$(<"$1"); } 2>/dev/null || { TOOLS_PROBLEM="cannot be read; make it readable" && return 1; }
  if ! json_read "$text" || ! json_is_utf8 "$text"; then
    TOOLS_PROBLEM="is not JSON; correct it"
    return 1
  elif [[ ${JSON_TOKENS[0]} != '{' ]]; then
    TOOLS_PROBLEM="holds no object; write a tool schema, or its \"description\" and \"parameters\""
    return 1
  fi
  json_members 0
  for i in "${!JSON_KEYS[@]}"; do
    key=${JSON_KEYS[i]} at=${JSON_VALUES[i]}
    case $key in
      type) whole=1 ;;
      function) function=at ;;
      name) [[ ${JSON_TOKENS[at]} == '"'* ]] && json_string $at && called=$JSON_TEXT ;;
    esac
    json_raw $at
    [[ $key == description || $key == parameters ]] && said+=",\"$key\":$JSON_RAW"
  done
  if [[ $whole ]] && ((function >= 0)) && [[ ${JSON_TOKENS[function]} == '{' ]]; then
    json_members $function
    for i in "${!JSON_KEYS[@]}"; do
      at=${JSON_VALUES[i]}
      [[ ${JSON_KEYS[i]} == name && ${JSON_TOKENS[at]} == '"'* ]] && json_string $at && called=$JSON_TEXT
    done
  fi
  if [[ $whole && ! $called ]]; then
    TOOLS_PROBLEM="is a schema without a name; add it"
    return 1
  fi
  called=${called:-$2}
  json_raw 0
  text=$JSON_RAW
  json_quote "$called"
  [[ $whole ]] || text="{\"type\":\"function\",\"function\":{\"name\":$JSON_QUOTED$said}}"
  TOOL_SCHEMAS+=("$text") TOOL_NAMES+=("$called")
}
