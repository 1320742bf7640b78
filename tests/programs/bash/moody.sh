# @tool What the rules for hosts ask of a tool.
# @option fail boolean To fail.
# @stdin
if [[ ${ARG_fail-} == true ]]; then
  echo "it was told to fail" >&2
  exit 1
fi
echo '{"so": "far"}' >&3
echo done
