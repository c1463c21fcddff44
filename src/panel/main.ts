// The script of the conflict panel's page.

import { say } from './host.ts';
import { Panel } from './panel.ts';
import { parseToPanel } from './protocol.ts';

const panel = new Panel(document.body);

window.addEventListener('message', ({ data }) => {
  const message = parseToPanel(data);
  if (message) {
    panel.hear(message);
  }
});
// The view was given the keyboard, and nothing in it has it yet.
window.addEventListener('focus', () => {
  if (document.activeElement === document.body) {
    panel.takeKeyboard();
  }
});
say({ type: 'ready' });
