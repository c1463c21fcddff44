/** What must be undone when this process ends before it could do so in an orderly way. Synchronous by need. */
const pending = new Set<() => void>();

/**
 * Registers `undo` for the case that this process ends early: interrupted, terminated, or by an uncaught error.
 * @returns a function that takes the registration back, for the orderly end.
 */
export function atProcessEnd(undo: () => void): () => void {
  if (pending.size === 0) listen();
  pending.add(undo);
  return () => {
    pending.delete(undo);
  };
}

let listening = false;

function listen(): void {
  if (listening) return;
  listening = true;
  process.on('exit', undoAll);
  for (const [signal, number] of [
    ['SIGINT', 2],
    ['SIGTERM', 15],
    ['SIGHUP', 1],
  ] as const) {
    process.on(signal, () => process.exit(128 + number)); // `exit` handlers run; a plain signal would skip them.
  }
}

function undoAll(): void {
  for (const undo of pending) {
    try {
      undo();
    } catch (error) {
      console.error('Cleaning up failed:', error);
    }
  }
  pending.clear();
}
