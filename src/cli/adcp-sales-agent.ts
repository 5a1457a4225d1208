#!/usr/bin/env node

// What `npx adcp-sales-agent` runs: without words it starts the demo, with words it is `sales-agent`.
if (process.argv.length === 2) process.argv.push('serve', '--demo')
await import('./sales-agent.ts')
