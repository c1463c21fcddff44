import { type ChildProcess, spawnSync } from 'node:child_process';
import { once } from 'node:events';

/** Options under which a child heads a process group of its own, so that `killTree` reaches its children as well. */
export const ownGroup = { detached: process.platform !== 'win32' } as const;

/**
 * Kills a child started with {@link ownGroup} together with all its children, and waits until the child is gone.
 * Programs in its terminals have groups of their own; they end when their terminal does.
 */
export async function killTree(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const ended = once(child, 'exit');
  killTreeNow(child);
  await ended;
}

/** As `killTree`, without waiting: for the moment when this process ends itself. */
export function killTreeNow(child: ChildProcess): void {
  if (hasEnded(child) || child.pid === undefined) return;
  if (process.platform === 'win32') {
    spawnSync('taskkill', ['/pid', String(child.pid), '/T', '/F']);
  } else {
    killGroup(child.pid);
  }
}

function killGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // It has ended meanwhile.
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
