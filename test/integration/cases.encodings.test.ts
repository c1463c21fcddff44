import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { baseOf, edit, only, read, replace } from './support/agent.ts';
import { bytesOf, fresh, pathOf, sha256, textOf } from './support/disk.ts';
import { documentOf, engineer, isOpen } from './support/engineer.ts';
import { withSettings } from './support/settings.ts';

const REPLACEMENT = Buffer.from([0xef, 0xbf, 0xbd]);

/** Bytes from hex digits, blanks between them. */
function bytes(hex: string): Buffer {
  return Buffer.from(hex.replaceAll(' ', ''), 'hex');
}

describe('Known failures of encodings', function () {
  this.timeout(60_000);

  describe('One odd byte far away destroys nothing: what is not valid in the encoding is refused', () => {
    const price = Buffer.from('prix: 9 \x80\nqty = 1\n', 'latin1');
    for (const [what, content, offset] of [
      ['a byte of Windows-1252', price, 8],
      ['a lone continuation byte', bytes('80 71 0a'), 0],
      ['a lead byte before a letter', bytes('71 c3 28 0a'), 1],
      ['a character in too many bytes', bytes('71 0a c0 af 0a'), 2],
      ['a surrogate', bytes('71 ed a0 80 0a'), 1],
      ['a code point beyond the last one', bytes('71 f4 90 80 80 0a'), 1],
      ['a character cut off by the end', bytes('71 0a e2 82'), 2],
      ['a byte that stands nowhere in UTF-8', bytes('71 0a ff'), 2],
      ['a byte after 200 kB', Buffer.concat([Buffer.from('q\n'.repeat(100_000)), bytes('e9 0a')]), 200_000],
      ['a byte after a BOM', bytes('ef bb bf 71 e9 0a'), 4],
      ['half of a pair in UTF-16', bytes('ff fe 71 00 3d d8 0a 00'), 4],
      ['an odd number of bytes in UTF-16', bytes('fe ff 00 71 00'), 4],
    ] as const) {
      it(what, async () => {
        const path = fresh(content, 'prix.txt');
        const [part] = await read(path);
        assert.deepEqual([part?.header.status, part?.header['offset']], ['undecodable', offset], JSON.stringify(part));
        assert.match(String(part?.header.next), /files\.encoding/);
        const result = await replace(path, sha256(content), 'q', 'Q');
        assert.deepEqual([result.status, result['offset']], ['undecodable', offset], JSON.stringify(result));
        assert.match(String(result.next), /files\.encoding/);
        const whole = only(await edit({ files: [{ path, base: sha256(content), content: 'q\n' }] }));
        assert.equal(whole.status, 'undecodable', JSON.stringify(whole));
        assert.deepEqual(bytesOf(path), content);
        assert.equal(isOpen(path), false);
      });
    }

    it('also in a file that the engineer sees, with replacement characters', async () => {
      const path = fresh(price, 'prix.txt');
      await engineer.opens(path);
      const result = await replace(path, sha256(price), 'qty = 1', 'qty = 2');
      assert.equal(result.status, 'undecodable', JSON.stringify(result));
      assert.deepEqual(bytesOf(path), price);
      assert.equal(documentOf(path).isDirty, false);
    });

    it('but not replacement characters that the file really holds', async () => {
      const path = fresh('was \uFFFD\nqty = 1\n');
      const result = await replace(path, await baseOf(path), 'qty = 1', 'qty = 2');
      assert.equal(result.status, 'applied', JSON.stringify(result));
      assert.equal(textOf(path), 'was \uFFFD\nqty = 2\n');
    });
  });

  describe('One byte changes in a file whose encoding is set, and no other', () => {
    for (const [encoding, hex, character, lacking] of [
      ['windows1252', '80', '€', '数'],
      ['iso88591', 'e9', 'é', '€'],
      ['iso885915', 'a4', '€', '数'],
      ['windows1251', 'e6', 'ж', '数'],
      ['koi8r', 'd6', 'ж', '€'],
      ['macroman', '8e', 'é', '数'],
      ['cp437', '82', 'é', '€'],
      ['windows1256', 'c7', 'ا', '数'],
      // The second byte of the next ones is a backslash, or a letter, in ASCII.
      ['shiftjis', '95 5c', '表', '가'],
      ['big5hkscs', 'a5 5c', '功', '가'],
      ['eucjp', 'c9 bd', '表', '가'],
      ['gbk', 'bc db', '价', '가'],
      ['gb18030', '95 30 85 32', '🙂', undefined],
      ['euckr', 'b0 a1', '가', '🙂'],
    ] as const) {
      it(encoding, async () => {
        const around = (quantity: string) =>
          Buffer.concat([Buffer.from('prix: 9 '), bytes(hex), Buffer.from(`\nqty = ${quantity}\n`)]);
        const path = fresh(around('1'), 'prix.txt');
        await withSettings('files', { encoding }, async () => {
          const [part] = await read(path);
          assert.equal(part?.content, `prix: 9 ${character}\nqty = 1\n`);
          assert.deepEqual([part.header.encoding, part.header.base], [encoding, sha256(around('1'))]);
          const result = await replace(path, String(part.header.base), 'qty = 1', 'qty = 2');
          assert.equal(result.status, 'applied', JSON.stringify(result));
          assert.deepEqual(bytesOf(path), around('2'));
          assert.equal(result.base, sha256(around('2')));
          const same = await replace(path, String(result.base), 'qty = 2', `qty = ${character}`);
          assert.equal(same.status, 'applied', JSON.stringify(same));
          const written = Buffer.concat([around('').subarray(0, -1), bytes(hex), Buffer.from('\n')]);
          assert.deepEqual(bytesOf(path), written);
          if (lacking !== undefined) {
            const refused = await replace(path, String(same.base), 'qty', lacking);
            assert.equal(refused.status, 'unencodable', JSON.stringify(refused));
            assert.match(String(refused.reason), /U\+[0-9A-F]{4}/);
            assert.deepEqual(bytesOf(path), written);
            assert.equal(documentOf(path).isDirty, false);
          }
        });
      });
    }

    it('nor is one added, where the setting asks for a BOM that the file does not have', async () => {
      for (const [encoding, content] of [
        ['utf8bom', Buffer.from('mode=on\nlvl=1\n')],
        ['utf16le', Buffer.from('mode=on\nlvl=1\n', 'utf16le')],
        ['utf16be', Buffer.from('mode=on\nlvl=1\n', 'utf16le').swap16()],
      ] as const) {
        const path = fresh(content);
        await withSettings('files', { encoding }, async () => {
          const result = await replace(path, await baseOf(path), 'lvl=1', 'lvl=2');
          const expected = encoding === 'utf16be' ? Buffer.from(content) : content;
          if (result.status === 'applied') {
            assert.deepEqual(bytesOf(path), Buffer.from(expected.toString('latin1').replace('1', '2'), 'latin1'));
          } else {
            assert.equal(result.status, 'undecodable', JSON.stringify(result));
            assert.match(String(result.reason), /would change bytes nobody asked for/);
            assert.deepEqual(bytesOf(path), content);
            assert.equal(
              vscode.workspace.textDocuments.some(({ uri, isDirty }) => uri.fsPath === pathOf(path) && isDirty),
              false,
            );
          }
          assert.equal(bytesOf(path).includes(REPLACEMENT), false);
        });
      }
    });
  });

  describe('The first line of a file with a BOM can be edited, and the BOM stays one', () => {
    const text = 'mode=on\nlvl=1\n';
    const encoded = {
      utf8: (content: string) => Buffer.from(`\uFEFF${content}`),
      utf16le: (content: string) => Buffer.from(`\uFEFF${content}`, 'utf16le'),
      utf16be: (content: string) => Buffer.from(`\uFEFF${content}`, 'utf16le').swap16(),
    } as const;
    for (const [encoding, encode] of Object.entries(encoded)) {
      it(`${encoding}, line after line`, async () => {
        const path = fresh(encode(text), 'mode.cfg');
        const [part] = await read(path);
        assert.equal(part?.content, text);
        assert.deepEqual([part.header['bom'], part.header.encoding], [true, encoding]);
        assert.equal(part.header.base, sha256(encode(text)));
        const first = await replace(path, String(part.header.base), 'mode=on', 'mode=off');
        assert.equal(first.status, 'applied', JSON.stringify(first));
        assert.deepEqual(bytesOf(path), encode('mode=off\nlvl=1\n'));
        assert.equal(first.base, sha256(encode('mode=off\nlvl=1\n')));
        const second = await replace(path, String(first.base), 'lvl=1', 'lvl=2');
        assert.equal(second.status, 'applied', JSON.stringify(second));
        assert.deepEqual(bytesOf(path), encode('mode=off\nlvl=2\n'));
      });

      it(`${encoding}, by patch, by whole text, and emptied`, async () => {
        const path = fresh(encode(text), 'mode.cfg');
        let base = await baseOf(path);
        for (const [wish, content] of [
          [{ patch: '@@ -1,2 +1,2 @@\n-mode=on\n+mode=off\n lvl=1\n' }, 'mode=off\nlvl=1\n'],
          [{ content: 'lvl=3\n' }, 'lvl=3\n'],
          [{ content: '' }, ''],
          [{ content: 'grün\n' }, 'grün\n'],
        ] as const) {
          const result = only(await edit({ files: [{ path, base, ...wish }] }));
          assert.equal(result.status, 'applied', JSON.stringify(result));
          assert.deepEqual(bytesOf(path), encode(content));
          base = String(result.base);
          assert.equal(base, sha256(encode(content)));
        }
      });
    }

    it('beside unsaved text, whose base counts the BOM', async () => {
      const path = fresh(encoded.utf8(text), 'mode.cfg');
      await engineer.types(path, '#', { line: 0, character: 0 });
      const [part] = await read(path);
      assert.equal(part?.content, `#${text}`);
      const dirty = sha256(encoded.utf8(`#${text}`)).slice('sha256:'.length);
      assert.equal(part.header.base, `${sha256(encoded.utf8(text))}+dirty:${dirty}`);
      assert.equal((await replace(path, String(part.header.base), '#mode=on', '#mode=off')).status, 'applied');
      await engineer.saves(path);
      assert.deepEqual(bytesOf(path), encoded.utf8('#mode=off\nlvl=1\n'));
    });

    it('and a second one, which the editor would not show, is neither lost nor doubled', async () => {
      for (const [encode, offset] of [
        [encoded.utf8, 3],
        [encoded.utf16le, 2],
      ] as const) {
        const content = encode(`\uFEFF${text}`);
        const path = fresh(content, 'mode.cfg');
        const [part] = await read(path);
        assert.equal(part?.content, `\uFEFF${text}`);
        const result = await replace(path, String(part.header.base), 'lvl=1', 'lvl=2');
        assert.deepEqual([result.status, result['offset']], ['undecodable', offset], JSON.stringify(result));
        assert.deepEqual(bytesOf(path), content);
        assert.equal(isOpen(path), false);
      }
    });

    it('and one that an edit would bring in is refused, since it would stand for the encoding', async () => {
      for (const content of [Buffer.from(text), encoded.utf8(text), encoded.utf16le(text)]) {
        const path = fresh(content, 'mode.cfg');
        const base = await baseOf(path);
        for (const wish of [
          { edits: [{ old_string: 'mode=on', new_string: '\uFEFFmode=on' }] },
          { content: '\uFEFFmode=off\n' },
          { patch: '@@ -1,1 +1,1 @@\n-mode=on\n+\uFEFFmode=on\n' },
        ]) {
          const result = only(await edit({ files: [{ path, base, ...wish }] }));
          assert.equal(result.status, 'unencodable', JSON.stringify(result));
          assert.deepEqual(bytesOf(path), content);
        }
        const inside = await replace(path, base, 'on', 'o\uFEFFn');
        assert.equal(inside.status, 'applied', JSON.stringify(inside));
        const next = await replace(path, String(inside.base), 'lvl=1', 'lvl=2');
        assert.equal(next.status, 'applied', JSON.stringify(next));
        assert.match((await read(path))[0]?.content ?? '', /^mode=o\uFEFFn\nlvl=2\n$/);
      }
    });

    it('and a file can be created with one', async () => {
      const path = fresh('x\n').replace('file.txt', 'new.csv');
      const created = only(await edit({ files: [{ path, base: 'absent', content: `\uFEFF${text}` }] }));
      assert.equal(created.status, 'applied', JSON.stringify(created));
      assert.deepEqual(bytesOf(path), encoded.utf8(text));
      const next = await replace(path, await baseOf(path), 'mode=on', 'mode=off');
      assert.equal(next.status, 'applied', JSON.stringify(next));
      assert.deepEqual(bytesOf(path), encoded.utf8('mode=off\nlvl=1\n'));
    });
  });
});
