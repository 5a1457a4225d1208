import { chmodSync } from 'node:fs'

// npx links this file once and makes it executable then; a later build writes it anew.
chmodSync(new URL('../dist/cli/sales-agent.js', import.meta.url), 0o755)
