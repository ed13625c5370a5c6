/** Links to pages, which the server writes in a scheme of ours: they open in the handbook's own view. */
import { CustomDocument, Disposable, Uri, WebviewPanel, window, workspace } from 'vscode';

const SCHEME = 'torch-handbook';
const LINK = 'torchHandbook.link'; // the type of editor that the manifest names for this scheme

/** The name of the page that a link leads to. */
function nameOf(uri: Uri): string {
    return uri.path.slice(1);
}

/** Shows pages that links lead to. The editor that VS Code opens for the link gives way to the view beside the code. */
function shown(show: (name: string) => void): Disposable {
    return window.registerCustomEditorProvider(LINK, {
        openCustomDocument: (uri: Uri): CustomDocument => ({ uri, dispose: () => undefined }),
        resolveCustomEditor: (document: CustomDocument, panel: WebviewPanel) => {
            setImmediate(() => {
                panel.dispose();
                show(nameOf(document.uri));
            });
        },
    });
}

/** Follows links: `show` opens a page, `text` is its Markdown, for where VS Code peeks at what is behind a link. */
export function follow(show: (name: string) => void, text: (name: string) => Promise<string>): Disposable {
    const provider = { provideTextDocumentContent: (uri: Uri) => text(nameOf(uri)) };
    return Disposable.from(shown(show), workspace.registerTextDocumentContentProvider(SCHEME, provider));
}
