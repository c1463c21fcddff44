import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type Base, digest, effectiveDigest, isFresh, isSameBase, parseBase, printBase } from '../../src/core/base.ts';

const A = digest(Buffer.from('a'));
const B = digest(Buffer.from('b'));
const C = digest(Buffer.from('c'));

/** Whether a token is fresh for a state, both as agents see them. */
function fresh(given: string, now: string): boolean {
  const [base, state] = [parseBase(given), parseBase(now)];
  assert.ok(base && state, `${given} or ${now} is no token`);
  return isFresh(base, state);
}

describe('digest', () => {
  it('is what sha256sum prints for the raw bytes', () => {
    assert.equal(digest(new Uint8Array()), 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    assert.notEqual(digest(Buffer.from('a\n')), digest(Buffer.from('a\r\n')));
    assert.notEqual(digest(Buffer.from('a')), digest(Buffer.from('\uFEFFa')));
  });
});

describe('parseBase', () => {
  it('reads the four forms of a token', () => {
    assert.deepEqual(parseBase(`sha256:${A}`), { disk: A });
    assert.deepEqual(parseBase(`sha256:${A}+dirty:${B}`), { disk: A, dirty: B });
    assert.deepEqual(parseBase('absent'), { disk: 'absent' });
    assert.deepEqual(parseBase(`absent+dirty:${B}`), { disk: 'absent', dirty: B });
  });

  it('is undone by printBase', () => {
    const hex = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 12, maxLength: 64 });
    const base = fc.record(
      { disk: fc.oneof(hex, fc.constant('absent')), dirty: hex },
      { requiredKeys: ['disk'], noNullPrototype: true },
    );
    fc.assert(
      fc.property(base, (one: Base) => assert.deepEqual(parseBase(printBase(one)), one)),
      { seed: 1, numRuns: 100 },
    );
  });

  it('takes twelve or more leading digits, in any letter case', () => {
    assert.deepEqual(parseBase('sha256:0123456789ab'), { disk: '0123456789ab' });
    assert.deepEqual(parseBase('sha256:0123456789AB+dirty:BA9876543210f'), {
      disk: '0123456789ab',
      dirty: 'ba9876543210f',
    });
  });

  it('refuses everything else', () => {
    for (const token of [
      '',
      'SHA256:0123456789ab',
      'ABSENT',
      'sha256:',
      A,
      'sha256:0123456789a',
      `sha256:${A}0`,
      'sha256:0123456789xy',
      `sha256:${A} `,
      ` sha256:${A}`,
      `sha256:${A}\n`,
      `sha256:${A}+dirty:`,
      `sha256:${A}+dirty:0123456789a`,
      `sha256:${A}+dirty:absent`,
      `sha256:${A}+dirty:${B}+dirty:${C}`,
      `dirty:${A}`,
      'absent+dirty:absent',
      'absent:',
      `md5:${A}`,
    ]) {
      assert.equal(parseBase(token), undefined, JSON.stringify(token));
    }
  });
});

describe('isFresh', () => {
  it('holds for the same token', () => {
    for (const token of [`sha256:${A}`, `sha256:${A}+dirty:${B}`, 'absent', `absent+dirty:${B}`]) {
      assert.equal(fresh(token, token), true, token);
    }
  });

  it('holds where a dirty base was merely saved, also over a file that was gone', () => {
    assert.equal(fresh(`sha256:${A}+dirty:${B}`, `sha256:${B}`), true);
    assert.equal(fresh(`absent+dirty:${B}`, `sha256:${B}`), true);
  });

  it('does not hold where a clean base has become dirty, or the unsaved text was thrown away', () => {
    assert.equal(fresh(`sha256:${A}`, `sha256:${A}+dirty:${B}`), false);
    assert.equal(fresh(`sha256:${A}+dirty:${B}`, `sha256:${A}`), false);
    assert.equal(fresh(`sha256:${B}`, `sha256:${A}+dirty:${B}`), false);
    assert.equal(fresh(`sha256:${A}+dirty:${B}`, `sha256:${B}+dirty:${C}`), false);
  });

  it('does not hold where the disk has moved under the same unsaved text', () => {
    assert.equal(fresh(`sha256:${A}+dirty:${B}`, `sha256:${C}+dirty:${B}`), false);
    assert.equal(fresh(`sha256:${A}+dirty:${B}`, `absent+dirty:${B}`), false);
  });

  it('does not hold between a file that is there and one that is not', () => {
    assert.equal(fresh('absent', `sha256:${A}`), false);
    assert.equal(fresh(`sha256:${A}`, 'absent'), false);
    assert.equal(fresh('absent', `absent+dirty:${A}`), false);
    assert.equal(fresh(`absent+dirty:${A}`, 'absent'), false);
  });

  it('lets a given digest be abbreviated, and never the other way round', () => {
    const short = A.slice(0, 12);
    assert.equal(fresh(`sha256:${short}`, `sha256:${A}`), true);
    assert.equal(fresh(`sha256:${A}`, `sha256:${short}`), false);
    assert.equal(fresh(`sha256:${B.slice(0, 12)}+dirty:${short}`, `sha256:${A}`), true);
    assert.equal(fresh(`sha256:${short}+dirty:${B.slice(0, 20)}`, `sha256:${A}+dirty:${B}`), true);
    assert.equal(fresh(`sha256:${A.slice(0, 11)}${A[11] === '0' ? '1' : '0'}`, `sha256:${A}`), false);
  });
});

describe('isSameBase and effectiveDigest', () => {
  it('tell the same state, and the text that it holds', () => {
    assert.equal(isSameBase({ disk: A, dirty: B }, { disk: B }), false);
    assert.equal(isSameBase({ disk: A.slice(0, 15) }, { disk: A }), true);
    assert.equal(effectiveDigest({ disk: A, dirty: B }), B);
    assert.equal(effectiveDigest({ disk: A }), A);
    assert.equal(effectiveDigest({ disk: 'absent' }), 'absent');
    assert.equal(effectiveDigest({ disk: 'absent', dirty: B }), B);
  });
});
