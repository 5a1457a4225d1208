#!/usr/bin/env node

/** Commands that run until they are stopped. For the others, what the settings save in memory costs a third of their time. */
const SERVERS = ['serve', 'trusted-match']

const command = process.argv[2] ?? ''
// Static imports would be loaded before these lines have run.
if (SERVERS.includes(command) || command === 'doctor') await requireDependencies()
if (SERVERS.includes(command)) await import('./heap-growth.ts')
try {
  await import('./program.ts')
} catch (error) {
  if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') await requireDependencies()
  throw error
}

/** Ends the process where a library is missing, which calls would stumble over one by one; one of another version is told. */
async function requireDependencies(): Promise<void> {
  const { dependencyFaults, describeFaults } = await import('./installed-dependencies.ts')
  const faults = dependencyFaults()
  if (faults.length === 0) return
  const isMissing = faults.some(({ installed }) => installed === undefined)
  console.error(`${isMissing ? 'error' : 'warning'}: ${describeFaults(faults)}`)
  if (isMissing) process.exit(1)
}
