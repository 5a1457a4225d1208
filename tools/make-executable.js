import { chmodSync } from 'node:fs'

// npx links these files once and makes them executable then; a later build writes them anew.
for (const file of ['sales-agent', 'adcp-sales-agent']) chmodSync(new URL(`../dist/cli/${file}.js`, import.meta.url), 0o755)
