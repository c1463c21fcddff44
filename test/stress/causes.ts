import type { Happening } from './shadow.ts';

/** Who moves a file, as far as `changed_by` tells them apart. */
export type Mover =
  | 'edit'
  | 'post-write hook'
  | 'save participant of an edit'
  | 'save participant of the engineer'
  | 'typed'
  | 'undo'
  | 'not typed'
  | 'program'
  | 'generator'
  | 'rename';

/** The command that the generator is said to be. */
export const GENERATOR = 'make schemas';
/** The name of the configured hook. */
export const HOOK = 'tidy';

const WORDS: readonly (readonly [RegExp, readonly Mover[]])[] = [
  [/^edit #\d+ \((this session|another session|session unknown), turn \d+\)$/, ['edit']],
  [/^post-write hook: format on save$/, ['save participant of an edit']],
  [new RegExp(`^post-write hook: ${HOOK}$`), ['post-write hook']],
  [/^engineer: typed in the editor \(\d+ edits?, (un)?saved\)$/, ['typed', 'undo']],
  [/^engineer: (undo|redo) of edit #\d+$/, ['undo']],
  [/^engineer: format on save$/, ['save participant of the engineer']],
  [/^code generator: .+ \((task|terminal)\)$/, ['generator']],
  [/^changed in the editor, not typed$/, ['not typed']],
  [/^(external writer( \(while .+ ran\))?|deleted on disk)$/, ['program']],
  [/^renamed to .+$/, ['rename']],
];

/** Whom a cause can mean. @returns nothing for a gap, which means nobody, and for words that are not known. */
export function moversNamed(cause: string): readonly Mover[] {
  return WORDS.find(([pattern]) => pattern.test(cause))?.[1] ?? [];
}

/** The number of the edit that a cause names. */
export function editNamed(cause: string): number | undefined {
  const found = /^(?:edit #|engineer: (?:undo|redo) of edit #)(\d+)/.exec(cause);
  return found?.[1] === undefined ? undefined : Number(found[1]);
}

/** As whom somebody who did something to a file may be named; nothing where it moves no file. */
export function moversOf(happening: Happening, path: string, files: Happening['files']): readonly Mover[] {
  const file = files.find((each) => each.path === path);
  const movers = moversAlone(happening, path, files);
  const isOnDisk = file !== undefined && file.before.disk !== file.after.disk;
  return isOnDisk && happening.beside === 'hooks' ? [...movers, 'post-write hook'] : movers;
}

function moversAlone({ by, what, call, beside }: Happening, path: string, files: Happening['files']): readonly Mover[] {
  switch (by) {
    case 'arbiter':
      // A buffer that the editor calls unsaved stays behind at the old place; and what was taken back has no number to be named by.
      return [
        'edit',
        ...(call?.numbers.length === 0 ? ['not typed' as const] : []),
        ...(what === 'renames' ? ['rename' as const] : []),
        ...(['renames', 'deletes'].includes(what) && files[0]?.before.isDirty ? ['not typed' as const] : []),
      ];
    case 'hook':
      return ['post-write hook'];
    case 'save participant':
      // Of a save that failed, nobody says that there was one.
      return [
        ...(call !== undefined || beside === 'an apply' ? ['save participant of an edit' as const] : []),
        ...(call === undefined || beside === 'an apply' ? ['save participant of the engineer' as const] : []),
        'not typed',
      ];
    case 'engineer':
      switch (what) {
        case 'types':
          return ['typed'];
        case 'undoes':
        case 'redoes':
          return ['undo', 'typed'];
        case 'reverts':
        case 'closes':
          return ['not typed'];
        case 'renames':
          // At the new place, nothing that the editor tells explains the file.
          return files[0]?.path === path ? ['rename'] : ['program', 'not typed', 'typed'];
        case 'saves':
          // What was typed before is on disk by it; and where our own part was in it, nobody can tell.
          return beside === 'an apply' ? ['typed', 'not typed'] : ['typed'];
        default:
          return [];
      }
    case 'extension':
      return beside === 'an apply' ? ['not typed', 'save participant of an edit'] : ['not typed'];
    case 'program':
      return [
        what === 'generates' ? 'generator' : 'program',
        ...(beside === 'hooks' ? ['post-write hook' as const] : []),
      ];
    case 'editor':
      return [];
    default:
      return by satisfies never;
  }
}
