# As guard.sh, for Windows.
param([string]$mode)
$reader = New-Object System.IO.StreamReader([Console]::OpenStandardInput(), (New-Object System.Text.UTF8Encoding $false))
$call = $reader.ReadToEnd()
if ($call -notmatch '"tool_name":"([^"]*)"') { exit 0 }
$tool = $Matches[1]
$ours = $tool -like 'arbiter_*'
$edits = 'create_file', 'replace_string_in_file', 'multi_replace_string_in_file', 'insert_edit_into_file', 'apply_patch'
if (-not $ours -and $edits -notcontains $tool) { exit 0 }
if ($env:EDIT_ARBITER_GUARD) {
  $report = if ($ours) { "{`"tool_name`":`"$tool`"}" } else { $call.Trim() }
  try { [System.IO.File]::WriteAllText((Join-Path $env:EDIT_ARBITER_GUARD "$PID.json"), "$report`n") } catch { }
}
if ($ours) { exit 0 }
$how = 'Read it with arbiter_read, and send the edit to arbiter_edit with the base that came with it; base \"absent\" creates a file.'
$said = switch ($mode) {
  'deny' { "`"permissionDecision`":`"deny`",`"permissionDecisionReason`":`"$tool is denied in this workspace, and nothing was written: files are edited with arbiter_edit here, which refuses an edit that was planned on a version that has moved. $how`"" }
  'warn' { "`"additionalContext`":`"$tool writes without looking whether the file is still what you have read. Use arbiter_edit for the next edit. $how`"" }
}
if ($said) { "{`"hookSpecificOutput`":{`"hookEventName`":`"PreToolUse`",$said}}" }
