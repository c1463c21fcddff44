import type { FileRef } from './documents.ts';

/** Files whose change steers the editor, agents, version control, build pipelines or shells: a human has to say yes. */
const STEERING: readonly string[] = [
  // Editor
  '**/.vscode/**',
  '**/*.code-workspace',
  '**/.idea/**',
  '**/.devcontainer/**',
  '**/.devcontainer.json',
  // Version control and its hooks
  '**/.git/**',
  '**/.git',
  '**/.gitmodules',
  '**/.husky/**',
  '**/.githooks/**',
  '**/.pre-commit-config.yaml',
  '**/lefthook.{yml,yaml,toml,json}',
  // Build pipelines
  '**/.github/workflows/**',
  '**/.github/actions/**',
  '**/.gitlab-ci.yml',
  '**/.circleci/**',
  '**/.ci/**',
  '**/azure-pipelines*.yml',
  '**/Jenkinsfile',
  '**/.travis.yml',
  '**/.buildkite/**',
  // Instructions, hooks and tools of agents
  '**/AGENTS.md',
  '**/CLAUDE.md',
  '**/CLAUDE.local.md',
  '**/GEMINI.md',
  '**/.github/copilot-instructions.md',
  '**/.github/{instructions,prompts,agents,chatmodes,hooks,skills}/**',
  '**/{.claude,.cursor,.windsurf,.clinerules,.roo,.codex,.gemini,.continue,.aider,.agents,.opencode}/**',
  '**/{.cursorrules,.windsurfrules,.clinerules,.roorules,.aider.conf.yml}',
  '**/{.mcp.json,mcp.json}',
  // Shells and package managers
  '**/{.bashrc,.bash_profile,.bash_login,.profile,.zshrc,.zshenv,.zprofile,.envrc,.direnvrc}',
  '**/config.fish',
  '**/{.npmrc,.yarnrc,.yarnrc.yml,.pnpmfile.cjs,pip.conf,.pypirc}',
];

/** Files that hold secrets: reading them asks, too. */
const SECRETS: readonly string[] = [
  '**/.env',
  '**/.env.*',
  '**/*.{pem,key,p12,pfx,jks,keystore}',
  '**/{id_rsa,id_dsa,id_ecdsa,id_ed25519}',
  '**/.ssh/**',
  '**/{.netrc,.npmrc,.pypirc,.git-credentials}',
  '**/.aws/credentials',
  '**/.kube/config',
  '**/.docker/config.json',
];

/** Templates without secrets. */
const NO_SECRETS: readonly string[] = ['**/.env.{example,sample,template,dist,defaults}'];

/** What the engineer has added to, and taken from, the built-in list: globs. */
export interface Protection {
  readonly more: readonly string[];
  readonly less: readonly string[];
}

/** Whether a change of the file needs a human's yes. Globs are relative to its workspace folder; letter case does not count. */
export function isProtected(file: FileRef, { more, less }: Protection): boolean {
  return matchesAny(file, [...STEERING, ...SECRETS, ...more]) && !matchesAny(file, [...NO_SECRETS, ...less]);
}

/** Whether reading the file needs a human's yes. */
export function isSecret(file: FileRef, { less }: Protection): boolean {
  return matchesAny(file, SECRETS) && !matchesAny(file, [...NO_SECRETS, ...less]);
}

function matchesAny(file: FileRef, globs: readonly string[]): boolean {
  const paths = [file.path, placeOf(file)];
  return globs.some((glob) => paths.some((path) => toExpression(glob).test(path)));
}

/** The path with two folders more: the workspace folder may be `.vscode` itself, or `workflows` below `.github`. */
function placeOf({ key, path }: FileRef): string {
  const whole = key.replaceAll('\\', '/');
  const inFolder = [path, path.slice(path.indexOf('/') + 1)].find((one) => whole.endsWith(`/${one}`));
  return inFolder === undefined
    ? path
    : whole
        .split('/')
        .slice(-inFolder.split('/').length - 2)
        .join('/');
}

const expressions = new Map<string, RegExp>();

/** Globs with `**`, `*`, `?` and `{a,b}`; anything else stands for itself. */
function toExpression(glob: string): RegExp {
  let expression = expressions.get(glob);
  if (!expression) {
    let depth = 0;
    const source = glob.replaceAll(/\*\*\/|\*\*|\*|\?|[{},]|[\\^$.|+()[\]]/g, (token) => {
      switch (token) {
        case '**/':
          return '(?:.*/)?';
        case '**':
          return '.*';
        case '*':
          return '[^/]*';
        case '?':
          return '[^/]';
        case '{':
          depth += 1;
          return '(?:';
        case '}':
          return depth-- > 0 ? ')' : '\\}';
        case ',':
          return depth > 0 ? '|' : ',';
        default:
          return `\\${token}`;
      }
    });
    expression = new RegExp(`^${source}${')'.repeat(Math.max(0, depth))}$`, 'is');
    expressions.set(glob, expression);
  }
  return expression;
}
