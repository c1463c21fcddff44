/** User settings of VS Code, as in settings.json. */
export type Settings = Readonly<Record<string, unknown>>;

/**
 * The settings every run rests on. VS Code's defaults differ between desktop and browser (auto save, for one), and some
 * of them look for updates, ask questions or open tabs, which would change what a test or a picture sees.
 */
export const pinnedSettings: Settings = {
  'files.autoSave': 'off',
  'files.hotExit': 'off',
  '[ini]': { 'files.trimTrailingWhitespace': true }, // For tests of save participants; to switch one on wakes the watcher.
  'files.watcherExclude': { '**/unwatched/**': true }, // For tests of files that the editor never reloads.
  'editor.formatOnSave': false,
  'editor.unusualLineTerminators': 'off', // Else the editor asks to take them out, and tests answer with yes.
  'editor.inlineSuggest.enabled': false,
  'security.workspace.trust.startupPrompt': 'never',
  'security.workspace.trust.banner': 'never',
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.enableExperiments': false,
  'workbench.quickOpen.closeOnFocusLost': false,
  'workbench.settings.enableNaturalLanguageSearch': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.reduceMotion': 'on', // What moves is drawn sixty times a second, by the processor.
  'editor.cursorBlinking': 'solid',
  'window.autoDetectColorScheme': true,
  'terminal.integrated.gpuAcceleration': 'off', // So that the page holds the terminal's text.
  'telemetry.telemetryLevel': 'off',
  'telemetry.feedback.enabled': false,
  'update.mode': 'none',
  'update.showReleaseNotes': false,
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true,
  'git.openRepositoryInParentFolders': 'never',
  'git.autofetch': false,
  'npm.fetchOnlinePackageInfo': false,
  'json.schemaDownload.enable': false,
  'typescript.disableAutomaticTypeAcquisition': true,
};
