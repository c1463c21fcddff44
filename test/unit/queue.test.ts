import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Queue } from '../../src/core/queue.ts';

/** Tasks that tell when they are entered and left, and that end when they are let go. */
class Tasks {
  readonly events: string[] = [];
  readonly #gates = new Map<string, () => void>();

  task(name: string): () => Promise<string> {
    const gate = new Promise<void>((resolve) => this.#gates.set(name, resolve));
    return async () => {
      this.events.push(`${name}: enter`);
      await gate;
      this.events.push(`${name}: exit`);
      return name;
    };
  }

  letGo(name: string): void {
    this.#gates.get(name)?.();
  }
}

/** Lets everything happen that can happen. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) {
    await null;
  }
}

describe('Queue', () => {
  it('runs the tasks of one key one after the other, in order of arrival', async () => {
    const queue = new Queue();
    const tasks = new Tasks();
    const done = ['a', 'b', 'c'].map((name) => queue.run('f', tasks.task(name)));
    tasks.letGo('c');
    tasks.letGo('b');
    await settle();
    assert.deepEqual(tasks.events, ['a: enter']);
    tasks.letGo('a');
    assert.deepEqual(await Promise.all(done), ['a', 'b', 'c']);
    assert.deepEqual(tasks.events, ['a: enter', 'a: exit', 'b: enter', 'b: exit', 'c: enter', 'c: exit']);
  });

  it('lets a task that arrives late wait for the one that runs, whoever was first', async () => {
    const queue = new Queue();
    const tasks = new Tasks();
    const done = [queue.run('f', tasks.task('a')), queue.run('f', tasks.task('b'))];
    tasks.letGo('a');
    await settle();
    done.push(queue.run('f', tasks.task('c')));
    await settle();
    assert.deepEqual(tasks.events, ['a: enter', 'a: exit', 'b: enter']);
    tasks.letGo('b');
    tasks.letGo('c');
    await Promise.all(done);
  });

  it('runs tasks of different keys side by side', async () => {
    const queue = new Queue();
    const tasks = new Tasks();
    const done = [queue.run('f', tasks.task('a')), queue.run('g', tasks.task('b'))];
    await settle();
    assert.deepEqual(tasks.events, ['a: enter', 'b: enter']);
    tasks.letGo('b');
    await settle();
    assert.deepEqual(tasks.events, ['a: enter', 'b: enter', 'b: exit']);
    tasks.letGo('a');
    await Promise.all(done);
  });

  it('lets a task of several keys wait for all of them, and holds all of them while it runs', async () => {
    const queue = new Queue();
    const tasks = new Tasks();
    const done = [
      queue.run('f', tasks.task('f')),
      queue.run('g', tasks.task('g')),
      queue.runAll(['f', 'g'], tasks.task('both')),
      queue.run('f', tasks.task('f2')),
      queue.run('g', tasks.task('g2')),
    ];
    tasks.letGo('f');
    await settle();
    assert.deepEqual(tasks.events, ['f: enter', 'g: enter', 'f: exit']);
    tasks.letGo('g');
    await settle();
    assert.deepEqual(tasks.events.slice(4), ['both: enter']);
    for (const name of ['both', 'f2', 'g2']) {
      tasks.letGo(name);
    }
    await Promise.all(done);
    assert.deepEqual(tasks.events.slice(5, 6), ['both: exit']);
  });

  it('never lets tasks that share keys wait for each other, in whatever order they name them', async () => {
    const queue = new Queue();
    const tasks = new Tasks();
    const done = [
      queue.runAll(['f', 'g'], tasks.task('a')),
      queue.runAll(['g', 'f'], tasks.task('b')),
      queue.runAll(['h', 'g'], tasks.task('c')),
      queue.runAll(['f', 'h'], tasks.task('d')),
    ];
    for (const name of ['d', 'c', 'b', 'a']) {
      tasks.letGo(name);
    }
    assert.deepEqual(await Promise.all(done), ['a', 'b', 'c', 'd']);
    assert.deepEqual(
      tasks.events,
      ['a', 'b', 'c', 'd'].flatMap((name) => [`${name}: enter`, `${name}: exit`]),
    );
  });

  it('runs every task, whatever keys they share: one at a time per key, in order of arrival', async () => {
    const keys = fc.array(fc.constantFrom(...'abcde'), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(keys, fc.nat(4)), { maxLength: 30 }), async (tasks) => {
        const queue = new Queue();
        const holders = new Map<string, number>();
        const order = new Map<string, number[]>();
        const run = async ([wanted, turns]: (typeof tasks)[number], number: number) => {
          for (const key of new Set(wanted)) {
            assert.equal(holders.get(key), undefined, `${key} is held twice`);
            holders.set(key, number);
            order.set(key, [...(order.get(key) ?? []), number]);
          }
          for (let turn = 0; turn < turns; turn += 1) {
            await null;
          }
          for (const key of wanted) {
            holders.delete(key);
          }
        };
        await Promise.all(tasks.map((task, number) => queue.runAll(task[0], () => run(task, number))));
        for (const [key, numbers] of order) {
          const arrived = [...tasks.keys()].filter((number) => tasks[number]?.[0].includes(key));
          assert.deepEqual(numbers, arrived, key);
        }
      }),
      { seed: 61, numRuns: 200 },
    );
  });

  it('does not let a task that names a key twice wait for itself', async () => {
    const queue = new Queue();
    const tasks = new Tasks();
    tasks.letGo('a');
    const done = queue.runAll(['f', 'f'], async () => 'done');
    const later = queue.run('f', async () => 'later');
    assert.deepEqual(await Promise.all([done, later]), ['done', 'later']);
  });

  it('goes on after a task that fails, and passes the failure to its caller alone', async () => {
    const queue = new Queue();
    const failed = queue.run('f', async () => {
      throw new Error('broken');
    });
    const next = queue.run('f', async () => 'next');
    await assert.rejects(failed, /broken/);
    assert.equal(await next, 'next');
    const thrown = queue.run('f', () => {
      throw new Error('at once');
    });
    await assert.rejects(thrown, /at once/);
    assert.equal(await queue.run('f', async () => 'last'), 'last');
  });

  it('takes the place in the line when it is called, not when it is awaited', async () => {
    const queue = new Queue();
    const order: number[] = [];
    const run = (number: number) =>
      queue.run('f', async () => {
        order.push(number);
      });
    const first = run(1);
    const second = run(2);
    await second;
    await first;
    assert.deepEqual(order, [1, 2]);
  });
});
