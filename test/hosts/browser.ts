import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Where Chromium is looked for, in this order, when CHROMIUM_EXECUTABLE does not say. */
const candidates = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
];

/** A browser under test reaches nothing but the page it is given. */
const quiet = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-domain-reliability',
  '--disable-sync',
  '--no-first-run',
  '--no-pings',
];

/** Starts a Chromium without a window. */
export function launchChromium(): Promise<Browser> {
  const isRoot = process.getuid?.() === 0;
  return chromium.launch({
    executablePath: findChromium(),
    args: [...quiet, '--disable-gpu', ...(isRoot ? ['--no-sandbox'] : [])], // Chromium refuses its sandbox to root.
  });
}

/**
 * The executable of a Chromium on this machine.
 * @throws an error that says what to install when there is none.
 */
export function findChromium(): string {
  const { CHROMIUM_EXECUTABLE: chosen } = process.env;
  if (chosen !== undefined) {
    if (existsSync(chosen)) return chosen;
    throw new Error(`CHROMIUM_EXECUTABLE names ${chosen}, but there is no such file. Correct it or unset it.`);
  }
  const found = [...candidates, chromium.executablePath()].find((path) => existsSync(path));
  if (found !== undefined) return found;
  throw new Error(
    'No Chromium was found; the tests need one to show VS Code in.\n' +
      'Debian, Ubuntu: sudo apt-get install chromium. Anywhere: npx playwright-core install chromium. ' +
      'Or set CHROMIUM_EXECUTABLE to the program of a Chromium, Chrome or Edge.',
  );
}
