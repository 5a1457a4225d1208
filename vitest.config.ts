import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

/** Where the rules and libraries are that need no server: what runs while one writes. */
const UNIT = [
  'architecture.test.ts',
  'ad-serving/',
  'features/content-standards/',
  'features/creatives/',
  'domain/',
  'security/signing/',
  'pipeline/credential-scan.test.ts',
  'tools/',
]
/** What opens stores or boots the server, starts processes, or loads every contract or the official SDK there: a few files that take as long as all others together. */
const WITH_STORES = [
  'backends',
  'count-stream',
  'manual/manual-backend',
  'embedded/choose-capped',
  'embedded/event-spool',
  'embedded/capped-order',
  'reported-counts',
]
const WITH_PROCESSES = ['child', 'clock', 'hung-workers']
const WITH_CONTRACTS = ['drawn-tools', 'own-storyboards', 'contracts/add-release', 'contracts/archive-release']
/** What imports every case of a hostile buyer, and with it the whole server. */
const WITH_CASES = ['hostile-order']
const ELSEWHERE = [
  ...WITH_STORES.map((name) => `ad-serving/${name}.test.ts`),
  'security/signing/key-rotation.test.ts',
  ...[...WITH_PROCESSES, ...WITH_CONTRACTS, ...WITH_CASES].map((name) => `tools/${name}.test.ts`),
]
const unitFiles = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts') && UNIT.some((start) => file.startsWith(start)) && !ELSEWHERE.includes(file))
  .map((file) => join('test', file))

/** Slow by nature: child processes, kill -9, whole corpora. */
const E2E = ['test/e2e/**/*.test.ts']
const POSTGRES = ['test/postgres/**/*.test.ts']
/** What `npm run test:extended` runs: foreign clients, matrices, other Node lines, faults. */
const EXTENDED = ['test/extended/**/*.test.ts']

// No test asserts how fast anything is; the limits only end what hangs, on a machine that is several times slower than usual as well.
const common = {
  setupFiles: ['test/support/running-file.ts'],
  ...{ testTimeout: 120_000, hookTimeout: 120_000, expect: { poll: { timeout: 60_000 } } },
}
// Modules keep no mutable state (test/architecture.test.ts), so files of a worker can share them.
const shared = { ...common, setupFiles: [...common.setupFiles, 'test/support/property-seed.ts'], isolate: false }

export default defineConfig({
  test: {
    // One more than vitest would take: its main thread has little to do once the files are transformed, and most tests wait for a server.
    maxWorkers: '100%',
    projects: [
      { test: { ...shared, name: 'unit', include: unitFiles } },
      {
        test: {
          ...shared,
          name: 'agent',
          include: ['test/**/*.test.ts'],
          exclude: [...unitFiles, ...E2E, ...POSTGRES, ...EXTENDED],
        },
      },
      { test: { ...common, name: 'e2e', include: E2E, testTimeout: 240_000, hookTimeout: 240_000 } },
      { test: { ...common, name: 'extended', include: EXTENDED, testTimeout: 300_000, hookTimeout: 300_000 } },
      { test: { ...common, name: 'postgres', include: POSTGRES, testTimeout: 240_000, hookTimeout: 240_000 } },
    ],
  },
})
