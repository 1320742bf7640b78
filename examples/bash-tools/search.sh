#!/usr/bin/env bash
# @tool Search the files of the configured folder for a text; each line that has it is told as it is found.
# @param text string What to look for, as it is; no pattern.
# @option most integer Lines to be told at most: 100, unless it is said.
set -euo pipefail

cd -- "${CONFIG_folder:?is not configured}"
found=0
while IFS= read -r line; do
  echo "$line" >&3 # a part
  found=$((found + 1))
  ((found < ${ARG_most:-100})) || break
done < <(grep -rnIF -e "$ARG_text" . || true)
echo "$found lines"
