/** A language whose grammar is shipped. */
export type Language = 'python' | 'typescript' | 'tsx' | 'javascript' | 'go' | 'java' | 'rust';

const EXTENSIONS: Readonly<Record<string, Language>> = {
  py: 'python',
  pyi: 'python',
  pyw: 'python',
  ts: 'typescript',
  mts: 'typescript',
  cts: 'typescript',
  tsx: 'tsx',
  js: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  jsx: 'javascript',
  go: 'go',
  java: 'java',
  rs: 'rust',
};

/** The language of a file by its name, where its grammar is shipped. */
export function languageOf(path: string): Language | undefined {
  const extension = /\.([^./\\]+)$/.exec(path)?.[1]?.toLowerCase();
  return extension !== undefined && Object.hasOwn(EXTENSIONS, extension) ? EXTENSIONS[extension] : undefined;
}

/** The queries that tell the declarations of a language: files of `queries/`, without their ending. */
export function queriesOf(language: Language): readonly string[] {
  switch (language) {
    case 'javascript':
      return ['ecmascript', 'javascript'];
    case 'typescript':
    case 'tsx':
      return ['ecmascript', 'typescript'];
    default:
      return [language];
  }
}

/** What the editor calls the language of a file, for settings. */
export function languageIdOf(path: string): string | undefined {
  const language = languageOf(path);
  switch (language) {
    case 'tsx':
      return 'typescriptreact';
    case 'javascript':
      return path.toLowerCase().endsWith('x') ? 'javascriptreact' : language;
    default:
      return language;
  }
}
