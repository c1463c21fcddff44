/** @returns the value, or `undefined` for a text that is no JSON: what is stored can be torn or damaged. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) {
      return undefined;
    }
    throw error;
  }
}
