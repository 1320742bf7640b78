# Reads JSON, one text a line, and says what it understood: a string as it would write it, an object by its members.
source "$1"
json_setup
while IFS= read -r line; do
  if ! json_read "$line"; then
    echo bad
  elif json_raw 0 && [[ $JSON_RAW == '"'* ]]; then
    if json_string 0; then json_quote "$JSON_TEXT" && printf '%s\n' "$JSON_QUOTED"; else echo nul; fi
  elif [[ $JSON_RAW == '{'* ]]; then
    json_members 0
    members=''
    for i in "${!JSON_KEYS[@]}"; do
      json_quote "${JSON_KEYS[i]}"
      json_raw "${JSON_VALUES[i]}"
      members+=",$JSON_QUOTED:$JSON_RAW"
    done
    printf '{%s}\n' "${members:1}"
  else
    printf '%s\n' "$JSON_RAW"
  fi
done
