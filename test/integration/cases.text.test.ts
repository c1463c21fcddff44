import assert from 'node:assert/strict';
import { baseOf, edit, only, type Result, replace } from './support/agent.ts';
import { bytesOf, fresh, sha256, textOf } from './support/disk.ts';
import { documentOf, engineer, isOpen } from './support/engineer.ts';

/** Texts that some tool or other would not take as they are. */
const SPECIAL = {
  'patterns of a replacement': [
    ...['$$9', '$1 $& fee', '$`', "$'", '$<name>', '$0', '$$$$', '\\1', '\\0', '\\g<1>', '&', '~'],
    ...[
      '%s %1$s %%',
      '{0} {{x}}',
      '\x24{TM_FILENAME}',
      '$TM_SELECTED_TEXT',
      '\x24{1:x}',
      '$(date)',
      '`date`',
      '#{x}',
      '<%= x %>',
    ],
  ],
  'entities and escapes': [
    ...['Fish &amp; chips &lt;3 &#39;', '&nbsp;&quot;&#x41;&copy', 'a%20b+c', '<![CDATA[x]]>', '<br>', '=?utf-8?Q?a?='],
    ...[
      'a\\n\\0b',
      '\\t\\r\\n',
      '\\u0041\\x41\\101',
      '\\\\',
      '\\\\n',
      '\\"',
      "\\'",
      '\\N{BULLET}',
      '\\',
      '"',
      "'",
      '/*',
      '*/',
    ],
  ],
  'characters that are not seen': [
    ...Array.from({ length: 0x20 }, (_, code) => String.fromCharCode(code)).filter((one) => !'\0\n\r'.includes(one)),
    ...['\x7f', '\x80', '\x85', '\xa0', '\xad', '\u034f', '\u061c', '\u180e', '\u200b', '\u200d', '\u200e', '\u202e'],
    ...[
      '\u2028',
      '\u2029',
      '\u2060',
      '\u2066',
      '\u3000',
      '\ue000',
      '\ufeff',
      '\ufff9',
      '\uffff',
      '\u{e0001}',
      '\u{f0000}',
    ],
  ],
  'characters that can be written in more than one way': [
    ...[
      'é',
      'e\u0301',
      '\u212b',
      'Å',
      'ﬁ',
      'fi',
      'Ⅸ',
      'ＡＢ',
      '①',
      '가',
      '\u1100\u1161',
      '½',
      '\u037e',
      'İ',
      'ı',
      'ß',
      'ẞ',
      'ς',
    ],
    ...['‘hi’', '“hi”', '«hi»', '–', '—', '‐', '−', '…', '🙂', '👩‍👩‍👧', '🇩🇪', '𝒜'],
  ],
} as const;

/** A file with one line for each text, and what stands in its place until it is written. */
function filled(texts: readonly string[]): { readonly before: string; readonly after: string } {
  const lines = (of: (text: string, index: number) => string) =>
    texts.map((text, index) => `k${index}: ${of(text, index)};\n`).join('');
  return { before: lines((_, index) => `TBD${index}.`), after: lines((text) => text) };
}

describe('Known failures of new text', function () {
  this.timeout(60_000);

  for (const [kind, texts] of Object.entries(SPECIAL)) {
    describe(`New text lands as it was sent: ${kind}`, () => {
      const { before, after } = filled(texts);
      const edits = texts.map((text, index) => ({ old_string: `TBD${index}.`, new_string: text }));
      const hunk = (one: string, other: string) =>
        `@@ -1,${texts.length} +1,${texts.length} @@\n${[
          ...one
            .split('\n')
            .slice(0, -1)
            .map((line) => `-${line}\n`),
          ...other
            .split('\n')
            .slice(0, -1)
            .map((line) => `+${line}\n`),
        ].join('')}`;
      const lands = (result: Result, path: string) => {
        assert.equal(result.status, 'applied', JSON.stringify(result));
        assert.equal(textOf(path), after);
        assert.deepEqual([result.base, result.hooks], [sha256(after), undefined]);
      };

      for (const [what, wish] of [
        ['in edits', { edits }],
        ['in edits of all places', { edits: edits.map((one) => ({ ...one, replace_all: true })) }],
        ['in a patch', { patch: hunk(before, after) }],
        ['in a whole text', { content: after }],
      ] as const) {
        it(what, async () => {
          const path = fresh(before, 'fee.txt');
          lands(only(await edit({ files: [{ path, base: await baseOf(path), ...wish }] })), path);
        });
      }

      it('in a new file', async () => {
        const path = fresh('x\n').replace('file.txt', 'new.txt');
        lands(only(await edit({ files: [{ path, base: 'absent', content: after }] })), path);
      });

      it('in the active editor, where an engineer takes it back and brings it again', async () => {
        const path = fresh(before, 'fee.txt');
        await engineer.opens(path);
        lands(only(await edit({ files: [{ path, base: await baseOf(path), edits }] })), path);
        assert.equal(documentOf(path).getText(), after);
        await engineer.undoes(path);
        assert.equal(documentOf(path).getText(), before);
        await engineer.redoes(path);
        assert.equal(documentOf(path).getText(), after);
      });

      it('and is found again, as it was sent', async () => {
        const path = fresh(after, 'fee.txt');
        const back = texts.map((text, index) => ({
          old_string: `k${index}: ${text};`,
          new_string: `k${index}: TBD${index}.;`,
        }));
        const result = only(await edit({ files: [{ path, base: await baseOf(path), edits: back }] }));
        assert.equal(result.status, 'applied', JSON.stringify(result));
        assert.equal(textOf(path), before);
      });
    });
  }

  it('A dollar sign after the other, edit after edit', async () => {
    const path = fresh('fee: TBD;\n', 'fee.txt');
    const first = await replace(path, await baseOf(path), 'TBD', '$$9');
    assert.equal(textOf(path), 'fee: $$9;\n');
    const second = await replace(path, String(first.base), 'fee', '$1 $& fee');
    assert.equal(second.status, 'applied', JSON.stringify(second));
    assert.equal(textOf(path), '$1 $& fee: $$9;\n');
  });

  it('A NUL lands where the file stays text, and is refused where it would become binary', async () => {
    const source = 'char *s = "x";\n';
    const path = fresh(source, 'e.c');
    const base = await baseOf(path);
    for (const wish of [
      { edits: [{ old_string: '"x"', new_string: '"a\0b"' }] },
      { content: 'a\0b\n' },
      { patch: '@@ -1,1 +1,1 @@\n-char *s = "x";\n+char *s = "\0";\n' },
    ]) {
      const result = only(await edit({ files: [{ path, base, ...wish }] }));
      assert.equal(result.status, 'binary', JSON.stringify(result));
      assert.match(String(result.next), /escape sequence/);
      assert.equal(textOf(path), source);
      assert.equal(isOpen(path), false);
    }
    const long = fresh(`${'//\n'.repeat(200)}${source}`, 'long.c');
    const landed = await replace(long, await baseOf(long), '"x"', '"a\0b"');
    assert.equal(landed.status, 'applied', JSON.stringify(landed));
    assert.equal(textOf(long), `${'//\n'.repeat(200)}char *s = "a\0b";\n`);
    assert.equal(landed.base, sha256(bytesOf(long)));
  });

  describe('What was encoded is not found decoded, nor the other way round, and the answer says what differs', () => {
    for (const [there, sought, differs] of [
      ['Fish &amp; chips &lt;3 &#39;', "Fish & chips <3 '", /HTML entities/],
      ['Fish & chips', 'Fish &amp; chips', /HTML entities/],
      ['a\\nb', 'a\nb', /backslashes|line breaks/],
      ['say "hi"', 'say \\"hi\\"', /backslashes/],
      ['é', 'e\u0301', /Unicode normalisation/],
      ['ＡＢ', 'AB', /Unicode compatibility forms/],
      ['a\u00a0b', 'a b', /kinds of blanks.*U\+00A0/],
      ['a\u200bb', 'ab', /invisible characters.*U\+200B/],
      ['Straße', 'straße', /letter case/],
    ] as const) {
      it(`${JSON.stringify(there)}, sought as ${JSON.stringify(sought)}`, async () => {
        const content = `<p>${there}</p>\n`;
        const path = fresh(content, 'p.html');
        const result = await replace(path, await baseOf(path), `<p>${sought}</p>`, 'x');
        assert.equal(result.status, 'not_found', JSON.stringify(result));
        const nearest = result['nearest'] as { line: number; text: string; differs: string[] };
        assert.equal(nearest.line, 1);
        assert.match(nearest.differs.join(', '), differs);
        assert.equal(textOf(path), content);
      });
    }
  });

  describe('Characters that look alike are not the same: one becomes the other, and is not found any more', () => {
    for (const [what, one, other, named] of [
      ['straight and curly quotes', "'hi'", '‘hi’', /quotes \(‘ U\+2018 there, ' U\+0027 in old_string\)/],
      ['curly and straight quotes', '“hi”', '"hi"', /quotes \(" U\+0022 there, “ U\+201C in old_string\)/],
      ['an apostrophe and a prime', "5'", '5′', /U\+2032/],
      ['a hyphen and a dash', 'a-b', 'a–b', /dashes \(– U\+2013 there, - U\+002D in old_string\)/],
      ['a hyphen and a minus sign', 'a-b', 'a−b', /dashes \(− U\+2212/],
      ['a blank and a non-breaking one', 'a b', 'a\u00a0b', /U\+00A0 there/],
      ['three dots and an ellipsis', 'a...', 'a…', undefined],
      ['one character and two', 'é', 'e\u0301', /Unicode normalisation/],
      ['a letter and its wide form', 'A1', 'Ａ１', /U\+FF21/],
      ['a letter and its ligature', 'fix', 'ﬁx', undefined],
      ['Latin and Cyrillic', 'cat', 'сat', undefined],
      ['upper and lower case', 'Cat', 'cat', /letter case/],
      ['nothing and an invisible character', 'ab', 'a\u200bb', /U\+200B/],
    ] as const) {
      it(what, async () => {
        const path = fresh(`say ${one}\n`, 's.txt');
        const result = await replace(path, await baseOf(path), one, other);
        assert.equal(result.status, 'applied', JSON.stringify(result));
        assert.deepEqual(bytesOf(path), Buffer.from(`say ${other}\n`));
        const again = await replace(path, String(result.base), one, 'x');
        assert.equal(again.status, 'not_found', JSON.stringify(again));
        const nearest = again['nearest'] as { differs: string[] } | undefined;
        if (named !== undefined) {
          assert.match(String(nearest?.differs.join(', ')), named);
        }
        assert.equal(textOf(path), `say ${other}\n`);
      });
    }
  });
});
