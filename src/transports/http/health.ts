import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Store } from '../../store/database.ts'
import { pendingMigrations } from '../../store/database.ts'
import { respondJson } from './respond.ts'

export type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>

export interface HealthParts {
  readonly store: Store
  readonly requireSchemas: () => void
  /** Whether calls may come although the store is away: ads are decided from memory, and their events go to a spool that has room. */
  readonly servesWithout?: () => Promise<boolean>
  /** What else the process works with, by name: gives why it does not work; undefined while it does. */
  readonly others?: Readonly<Record<string, () => Promise<OtherFault | undefined>>> | undefined
  /** Damaged places of the store that were found: most calls never touch them, and every process has the same store, so that calls may come. */
  readonly damagedPlaces?: () => number
}

/** Why something does not work, and whether calls may come all the same. */
export interface OtherFault {
  readonly fault: string
  readonly servesWithout: boolean
}

/** How long a look at the store counts for every probe, so that probes write no more often than this. */
const FRESH_MS = 2_000
/** A write that takes longer has failed: a probe waits no longer for its answer. */
const WRITE_MS = 5_000

/** `/livez` answers while the process runs; `/readyz` names each thing that must work before calls may come, and why it does not. */
export function healthRoutes(app: HealthParts): {
  livez: Handler
  readyz: Handler
} {
  const findWriteFault = freshFor(FRESH_MS, () => writeFaultOf(app.store))
  return {
    async livez(_request, response) {
      respondJson(response, 200, { status: 'ok' })
    },
    async readyz(_request, response) {
      const storage = await works(() => app.store.ping())
      // A store that does not answer is asked nothing more: it would not answer this either, and more slowly.
      const isAway = storage === 'failed'
      const migrations = isAway ? storage : await works(() => requireMigrated(app.store))
      const fault = isAway ? undefined : await findWriteFault()
      const writes = isAway || fault !== undefined ? 'failed' : 'ok'
      const schemas = await works(async () => app.requireSchemas())
      const own = { storage, writes, migrations, schemas } as const
      const isWell = Object.values(own).every((check) => check === 'ok')
      const others = await faultsOf(app.others ?? {})
      const checks = {
        ...own,
        ...Object.fromEntries(Object.keys(app.others ?? {}).map((name) => [name, others.has(name) ? 'failed' : 'ok'])),
      }
      const couldDecide = schemas === 'ok' && (isAway || migrations === 'ok')
      const canServe = [...others.values()].every(({ servesWithout }) => servesWithout)
      const ready = canServe && (isWell || (couldDecide && (await app.servesWithout?.()) === true))
      const damage = damageText(app.damagedPlaces?.() ?? 0)
      const reasons = {
        ...Object.fromEntries([...others].map(([name, { fault }]) => [name, fault])),
        ...(fault !== undefined && { writes: fault }),
        ...(damage !== undefined && { damage }),
      }
      const status = !ready ? 'unavailable' : isWell && others.size === 0 && damage === undefined ? 'ok' : 'degraded'
      respondJson(response, ready ? 200 : 503, { status, checks, ...(Object.keys(reasons).length > 0 && { reasons }) })
    },
  }
}

/** Where they are is not for everybody who asks. */
function damageText(places: number): string | undefined {
  if (places === 0) return undefined
  return `the store has ${places} damaged ${places === 1 ? 'place' : 'places'}; the log and sales-agent doctor name ${places === 1 ? 'it' : 'them'}`
}

/** Why the store takes no writes; a store that takes too long for one takes none. */
async function writeFaultOf(store: Pick<Store, 'writeFault'>): Promise<string | undefined> {
  const late = sleep(WRITE_MS, `a write took longer than ${WRITE_MS / 1000} seconds`, { ref: false })
  return Promise.race([store.writeFault(), late])
}

/** Gives what `look` found last, while it is not older than `ms`; who asks meanwhile waits for the same look. */
function freshFor<T>(ms: number, look: () => Promise<T>): () => Promise<T> {
  let at = Number.NEGATIVE_INFINITY
  let found: Promise<T> | undefined
  return () => {
    if (found === undefined || performance.now() - at > ms) {
      at = performance.now()
      found = look()
    }
    return found
  }
}

async function faultsOf(others: NonNullable<HealthParts['others']>): Promise<ReadonlyMap<string, OtherFault>> {
  const found = await Promise.all(Object.entries(others).map(async ([name, look]) => [name, await look()] as const))
  return new Map(found.filter((each): each is [string, OtherFault] => each[1] !== undefined))
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
