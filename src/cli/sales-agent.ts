#!/usr/bin/env node

/** Commands that run until they are stopped. For the others, what the settings save in memory costs a third of their time. */
const SERVERS = ['serve', 'trusted-match']

// A static import would be loaded before these lines have run.
if (SERVERS.includes(process.argv[2] ?? '')) await import('./heap-growth.ts')
await import('./program.ts')
