import { closeSync, fstatSync, openSync, readSync, watch, writeFileSync } from 'node:fs';

/**
 * Creates the file at `path` and passes on what is appended to it, as it comes.
 * @returns a function that passes on the rest and stops.
 */
export function follow(path: string, onText: (text: string) => void): () => void {
  writeFileSync(path, '');
  const file = openSync(path, 'r');
  let offset = 0;
  const decoder = new TextDecoder();
  const readOn = () => {
    const rest = Buffer.alloc(fstatSync(file).size - offset);
    if (rest.length === 0) return;
    offset += readSync(file, rest, 0, rest.length, offset);
    onText(decoder.decode(rest, { stream: true }));
  };
  const watcher = watch(path, readOn);
  return () => {
    watcher.close();
    readOn();
    closeSync(file);
  };
}
