import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Store } from '../../store/database.ts'
import { pendingMigrations } from '../../store/database.ts'

export type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>

export interface HealthParts {
  readonly store: Store
  readonly requireSchemas: () => void
  /** Whether calls may come although the store is away: ads are decided from memory, and their events go to a spool that has room. */
  readonly servesWithout?: () => Promise<boolean>
}

/** `/livez` answers while the process runs; `/readyz` names each thing that must work before calls may come. */
export function healthRoutes(app: HealthParts): {
  livez: Handler
  readyz: Handler
} {
  return {
    async livez(_request, response) {
      reply(response, 200, { status: 'ok' })
    },
    async readyz(_request, response) {
      const storage = await works(() => app.store.ping())
      const checks = {
        storage,
        // Not asked of a store that does not answer: it would not answer this either, and more slowly.
        migrations: storage === 'failed' ? storage : await works(() => requireMigrated(app.store)),
        schemas: await works(async () => app.requireSchemas()),
      }
      const isWell = Object.values(checks).every((check) => check === 'ok')
      const ready = isWell || (storage === 'failed' && checks.schemas === 'ok' && (await app.servesWithout?.()) === true)
      reply(response, ready ? 200 : 503, { status: isWell ? 'ok' : ready ? 'degraded' : 'unavailable', checks })
    },
  }
}

async function requireMigrated({ read }: Store): Promise<void> {
  const pending = await pendingMigrations(read)
  if (pending.length > 0) throw new Error(`pending: ${pending.join(', ')}`)
}

async function works(check: () => Promise<void>): Promise<'ok' | 'failed'> {
  try {
    await check()
    return 'ok'
  } catch {
    return 'failed'
  }
}

function reply(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' })
  response.end(JSON.stringify(body))
}
