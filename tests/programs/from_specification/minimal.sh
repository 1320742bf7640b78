#!/bin/sh
# A tool host of the required methods alone, written from the protocol's page: its only error is "Error".
id_of() { printf '%s' "$1" | sed -n 's/.*"id" *: *"\([^"]*\)".*/\1/p'; }
method_of() { printf '%s' "$1" | sed -n 's/.*"method" *: *"\([^"]*\)".*/\1/p'; }

while IFS= read -r line; do
  id=$(id_of "$line")
  case $(method_of "$line") in
    init) answer='"ok":true,"result":{"value":{},"state":{}}' ;;
    get_tool_schemas)
      answer='"ok":true,"result":{"value":[{"name":"greet","description":"Greet.","parameters":{"type":"object","properties":{}}}],"state":{}}' ;;
    execute_tool) answer='"ok":true,"result":{"value":{"success":true,"result":"hello"},"state":{}}' ;;
    *)
      printf 'asked %s\n' "$(method_of "$line")" >&2
      if [ "${1:-}" = silent ]; then continue; fi
      answer='"ok":false,"error":{"type":"Error","detail":"what?","stack":""}' ;;
  esac
  printf '{"v":1,"id":"%s",%s}\n' "$id" "$answer"
done
