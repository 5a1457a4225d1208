import type { Package } from '../../domain/media-buy/media-buy.ts'
import { chunksInTurns } from '../chunks.ts'
import { assignmentsOf } from '../creative/creative-assignments.ts'
import type { Db } from '../database.ts'

/** A package that serves now, of a live buyer. */
export interface ActivePackage {
  readonly mediaBuyId: string
  readonly principalId: string
  readonly accountId: string
  readonly pkg: Package
}

/** Packages of a publisher's orders in flight, by whether providers get them. */
export interface PackageSupply {
  /** Synced and matched. */
  readonly matched: number
  /** Of sandbox buyers: simulated. */
  readonly sandbox: number
  /** Need creatives, and have none that is approved. */
  readonly withoutCreative: number
  /** Paused or canceled, or their own flight does not run. */
  readonly resting: number
}

/** Most packages of a publisher that are matched. */
const MOST = 10_000

/**
 * Packages of a publisher's running media buys that have something to show, in order of creation. What sandbox buyers ordered is simulated, paused or canceled packages do not serve, and neither does one
 * that needs creatives and has none that is approved.
 */
export async function listActivePackages(db: Db, tenantId: string, now: Date): Promise<readonly ActivePackage[]> {
  return (await packagesInFlight(db, tenantId, now)).matched
}

/** Why packages of a publisher's orders in flight are matched or not, at a moment. */
export async function readPackageSupply(db: Db, tenantId: string, now: Date): Promise<PackageSupply> {
  const { rows, running, matched } = await packagesInFlight(db, tenantId, now)
  const { packages } = await inFlight(db, tenantId, { now, sandbox: true })
    .select((eb) => eb.fn.countAll<number>().as('packages'))
    .executeTakeFirstOrThrow()
  const paused = await inFlight(db, tenantId, { now, sandbox: false, paused: true })
    .select((eb) => eb.fn.countAll<number>().as('packages'))
    .executeTakeFirstOrThrow()
  return {
    matched: matched.length,
    sandbox: Number(packages),
    withoutCreative: running.length - matched.length,
    resting: rows - running.length + Number(paused.packages),
  }
}

async function packagesInFlight(db: Db, tenantId: string, now: Date) {
  const at = now.toISOString()
  const rows = await inFlight(db, tenantId, { now, sandbox: false })
    .select(['b.media_buy_id', 'b.principal_id', 'b.account_id', 'p.document'])
    .orderBy('b.created_at')
    .orderBy('b.media_buy_id')
    .orderBy('p.position')
    .limit(MOST)
    .execute()
  const running = rows
    .map((row) => ({
      mediaBuyId: row.media_buy_id,
      principalId: row.principal_id,
      accountId: row.account_id,
      pkg: JSON.parse(row.document) as Package,
    }))
    .filter(({ pkg }) => !pkg.paused && !pkg.cancellation && pkg.terms.startsAt <= at && at < pkg.terms.endsAt)
  const supplied = await suppliedPackages(db, tenantId, running)
  const matched = running.filter(({ pkg }) => !pkg.needsCreatives || supplied.has(pkg.packageId))
  return { rows: rows.length, running, matched }
}

/** Packages of approved media buys whose flight runs: of sandbox buyers or of live ones, paused or not. */
function inFlight(
  db: Db,
  tenantId: string,
  { now, sandbox, paused = false }: { readonly now: Date; readonly sandbox: boolean; readonly paused?: boolean },
) {
  const at = now.toISOString()
  return db
    .selectFrom('media_buys as b')
    .innerJoin('packages as p', (j) => j.onRef('p.tenant_id', '=', 'b.tenant_id').onRef('p.media_buy_id', '=', 'b.media_buy_id'))
    .innerJoin('principals as a', (j) =>
      j.onRef('a.tenant_id', '=', 'b.tenant_id').onRef('a.principal_id', '=', 'b.principal_id'),
    )
    .where('b.tenant_id', '=', tenantId)
    .where('b.decision', 'is', null)
    .where('b.paused', '=', paused ? 1 : 0)
    .where('b.starts_at', '<=', at)
    .where('b.ends_at', '>', at)
    .where('a.sandbox', '=', sandbox ? 1 : 0)
}

/** Ids of packages with an approved creative. */
async function suppliedPackages(db: Db, tenantId: string, packages: readonly ActivePackage[]): Promise<ReadonlySet<string>> {
  const byBuyer = new Map<string, string[]>()
  for (const { principalId, pkg } of packages) {
    if (!pkg.needsCreatives) continue
    const ids = byBuyer.get(principalId) ?? []
    ids.push(pkg.packageId)
    byBuyer.set(principalId, ids)
  }
  const supplied = new Set<string>()
  for (const [principalId, ids] of byBuyer) {
    for await (const chunk of chunksInTurns(ids)) {
      for (const [packageId, facts] of await assignmentsOf(db, { tenantId, principalId, sandbox: false }, chunk))
        if (facts.some(({ approval }) => approval === 'approved')) supplied.add(packageId)
    }
  }
  return supplied
}
