import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { isInvalid, MAX_FILES, parseCheckCall, parseEditCall, parseReadCall } from '../../src/core/input.ts';
import { COMMANDS, CONTEXTS, EXTENSION, SECTION, SETTINGS, TOOLS, VIEWS, WALKTHROUGH } from '../../src/names.ts';

interface Schema {
  readonly type: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly items?: Schema;
  readonly enum?: readonly string[];
  readonly minItems?: number;
  readonly maxItems?: number;
}

interface Tool {
  readonly name: string;
  readonly toolReferenceName: string;
  readonly canBeReferencedInPrompt: boolean;
  readonly modelDescription: string;
  readonly userDescription: string;
  readonly displayName: string;
  readonly inputSchema: Schema;
}

interface MenuItem {
  readonly command: string;
  readonly when?: string;
}

interface Setting {
  readonly description?: string;
  readonly markdownDescription?: string;
  readonly enum?: readonly string[];
  readonly enumDescriptions?: readonly string[];
}

interface Walkthrough {
  readonly id: string;
  readonly steps: readonly { readonly description: string; readonly media: { readonly markdown: string } }[];
}

interface ChatFile {
  readonly path: string;
  readonly when?: string;
}

interface Manifest {
  readonly name: string;
  readonly publisher: string;
  readonly engines: { readonly vscode: string };
  readonly scripts: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly contributes: {
    readonly languageModelTools: readonly Tool[];
    readonly commands: readonly { readonly command: string; readonly title: string; readonly category: string }[];
    readonly views: Readonly<Record<string, readonly { readonly id: string }[]>>;
    readonly viewsContainers: { readonly panel: readonly { readonly id: string }[] };
    readonly menus: Readonly<Record<string, readonly MenuItem[]>>;
    readonly configuration: readonly {
      readonly title: string;
      readonly properties: Readonly<Record<string, Setting>>;
    }[];
    readonly colors: readonly { readonly id: string; readonly defaults: Readonly<Record<string, string>> }[];
    readonly walkthroughs: readonly Walkthrough[];
    readonly chatAgents: readonly ChatFile[];
    readonly chatInstructions: readonly ChatFile[];
    readonly chatPromptFiles: readonly ChatFile[];
    readonly chatSkills: readonly ChatFile[];
  };
}

const manifest: Manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
const { contributes } = manifest;

function textOf(path: string): string {
  return readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
}

function assertSame(one: readonly string[], other: readonly string[]): void {
  assert.deepEqual([...one].sort(), [...other].sort());
}

describe('The manifest', () => {
  it('declares the tools that are registered, each under one name', () => {
    assertSame(
      contributes.languageModelTools.map(({ name }) => name),
      Object.values(TOOLS),
    );
    for (const tool of contributes.languageModelTools) {
      assert.equal(tool.toolReferenceName, tool.name);
      assert.equal(tool.canBeReferencedInPrompt, true);
      assert.ok(tool.modelDescription && tool.userDescription && tool.displayName);
    }
  });

  it('declares the commands that are registered, all in one category', () => {
    assertSame(
      contributes.commands.map(({ command }) => command),
      Object.values(COMMANDS),
    );
    for (const { title, category } of contributes.commands) {
      assert.equal(category, 'Edit Arbiter', title);
    }
  });

  it('declares the views that are registered, in containers that exist', () => {
    assertSame(
      Object.values(contributes.views).flatMap((views) => views.map(({ id }) => id)),
      Object.values(VIEWS),
    );
    assertSame(
      Object.keys(contributes.views),
      contributes.viewsContainers.panel.map(({ id }) => id),
    );
  });

  it('declares the settings that are read, in sections, each with a description', () => {
    assertSame(
      contributes.configuration.flatMap(({ properties }) => Object.keys(properties)),
      Object.values(SETTINGS).map((name) => `${SECTION}.${name}`),
    );
    for (const { title, properties } of contributes.configuration) {
      assert.match(title, /^Edit Arbiter: /);
      for (const [name, setting] of Object.entries(properties)) {
        assert.ok(setting.description ?? setting.markdownDescription, name);
        assert.equal(setting.enum?.length, setting.enumDescriptions?.length, name);
      }
    }
  });

  it('gives every colour a value for each kind of theme', () => {
    for (const { id, defaults } of contributes.colors) {
      assert.match(id, /^editArbiter\./);
      assertSame(Object.keys(defaults), ['dark', 'light', 'highContrast', 'highContrastLight']);
    }
  });

  it('walks people through with commands and pages that there are', () => {
    assert.equal(EXTENSION, `${manifest.publisher}.${manifest.name}`);
    assertSame(
      contributes.walkthroughs.map(({ id }) => id),
      [WALKTHROUGH],
    );
    for (const { description, media } of contributes.walkthroughs.flatMap(({ steps }) => steps)) {
      assert.ok(existsSync(new URL(`../../${media.markdown}`, import.meta.url)), media.markdown);
      for (const [, command = ''] of description.matchAll(/\(command:([\w.]+)/g)) {
        const isOurs = command.startsWith('editArbiter.');
        assert.equal(isOurs, Object.values<string>(COMMANDS).includes(command), command);
      }
    }
  });

  it('contributes to the chat only files that there are, under conditions that are settings of ours', () => {
    const { chatAgents, chatInstructions, chatPromptFiles, chatSkills } = contributes;
    for (const { path, when } of [chatAgents, chatInstructions, chatPromptFiles, chatSkills].flat()) {
      assert.match(textOf(path), /^---\nname: .+\ndescription: .+\n/, path);
      const [, setting] = /^config\.editArbiter\.(\w+)$/.exec(when ?? '') ?? [];
      assert.ok(when === undefined || Object.values<string>(SETTINGS).includes(setting ?? ''), when);
    }
  });

  it('gives its agents all tools of ours, by their whole names, and none that edits or reads files beside them', () => {
    const { chatAgents, chatPromptFiles } = contributes;
    for (const { path } of [...chatAgents, ...chatPromptFiles]) {
      const tools = [...textOf(path).matchAll(/^ {2}- (.*)$/gm)].map(([, tool = '']) => tool);
      const isOurs = (tool: string) => tool.startsWith(`${EXTENSION}/`);
      assertSame(
        tools.filter(isOurs),
        Object.values(TOOLS).map((tool) => `${EXTENSION}/${tool}`),
      );
      for (const tool of tools.filter((one) => !isOurs(one))) {
        assert.match(tool, /^(?:search|execute)\/\w+$|^read\/problems$/, path);
      }
    }
  });

  it('names in its menus only commands, views and context keys that there are', () => {
    const known: readonly string[] = [...Object.values(VIEWS), ...Object.values(CONTEXTS)];
    const items = Object.values(contributes.menus).flat();
    assert.ok(items.length > 0);
    for (const { command, when = '' } of items) {
      assert.ok(Object.values<string>(COMMANDS).includes(command), command);
      for (const [name] of when.matchAll(/\beditArbiter\.[\w.]+/g)) {
        assert.ok(known.includes(name), `${name} in ${JSON.stringify(when)}`);
      }
    }
    const clauses = items.map(({ when }) => when).join(' ');
    for (const key of Object.values(CONTEXTS)) {
      assert.ok(clauses.includes(key), `${key} is set and never used`);
    }
  });

  it('is compiled against the oldest editor that it allows', () => {
    const minor = (version: string | undefined) => /^\^?(\d+\.\d+)\./.exec(version ?? '')?.[1];
    assert.ok(minor(manifest.engines.vscode));
    assert.equal(minor(manifest.devDependencies['@types/vscode']), minor(manifest.engines.vscode));
    assert.match(manifest.devDependencies['@types/vscode'] ?? '', /^\d/, 'the types are pinned');
  });
});

describe('F5', () => {
  it('starts with a task that there is, of a script that there is', () => {
    const { scripts } = manifest;
    const { tasks } = JSON.parse(textOf('.vscode/tasks.json')) as { tasks: { label: string; script: string }[] };
    const { configurations } = JSON.parse(textOf('.vscode/launch.json')) as {
      configurations: { preLaunchTask?: string }[];
    };
    assert.ok(tasks.every(({ script }) => scripts[script] !== undefined));
    const needed = configurations.flatMap(({ preLaunchTask }) => preLaunchTask ?? []);
    assert.deepEqual(needed, ['build']);
    assert.ok(tasks.some(({ label }) => label === 'build'));
  });
});

/** The keys that an input parser says are allowed, when it is given one that is not. */
function allowedKeys(
  parsed: ReturnType<typeof parseReadCall | typeof parseEditCall | typeof parseCheckCall>,
): string[] {
  assert.ok(parsed);
  const [first] = 'entries' in parsed ? parsed.entries : [];
  const problem = 'status' in parsed ? parsed : first && isInvalid(first) ? first.problem : undefined;
  const list = /unknown key `unheard_of`; allowed are (.*)$/.exec(problem?.reason ?? '')?.[1];
  assert.ok(list, JSON.stringify(parsed));
  return list.split(', ').map((key) => key.replaceAll('`', ''));
}

function schemaOf(name: string): Schema {
  const tool = contributes.languageModelTools.find((one) => one.name === name);
  assert.ok(tool, name);
  return tool.inputSchema;
}

function property(schema: Schema, name: string): Schema {
  const found = schema.properties?.[name];
  assert.ok(found, name);
  return found;
}

describe('The input schemas', () => {
  const parsers = { [TOOLS.read]: parseReadCall, [TOOLS.edit]: parseEditCall, [TOOLS.check]: parseCheckCall };

  for (const [name, parse] of Object.entries(parsers)) {
    it(`of ${name} allow the keys that its parser allows, in the call and in an entry`, () => {
      const call = schemaOf(name);
      const entry = property(call, 'files').items;
      assert.ok(entry);
      assertSame(Object.keys(call.properties ?? {}), allowedKeys(parse({ files: [{}], unheard_of: 1 })));
      assertSame(Object.keys(entry.properties ?? {}), allowedKeys(parse({ files: [{ unheard_of: 1 }] })));
      assert.deepEqual([call.additionalProperties, entry.additionalProperties], [false, false]);
    });

    it(`of ${name} bound the files as its parser does`, () => {
      const { minItems, maxItems } = property(schemaOf(name), 'files');
      assert.deepEqual([minItems, maxItems], [1, MAX_FILES]);
    });

    it(`of ${name} require what its parser requires`, () => {
      const whole: Record<string, unknown> = { path: 'f', base: 'absent', content: 'x' };
      const required = property(schemaOf(name), 'files').items?.required ?? [];
      const allowed = Object.keys(property(schemaOf(name), 'files').items?.properties ?? {});
      const entry = Object.fromEntries(Object.entries(whole).filter(([key]) => allowed.includes(key)));
      const isRefused = (fields: object) => {
        const parsed = parse({ files: [fields] });
        assert.ok(parsed && 'entries' in parsed);
        return parsed.entries.some(isInvalid);
      };
      assert.equal(isRefused(entry), false);
      for (const key of ['path', 'base'].filter((one) => allowed.includes(one))) {
        const { [key]: _, ...without } = entry;
        assert.equal(isRefused(without), required.includes(key), key);
      }
    });
  }

  it('require files, except where all held bases are meant', () => {
    assert.deepEqual(
      Object.values(TOOLS).map((name) => schemaOf(name).required ?? []),
      [['files'], ['files'], []],
    );
  });

  it('allow in an edit the keys that the parser allows', () => {
    const edit = property(property(schemaOf(TOOLS.edit), 'files').items ?? { type: '' }, 'edits').items;
    assert.ok(edit);
    const probe = { files: [{ path: 'f', base: 'absent', edits: [{ unheard_of: 1 }] }] };
    assertSame(Object.keys(edit.properties ?? {}), allowedKeys(parseEditCall(probe)));
    assert.equal(edit.additionalProperties, false);
    assertSame(edit.required ?? [], ['old_string', 'new_string']);
  });

  it('offer the modes that the parser takes, and no other', () => {
    const modes = property(schemaOf(TOOLS.edit), 'on_conflict').enum ?? [];
    assertSame(modes, ['continue', 'stop', 'atomic']);
    for (const on_conflict of modes) {
      assert.equal('entries' in parseEditCall({ files: [{}], on_conflict }), true, on_conflict);
    }
  });
});
