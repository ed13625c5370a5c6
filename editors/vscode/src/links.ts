/** The server's links to pages, which are files for any editor: here they open in the handbook's own view. */
import { CustomDocument, Diagnostic, Disposable, DocumentLink, Uri, WebviewPanel, window } from 'vscode';
import type { Middleware } from 'vscode-languageclient';

const SCHEME = 'torch-handbook';
const LINK = 'torchHandbook.link'; // the type of editor that the manifest names for this scheme

/** A link that shows a page by its name. What stands in a hover or in the list of problems may lead to an editor, not to a
 *  command. */
function leadingTo(name: string): Uri {
    return Uri.from({ scheme: SCHEME, path: `/${name}` });
}

/** Sends the link on a finding's id to the page of its rule. */
function redirected(finding: Diagnostic): Diagnostic {
    if (typeof finding.code === 'object' && finding.code.target.scheme === 'file') {
        finding.code = { value: finding.code.value, target: leadingTo(String(finding.code.value)) };
    }
    return finding;
}

export const middleware: Middleware = {
    handleDiagnostics: (uri, findings, next) => next(uri, findings.map(redirected)),
    provideDocumentLinks: async (document, token, next) => {
        const links = (await next(document, token)) ?? [];
        return links.map((link) => {
            const shown = new DocumentLink(link.range, leadingTo(document.getText(link.range)));
            return Object.assign(shown, { tooltip: link.tooltip });
        });
    },
};

/** Shows pages that links lead to. The editor that VS Code opens for the link gives way to the view beside the code. */
export function follow(show: (name: string) => void): Disposable {
    return window.registerCustomEditorProvider(LINK, {
        openCustomDocument: (uri: Uri): CustomDocument => ({ uri, dispose: () => undefined }),
        resolveCustomEditor: (document: CustomDocument, panel: WebviewPanel) => {
            setImmediate(() => {
                panel.dispose();
                show(document.uri.path.slice(1));
            });
        },
    });
}
