# JSON in Bash: a text is cut into tokens and checked whole, strings are read, and any bytes become a JSON string.
#
# Nothing is computed with what it reads and nothing is written anew: a number, or an object that is only passed on,
# stays as it was spelt, to the last digit. It starts no process, and takes a few microseconds for each token and each
# escape. (jq would have been the other way: version 1.6 rounds numbers to 17 digits, tears characters that lie across
# its blocks of 64 KiB, and takes longer to start than nearly every message takes here.)
#
# For whoever sources this: LC_ALL is C (texts are bytes), globbing is off (texts are split into words), and answers
# come in variables: a subshell for each would take longer than all the rest.

JSON_TOKENS=() # the tokens of the text that was read last, strings as they were spelt
JSON_END=()    # where each object and array ends: the index of its closing token by that of its opening one
JSON_KEYS=() JSON_VALUES=() JSON_TORN=() JSON_BLOCKS=()
declare -i JSON_COUNT=0
JSON_TEXT='' JSON_RAW='' JSON_QUOTED='' JSON_WHOLE='' JSON_REST=''

readonly JSON_BLOCK=2048 # bytes that are replaced in at once: a replacement takes the square of the length
readonly JSON_NUMBER='^-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][-+]?[0-9]+)?$'
readonly JSON_LAST_ESCAPE='\\+[^\\]{0,5}$'
readonly JSON_HALF_PAIR='\\+u[dD][89abAB][0-9a-fA-F][0-9a-fA-F]$'
readonly JSON_UTF8=$'^([\x01-\x7f]|[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf][\x80-\xbf]|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf][\x80-\xbf]|[\xf1-\xf3][\x80-\xbf][\x80-\xbf][\x80-\xbf]|\xf4[\x80-\x8f][\x80-\xbf][\x80-\xbf])*'

json_setup() {
  LC_ALL=C
  set -f
  shopt -u patsub_replacement 2>/dev/null # from Bash 5.2 on a & in a replacement would be what was found
}

# ------------------------------------------------------------------------------------------------------------- reading

# json_read TEXT: cut it into JSON_TOKENS; fails if it is not one JSON value.
json_read() {
  local IFS='"' piece raw
  local -a pieces
  local -i i=0 end n
  JSON_TOKENS=() JSON_END=()
  pieces=($1$'\n') # outside of strings and inside, in turns; the newline keeps a last quote from being lost
  n=${#pieces[@]}
  while :; do
    json_cut "${pieces[i]}"
    ((++i < n)) || break
    end=i
    # A quote after an odd number of backslashes ends nothing.
    while piece=${pieces[end]}; [[ $piece == *\\ ]] && json_trailing "$piece" \\ && ((JSON_COUNT & 1)); do
      ((++end < n)) || return 1
    done
    if ((end > i)); then raw="${pieces[*]:i:end-i+1}"; else raw=$piece; fi
    [[ $raw == *[$'\x01'-$'\x1f']* ]] && return 1
    [[ $raw == *\\* ]] && ! json_escapes_fit "$raw" && return 1
    JSON_TOKENS+=("\"$raw\"")
    ((i = end + 1, i < n)) || return 1
  done
  json_check
}

# json_trailing TEXT CHARACTER: JSON_COUNT is how many of them it ends with. A pattern that finds the end of a long row
# takes the square of its length, so the row is shortened first.
json_trailing() {
  local text=$1 end
  local -i size
  for size in 65536 256; do
    while ((${#text} >= size)) && end=${text: -size} && [[ $end != *[!"$2"]* ]]; do text=${text::${#text}-size}; done
  done
  end=$text
  ((${#text} > 256)) && end=${text: -256}
  end=${end##*[!"$2"]}
  JSON_COUNT=${#1}-${#text}+${#end}
}

# What stands between two strings, as tokens.
json_cut() {
  local IFS=$' \t\r\n' text=$1
  case $text in
    : | ,) JSON_TOKENS+=("$text") && return ;;
  esac
  if ((${#text} > JSON_BLOCK)); then # a long row of numbers
    local -a row
    IFS=','
    row=($text)
    [[ $text == *, ]] && row+=('')
    json_cut_short "${row[0]}"
    for text in "${row[@]:1}"; do
      JSON_TOKENS+=(',')
      if [[ ! $text || $text == *[!-+.0-9eE]* ]]; then json_cut_short "$text"; else JSON_TOKENS+=("$text"); fi
    done
    return
  fi
  json_cut_short "$text"
}

json_cut_short() {
  local IFS=$' \t\r\n' text=$1
  text=${text//'{'/ '{' } text=${text//'}'/ '}' } text=${text//'['/ '[' } text=${text//']'/ ']' }
  text=${text//:/ : } text=${text//,/ , }
  JSON_TOKENS+=($text)
}

# The grammar. V: a value comes; A: a value or the end of an array; K: a key; O: a key or the end of an object;
# C: a colon; N: a comma or the end of what is open; E: nothing more.
json_check() {
  local token state=V open=''
  local -a stack=()
  local -i i=-1 top
  for token in "${JSON_TOKENS[@]}"; do
    i+=1
    case $state${token:0:1} in
      [VA]'{') stack+=($i) state=O open+=o && continue ;;
      [VA]'[') stack+=($i) state=A open+=a && continue ;;
      [KO]'"') state=C && continue ;;
      C:) state=V && continue ;;
      N,) [[ $open == *o ]] && state=K || state=V && continue ;;
      [ON]'}') [[ $open == *o ]] || return 1 ;;
      [AN]']') [[ $open == *a ]] || return 1 ;;
      [VA]'"') ;;
      [VA]*) [[ $token == true || $token == false || $token == null || $token =~ $JSON_NUMBER ]] || return 1 ;;
      *) return 1 ;;
    esac
    if [[ $token == ['}]'] ]]; then
      top=${#stack[@]}-1
      JSON_END[stack[top]]=$i
      unset "stack[top]"
      open=${open%?}
    fi
    if [[ $open ]]; then state=N; else state=E; fi
  done
  [[ $state == E ]]
}

# Every backslash in a string has to begin an escape.
json_escapes_fit() {
  local block h='[0-9a-fA-F]'
  JSON_REST=''
  json_blocks "$1"
  for block in "${JSON_BLOCKS[@]}" ''; do
    json_whole_escapes "$JSON_REST$block" "$block"
    block=${JSON_WHOLE//\\[\"\\\/bfnrt]/.}
    block=${block//\\u$h$h$h$h/.}
    [[ $block == *\\* ]] && return 1
  done
  return 0
}

# json_whole_escapes RAW MORE: escapes at the end that may go on are JSON_REST, unless there is no more; the rest is
# JSON_WHOLE. A pair of \u is not torn.
json_whole_escapes() {
  local run
  local -i even
  JSON_WHOLE=$1 JSON_REST=''
  [[ $2 && ${1: -6} == *\\* && $1 =~ $JSON_LAST_ESCAPE ]] || return 0
  JSON_REST=${BASH_REMATCH[0]}
  JSON_WHOLE=${1::${#1}-${#JSON_REST}}
  if [[ $JSON_WHOLE =~ $JSON_HALF_PAIR ]]; then
    JSON_REST=${BASH_REMATCH[0]}$JSON_REST
  fi
  run=${JSON_REST%%[!\\]*}
  even=${#run}-2-${#run}%2
  ((even > 0)) && JSON_REST=${JSON_REST:even}
  JSON_WHOLE=${1::${#1}-${#JSON_REST}}
}

# json_blocks TEXT: JSON_BLOCKS are its pieces of JSON_BLOCK bytes. To take a piece out takes as long as the text is, so
# it is done in two steps.
json_blocks() {
  local large
  local -i at in
  JSON_BLOCKS=("$1")
  ((${#1} > JSON_BLOCK)) || return 0
  JSON_BLOCKS=()
  for ((at = 0; at < ${#1}; at += 32 * JSON_BLOCK)); do
    large=${1:at:32*JSON_BLOCK}
    for ((in = 0; in < ${#large}; in += JSON_BLOCK)); do
      JSON_BLOCKS+=("${large:in:JSON_BLOCK}")
    done
  done
}

# json_members INDEX: the members of the object there, as JSON_KEYS (read) and JSON_VALUES (indices). JSON_TORN has the
# positions of the keys that hold a NUL: without it they would be read as another key.
json_members() {
  local -i at=$1+1 value
  JSON_KEYS=() JSON_VALUES=() JSON_TORN=()
  while [[ ${JSON_TOKENS[at]} == '"'* ]]; do
    json_string $at || JSON_TORN[${#JSON_KEYS[@]}]=1
    value=at+2
    JSON_KEYS+=("$JSON_TEXT") JSON_VALUES+=($value)
    at=${JSON_END[value]-$value}+1
    [[ ${JSON_TOKENS[at]} == , ]] || break
    at+=1
  done
}

# json_raw INDEX: JSON_RAW is the value there, as it was spelt, without blanks between its tokens.
json_raw() {
  local IFS=
  if [[ ${JSON_END[$1]-} ]]; then
    JSON_RAW="${JSON_TOKENS[*]:$1:JSON_END[$1]-$1+1}"
  else
    JSON_RAW=${JSON_TOKENS[$1]}
  fi
}

# json_string INDEX: JSON_TEXT is the string there; fails if it holds a NUL, which no text of Bash can.
json_string() {
  local raw=${JSON_TOKENS[$1]:1}
  raw=${raw%\"}
  JSON_TEXT=$raw
  [[ $raw == *\\* ]] || return 0
  json_unescape "$raw"
}

# json_unescape RAW: JSON_TEXT is what a string says, whose escapes fit; fails if it holds a NUL.
json_unescape() {
  local IFS= nul=0 block
  local -a done=()
  JSON_REST=''
  json_blocks "$1"
  for block in "${JSON_BLOCKS[@]}" ''; do
    json_whole_escapes "$JSON_REST$block" "$block"
    json_unescape_block "$JSON_WHOLE"
    done+=("$JSON_TEXT")
  done
  JSON_TEXT="${done[*]}"
  return $nul
}

# A string has no control characters of its own, so one may stand for a backslash that is escaped until the others are gone.
json_unescape_block() {
  local text=$1 b=\\ stand=$'\x01' c
  text=${text//"$b$b"/"$stand"}
  text=${text//"$b"'"'/'"'}
  text=${text//"$b"'/'/'/'}
  for c in n t r b f; do
    [[ $text == *"$b$c"* ]] || continue
    printf -v JSON_TEXT '%b' "$b$c"
    text=${text//"$b$c"/"$JSON_TEXT"}
  done
  if [[ $text == *"$b"* ]]; then json_unescape_codes "$text"; else JSON_TEXT=${text//"$stand"/"$b"}; fi
}

# What is left are \u and four digits; two may be one character. Sets nul of json_unescape.
json_unescape_codes() {
  local IFS=\\ b=\\ piece
  local -a pieces parts
  local -i i n code
  pieces=($1)
  n=${#pieces[@]}
  parts=("${pieces[0]//$'\x01'/"$b"}")
  for ((i = 1; i < n; i++)); do
    piece=${pieces[i]}
    code=16#${piece:1:4}
    if ((code == 0)); then
      nul=1
    elif ((code >= 0xd800 && code < 0xdc00)) && [[ ${#piece} -eq 5 && ${pieces[i + 1]-} == u[dD][c-fC-F]* ]]; then
      piece=${pieces[++i]}
      ((code = 0x10000 + ((code - 0xd800) << 10) + (16#${piece:1:4} - 0xdc00)))
    elif ((code >= 0xd800 && code < 0xe000)); then
      code=0xfffd # half a pair
    fi
    json_utf8 $code
    piece=${piece:5}
    parts+=("$JSON_TEXT${piece//$'\x01'/"$b"}")
  done
  IFS=
  JSON_TEXT="${parts[*]}"
}

# json_utf8 CODE: JSON_TEXT is that character.
json_utf8() {
  local -i c=$1
  local bytes
  if ((c < 0x80)); then
    printf -v bytes '\\x%02x' $c
  elif ((c < 0x800)); then
    printf -v bytes '\\x%02x\\x%02x' $((c >> 6 | 0xc0)) $((c & 0x3f | 0x80))
  elif ((c < 0x10000)); then
    printf -v bytes '\\x%02x\\x%02x\\x%02x' $((c >> 12 | 0xe0)) $((c >> 6 & 0x3f | 0x80)) $((c & 0x3f | 0x80))
  else
    printf -v bytes '\\x%02x\\x%02x\\x%02x\\x%02x' $((c >> 18 | 0xf0)) $((c >> 12 & 0x3f | 0x80)) \
      $((c >> 6 & 0x3f | 0x80)) $((c & 0x3f | 0x80))
  fi
  printf -v JSON_TEXT '%b' "$bytes"
}

# ------------------------------------------------------------------------------------------------------------- writing

# json_quote BYTES: JSON_QUOTED is a JSON string of them; what is not UTF-8 becomes U+FFFD, byte by byte.
json_quote() {
  local IFS= block
  local -a done=()
  JSON_REST=''
  json_blocks "$1"
  for block in "${JSON_BLOCKS[@]}" ''; do
    json_whole_characters "$JSON_REST$block" "$block"
    json_escape "$JSON_WHOLE"
    done+=("$JSON_QUOTED")
  done
  JSON_QUOTED="\"${done[*]}\""
}

# json_whole_characters BYTES MORE: the beginning of a character at the end is JSON_REST, unless there is no more.
json_whole_characters() {
  JSON_WHOLE=$1 JSON_REST=''
  if [[ $2 && ${1: -3} =~ [$'\xc2'-$'\xf4'][$'\x80'-$'\xbf']*$ ]]; then
    JSON_REST=${BASH_REMATCH[0]}
    JSON_WHOLE=${1::${#1}-${#JSON_REST}}
  fi
}

json_escape() {
  local text=$1 b=\\ q=\" c code
  [[ $text == *[$'\x80'-$'\xff']* ]] && json_sanitize "$text" && text=$JSON_TEXT
  text=${text//"$b"/"$b$b"}
  text=${text//"$q"/"$b$q"}
  if [[ $text == *[$'\x01'-$'\x1f']* ]]; then
    text=${text//$'\n'/"${b}n"}
    text=${text//$'\t'/"${b}t"}
    text=${text//$'\r'/"${b}r"}
    while [[ $text =~ [$'\x01'-$'\x1f'] ]]; do
      c=${BASH_REMATCH[0]}
      printf -v code '%su%04x' "$b" "'$c"
      text=${text//"$c"/"$code"}
    done
  fi
  JSON_QUOTED=$text
}

# json_sanitize BYTES: JSON_TEXT is the same as UTF-8.
json_sanitize() {
  local rest=$1 good
  JSON_TEXT=''
  while :; do
    [[ $rest =~ $JSON_UTF8 ]]
    good=${BASH_REMATCH[0]}
    JSON_TEXT+=$good
    rest=${rest:${#good}}
    [[ $rest ]] || return 0
    JSON_TEXT+=$'\xef\xbf\xbd'
    rest=${rest:1}
  done
}

# json_is_utf8 BYTES
json_is_utf8() {
  local block
  [[ $1 == *[$'\x80'-$'\xff']* ]] || return 0
  JSON_REST=''
  json_blocks "$1"
  for block in "${JSON_BLOCKS[@]}" ''; do
    json_whole_characters "$JSON_REST$block" "$block"
    [[ $JSON_WHOLE =~ $JSON_UTF8 && ${#BASH_REMATCH[0]} -eq ${#JSON_WHOLE} ]] || return 1
  done
}
