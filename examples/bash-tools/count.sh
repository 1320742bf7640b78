#!/usr/bin/env bash
# @tool Count the words, lines or characters of a text.
# @param text string The text.
# @option unit words|lines|characters What is counted: words, unless it is said.
set -euo pipefail

case ${ARG_unit:-words} in
  words)
    set -f # a * is a word like any other
    words=($ARG_text)
    echo ${#words[@]}
    ;;
  lines)
    [[ $ARG_text ]] || { echo 0 && exit; }
    mapfile -t lines <<<"$ARG_text"
    echo ${#lines[@]}
    ;;
  characters)
    echo ${#ARG_text}
    ;;
esac
