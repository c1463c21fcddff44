# Runs before every call of a tool in the chat: `warn` or `deny`, and the call on stdin as one line of JSON.
# Nothing is used but the shell itself and `cat`. Whatever it does not understand, it lets pass.
LC_ALL=C
call=$(cat)
case $call in
*'"tool_name":"'*) ;;
*) exit 0 ;;
esac
# Quotes inside of values are escaped, and the chat names the tool before it tells the tool's input.
tool=${call#*'"tool_name":"'}
tool=${tool%%'"'*}

case $tool in
create_file | replace_string_in_file | multi_replace_string_in_file | insert_edit_into_file | apply_patch) ;;
arbiter_*) call="{\"tool_name\":\"$tool\"}" ;; # Says that the chat really runs this; nothing more.
*) exit 0 ;;
esac
if [ -n "$EDIT_ARBITER_GUARD" ]; then
  umask 077
  printf '%s\n' "$call" >"$EDIT_ARBITER_GUARD/$$.json" 2>/dev/null
fi
case $tool in
arbiter_*) exit 0 ;;
esac

say() {
  printf '{"hookSpecificOutput":{"hookEventName":"PreToolUse",%s}}\n' "$1"
}
how='Read it with arbiter_read, and send the edit to arbiter_edit with the base that came with it; base \"absent\" creates a file.'
case $1 in
deny)
  say "\"permissionDecision\":\"deny\",\"permissionDecisionReason\":\"$tool is denied in this workspace, and nothing was written: files are edited with arbiter_edit here, which refuses an edit that was planned on a version that has moved. $how\""
  ;;
warn)
  say "\"additionalContext\":\"$tool writes without looking whether the file is still what you have read. Use arbiter_edit for the next edit. $how\""
  ;;
esac
