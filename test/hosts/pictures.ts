import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { screenshotsFolder } from './paths.ts';
import type { Workbench } from './workbench.ts';

/** Takes numbered pictures of one workbench into `out/screenshots/NAME`, which starts empty. */
export class Pictures {
  readonly paths: string[] = [];
  readonly #folder: string;
  #count = 0;
  #workbench: Workbench | undefined;
  #last: Promise<void> = Promise.resolve();

  constructor(name: string) {
    this.#folder = join(screenshotsFolder, name);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  of(workbench: Workbench): void {
    this.#workbench = workbench;
  }

  /** Takes a picture soon: at once, or when the one before is ready. */
  take(): void {
    const workbench = this.#workbench;
    if (workbench === undefined) return;
    const path = join(this.#folder, `${++this.#count}.png`);
    this.#last = this.#last
      .then(() => workbench.screenshot(path))
      .then(
        () => void this.paths.push(path),
        (error) => console.error(`No picture could be taken: ${error}`), // It must not hide the failure it was to show.
      );
  }

  /** Waits for the pictures under way; `paths` is complete then. */
  async finish(): Promise<void> {
    await this.#last;
  }
}
