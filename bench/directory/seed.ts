import { join } from 'node:path'
import { directoryId } from '../../src/store/directory/directory-agents.ts'
import { sqliteDriver } from '../../src/store/sqlite/choose-sqlite-driver.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'

/** What a seeded directory holds for its one big agent. */
export interface Seed {
  /** Rows of the big agent; every 20,000th is revoked. */
  readonly rows: number
  /** Agents in all; the others have one row each. */
  readonly agents: number
}

export const BIG_AGENT = 'https://big-agent.example/mcp'
export const VERIFIED_AT = '2026-01-01T00:00:00.000Z'
/** A handful of files were verified later than the rest, for `since`. */
export const RECENT_AT = '2026-02-01T00:00:00.000Z'
/** Half of the rows come from files of their own, half from managers of this many domains. */
const MANAGER_ROWS = 5_000

export const domainOf = (index: number): string => `pub-${String(index).padStart(7, '0')}.example`

/** Writes a directory of the given size straight into a new store; the index itself is measured elsewhere. */
export async function seedStore(data: string, storeFile: string, seed: Seed): Promise<void> {
  const path = join(data, storeFile)
  await (await openSqlite(path)).close()
  const db = sqliteDriver().open(path)
  db.exec('PRAGMA synchronous = OFF')
  db.exec('PRAGMA cache_size = -600000')
  const agent = db.prepare('INSERT INTO directory_agents VALUES (?, ?, 1, ?)')
  const document = db.prepare(
    `INSERT INTO directory_documents (document_id, url, host, fans_out, refresh, verified_at, attempted_at, expires_at, rederive)
     VALUES (?, ?, ?, 1, 1, ?, ?, '2099-01-01T00:00:00.000Z', 0)`,
  )
  const claim = db.prepare(
    `INSERT INTO directory_claims (agent_id, publisher_domain, route, document_id, shown, status, discovery_method, manager_domain,
       properties_authorized, properties_total, signing_keys_pinned, verified_at, property_ids)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  db.exec('BEGIN')
  const bigId = directoryId(BIG_AGENT)
  agent.run([bigId, BIG_AGENT, VERIFIED_AT])
  for (let index = 0; index < seed.rows; index += 1) {
    const isOwn = index % 2 === 0
    const host = isOwn ? domainOf(index) : `manager-${Math.floor(index / MANAGER_ROWS)}.example`
    const url = `https://${host}/.well-known/adagents.json`
    const documentId = directoryId(url)
    const verifiedAt = isOwn && index % 50_000 === 0 ? RECENT_AT : VERIFIED_AT
    if (isOwn || index % MANAGER_ROWS === 1) document.run([documentId, url, host, verifiedAt, verifiedAt])
    const isRevoked = index % 20_000 === 19_999
    const ids = isRevoked ? [] : [`home_${index}`, `sport_${index}`]
    const status = isRevoked ? 'revoked' : 'authorized'
    const method = isOwn ? 'direct' : 'adagents_authoritative'
    claim.run([
      bigId,
      domainOf(index),
      isOwn ? 'own' : 'fanout',
      documentId,
      status,
      status,
      method,
      isOwn ? null : host,
      ids.length,
      isRevoked ? 0 : 3,
      index % 2,
      verifiedAt,
      JSON.stringify(ids),
    ])
  }
  for (let index = 1; index < seed.agents; index += 1) {
    const url = `https://agent-${index}.example/mcp`
    const host = `seller-${index}.example`
    const documentId = directoryId(`https://${host}/.well-known/adagents.json`)
    agent.run([directoryId(url), url, VERIFIED_AT])
    document.run([documentId, `https://${host}/.well-known/adagents.json`, host, VERIFIED_AT, VERIFIED_AT])
    claim.run([
      directoryId(url),
      host,
      'own',
      documentId,
      'authorized',
      'authorized',
      'direct',
      null,
      1,
      1,
      0,
      VERIFIED_AT,
      '["home"]',
    ])
  }
  db.exec('COMMIT')
  db.exec('ANALYZE')
  db.close()
}
