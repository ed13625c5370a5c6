/** Commands of the server, and what each of them answers. */
import { ExecuteCommandRequest } from 'vscode-languageclient';
import type { LanguageClient } from 'vscode-languageclient/node';

/** What every command answers; `problem` says why it is not `ok`. */
export interface Answer {
    ok: boolean;
    problem?: string;
    title?: string;
    markdown?: string;
    report?: string;
}

export async function ask<T extends object>(client: LanguageClient, command: string, ...given: unknown[]): Promise<T & Answer> {
    const request = { command: `torch-handbook.${command}`, arguments: given as never[] };
    const answer = (await client.sendRequest(ExecuteCommandRequest.type, request)) as (T & Answer) | null;
    return answer ?? ({ ok: false, problem: 'The server did not answer.' } as T & Answer);
}
