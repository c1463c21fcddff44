import assert from 'node:assert/strict';
import { SessionNames } from '../../src/core/sessionNames.ts';

describe('SessionNames', () => {
  it('count sessions in the order of their appearance, and leave the unknown unnumbered', () => {
    const names = new SessionNames();
    assert.deepEqual(
      ['x', undefined, 'y', 'x'].map((id) => names.nameOf(id)),
      ['session 1', 'session unknown', 'session 2', 'session 1'],
    );
  });
});
