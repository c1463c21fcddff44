/** One line of a drawn diff. */
export interface DiffLine {
  readonly kind: 'hunk' | 'same' | 'added' | 'removed' | 'note';
  readonly text: string;
  /** 1-based: in the new text, for a removed line in the old one. */
  readonly number?: number;
}

/** Takes a unified diff without a file header apart, for showing. */
export function diffLines(diff: string): DiffLine[] {
  const lines: DiffLine[] = [];
  let oldLine = 0;
  let newLine = 0;
  for (const line of diff.replace(/\n$/, '').split('\n')) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,(\d+))? @@/.exec(line);
    if (hunk) {
      oldLine = Number(hunk[1]);
      newLine = Number(hunk[2]);
      lines.push({ kind: 'hunk', text: hunkWords(newLine, Number(hunk[3] ?? 1)) });
    } else if (line.startsWith('+')) {
      lines.push({ kind: 'added', text: line.slice(1), number: newLine++ });
    } else if (line.startsWith('-')) {
      lines.push({ kind: 'removed', text: line.slice(1), number: oldLine++ });
    } else if (line.startsWith(' ') || line === '') {
      lines.push({ kind: 'same', text: line.slice(1), number: newLine++ });
      oldLine++;
    } else {
      lines.push({ kind: 'note', text: line.replace(/^\\ /, '') });
    }
  }
  return lines;
}

function hunkWords(start: number, count: number): string {
  return count > 1 ? `lines ${start}–${start + count - 1}` : `line ${start}`;
}
