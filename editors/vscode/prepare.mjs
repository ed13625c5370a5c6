// Gathers what is packaged besides the code: the repository's pictures, and the README without the links to them.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';

const PICTURES = '../pictures';

mkdirSync('dist', { recursive: true });
cpSync(PICTURES, 'dist/pictures', { recursive: true, filter: (path) => !path.endsWith('.svg') });
// VS Code shows no pictures of a README but those on the web; the walkthrough shows them instead.
const readme = readFileSync('README.md', 'utf8').split('\n');
writeFileSync('dist/README.md', readme.filter((line) => !line.includes(PICTURES)).join('\n'));
