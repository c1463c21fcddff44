// Stands in for @vscode/spdlog in the downloaded VS Code. That package needs a compiler to install; without it VS Code
// writes no log files, and a failed run could not show what the extension host had to say.

'use strict';

const { appendFileSync, mkdirSync } = require('node:fs');
const { dirname } = require('node:path');

const levels = ['trace', 'debug', 'info', 'warning', 'error', 'critical', 'off'];

/** Writes each message at once: the last words before a crash are the ones that matter. */
class Logger {
  constructor(_type, _name, file) {
    this.file = file;
    this.level = 2;
    this.formatted = true;
  }

  write(level, message) {
    if (level < this.level) return;
    const text = this.formatted ? `${new Date().toISOString()} [${levels[level]}] ${message}\n` : message;
    appendFileSync(this.file, text);
  }

  trace(message) {
    this.write(0, message);
  }

  debug(message) {
    this.write(1, message);
  }

  info(message) {
    this.write(2, message);
  }

  warn(message) {
    this.write(3, message);
  }

  error(message) {
    this.write(4, message);
  }

  critical(message) {
    this.write(5, message);
  }

  getLevel() {
    return this.level;
  }

  setLevel(level) {
    this.level = level;
  }

  setPattern() {
    this.formatted = true;
  }

  clearFormatters() {
    this.formatted = false;
  }

  flush() {}

  drop() {}
}

async function createLogger(name, file) {
  mkdirSync(dirname(file), { recursive: true });
  return new Logger('rotating', name, file);
}

exports.version = 0;
exports.setLevel = () => {};
exports.setFlushOn = () => {};
exports.Logger = Logger;
exports.createRotatingLogger = createLogger;
exports.createAsyncRotatingLogger = createLogger;
