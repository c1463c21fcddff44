import * as vscode from 'vscode';

/** How marked lines look, by who wrote them and how long ago. All colours are theme colours. */
export class MarkStyles implements vscode.Disposable {
  readonly #types = new Map<string, vscode.TextEditorDecorationType>();
  readonly #extension: vscode.Uri;

  constructor(extension: vscode.Uri) {
    this.#extension = extension;
  }

  of(who: 'edited' | 'hooked', freshness: 'strong' | 'faint' | 'settled'): vscode.TextEditorDecorationType {
    const key = `${who} ${freshness}`;
    const type = this.#types.get(key) ?? this.#create(who, freshness);
    this.#types.set(key, type);
    return type;
  }

  dispose(): void {
    for (const type of this.#types.values()) {
      type.dispose();
    }
  }

  #create(who: 'edited' | 'hooked', freshness: 'strong' | 'faint' | 'settled'): vscode.TextEditorDecorationType {
    const icon = (theme: 'light' | 'dark') => ({
      gutterIconPath: vscode.Uri.joinPath(this.#extension, 'media', 'gutter', `${who}-${theme}.svg`),
    });
    const background = {
      strong: `editArbiter.${who}Background`,
      faint: `editArbiter.${who}FaintBackground`,
      settled: undefined,
    }[freshness];
    return vscode.window.createTextEditorDecorationType({
      isWholeLine: true,
      rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
      gutterIconSize: 'contain',
      light: icon('light'),
      dark: icon('dark'),
      overviewRulerColor: new vscode.ThemeColor(`editArbiter.${who}Ruler`),
      overviewRulerLane: vscode.OverviewRulerLane.Center,
      ...(background === undefined ? {} : { backgroundColor: new vscode.ThemeColor(background) }),
    });
  }
}
