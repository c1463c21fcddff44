import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** What the program has seen of its own writes. */
export interface Written {
  readonly writes: number;
  /** Writes that were gone without a write of its own, and still were a second later. */
  readonly lost: number;
}

/**
 * Runs in a process of its own: counts up in the first line of a file, always in the same number of characters, in place, after
 * pauses of up to two seconds, most of them far shorter; and looks each time whether what it wrote last is still there.
 */
const PROGRAM = `
const fs = require('node:fs');
const [path] = process.argv.slice(1);
const line = (count) => 'count ' + String(count).padStart(9, '0');
let count = 0, lost = 0, missing = 0, isOver = false;
process.on('message', () => { isOver = true; });
const step = () => {
  const text = fs.readFileSync(path, 'utf8');
  process.send({ writes: count, lost });
  // A file that is being written is looked at again.
  if (/^count \\d{9}\\n[^]*end\\n$/.test(text)) {
    if (count > 0 && !text.startsWith(line(count) + '\\n')) {
      missing += 1;
      if (missing < 20) return setTimeout(step, 50);
      lost += 1;
    }
    missing = 0;
    if (isOver) return process.send({ writes: count, lost }, () => process.disconnect());
    count += 1;
    const descriptor = fs.openSync(path, 'r+');
    fs.writeSync(descriptor, line(count), 0);
    fs.closeSync(descriptor);
  }
  setTimeout(step, Math.random() ** 3 * 2000);
};
step();
`;

/** A program that writes a file all the time. */
export class Writer {
  readonly #process: ChildProcess;
  #written: Written = { writes: 0, lost: 0 };

  /** @param path a file whose first line is `count 000000000`, and whose last one is `end`. */
  constructor(path: string) {
    // The editor's own Node, as a plain one.
    this.#process = spawn(process.execPath, ['-e', PROGRAM, path], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
    });
    this.#process.on('message', (written) => {
      this.#written = written as Written;
    });
  }

  /** So far. */
  get written(): Written {
    return this.#written;
  }

  /** Lets it look once more, and stops it. */
  async stop(): Promise<Written> {
    this.#process.send('over');
    await once(this.#process, 'disconnect');
    return this.#written;
  }
}
