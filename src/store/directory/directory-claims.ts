import type { ExpressionBuilder } from 'kysely'
import { chunksOf } from '../chunks.ts'
import type { Db } from '../database.ts'
import type { Tables } from '../tables.ts'
import { bumpAgents } from './directory-agents.ts'
import { claimsOfDomains, insertClaims } from './directory-claim-rows.ts'
import { isRecording, recordChanges, type ShownChange } from './directory-feed.ts'
import { chooseShown, type NewClaimRow } from './directory-shown.ts'
import { CLAIM_COLUMNS, type DirectoryClaimRow } from './rows.ts'

/**
 * Replaces claims and decides anew, for every agent and publisher concerned, which claim lookups show. Only what
 * differs is written, and the version of exactly the agents whose rows differ grows. `domains` are decided anew
 * although no claim of theirs is replaced (their publisher's own word has changed).
 */
export async function replaceClaims(
  tx: Db,
  previous: readonly DirectoryClaimRow[],
  next: readonly NewClaimRow[],
  domains: readonly string[],
  now: Date,
): Promise<void> {
  const concerned = [...new Set([...previous, ...next].map((row) => row.publisher_domain).concat(domains))]
  const replaced = new Map(previous.map((row) => [claimKey(row), row]))
  const others = (await claimsOfDomains(tx, concerned)).filter((row) => !replaced.has(claimKey(row)))
  const shown = await chooseShown(tx, [...next, ...others], concerned, now)
  const since = beginnings([...previous, ...others])
  const inserts: DirectoryClaimRow[] = []
  const unchangedKeys = new Set<string>()
  for (const claim of next) {
    const granted_at = claim.status === 'authorized' ? (since.get(pairKey(claim)) ?? now.toISOString()) : null
    const row: DirectoryClaimRow = { ...claim, granted_at, shown: shown.has(claim) ? claim.status : '' }
    const key = claimKey(row)
    const before = replaced.get(key)
    if (before && isSame(before, row)) unchangedKeys.add(key)
    else inserts.push(row)
  }
  const deletes = previous.filter((row) => !unchangedKeys.has(claimKey(row)))
  const flips = others.filter((row) => row.shown !== (shown.has(row) ? row.status : ''))
  await forEachGroup(deletes, (group, chunk) => tx.deleteFrom('directory_claims').where(matching(group, chunk)).execute())
  await insertClaims(tx, inserts)
  await forEachGroup(flips, (group, chunk) =>
    tx
      .updateTable('directory_claims')
      .set({ shown: group.shown === '' ? group.status : '' })
      .where(matching(group, chunk))
      .execute(),
  )
  await bumpAgents(tx, [...new Set([...deletes, ...inserts, ...flips].map((row) => row.agent_id))], now)
  if (!(await isRecording(tx))) return
  const unchanged = previous.filter((row) => unchangedKeys.has(claimKey(row)))
  const flipped = new Set(flips)
  const othersAfter = others.map((row) =>
    flipped.has(row) ? { ...row, shown: shown.has(row) ? row.status : ('' as const) } : row,
  )
  await recordChanges(tx, shownChanges([...previous, ...others], [...unchanged, ...inserts, ...othersAfter]), now)
}

/** Since when each agent has been authorised by each publisher: it stays so when another file comes to say the same. */
function beginnings(rows: readonly DirectoryClaimRow[]): ReadonlyMap<string, string> {
  const since = new Map<string, string>()
  for (const row of rows) {
    if (row.shown !== 'authorized' || row.granted_at === null) continue
    since.set(pairKey(row), row.granted_at)
  }
  return since
}

/** Agents and publishers for which another claim, or another content of it, is shown than before. */
function shownChanges(before: readonly DirectoryClaimRow[], after: readonly DirectoryClaimRow[]): readonly ShownChange[] {
  const changes = new Map<string, { before: DirectoryClaimRow | undefined; after: DirectoryClaimRow | undefined }>()
  const changeOf = (row: DirectoryClaimRow) => {
    const key = pairKey(row)
    const change = changes.get(key) ?? { before: undefined, after: undefined }
    changes.set(key, change)
    return change
  }
  for (const row of before) if (row.shown !== '') changeOf(row).before = row
  for (const row of after) if (row.shown !== '') changeOf(row).after = row
  return [...changes.values()].filter((change) => change.before !== change.after)
}

function pairKey(row: NewClaimRow): string {
  return `${row.publisher_domain} ${row.agent_id}`
}

function claimKey(row: NewClaimRow): string {
  return `${row.publisher_domain} ${row.agent_id} ${row.route} ${row.document_id}`
}

/** What a claim is of, and its times: that of verification moves for the whole file in one statement. */
const NOT_COMPARED: ReadonlySet<string> = new Set([
  'agent_id',
  'publisher_domain',
  'route',
  'document_id',
  'verified_at',
  'granted_at',
])
const COMPARED = CLAIM_COLUMNS.filter((column) => !NOT_COMPARED.has(column))

function isSame(a: DirectoryClaimRow, b: DirectoryClaimRow): boolean {
  return COMPARED.every((column) => a[column] === b[column])
}

type Group = Pick<DirectoryClaimRow, 'agent_id' | 'route' | 'document_id' | 'shown' | 'status'>

/** Walks rows in groups that one statement can name: same agent, route and file, many domains. */
async function forEachGroup(
  rows: readonly DirectoryClaimRow[],
  work: (group: Group, domains: readonly string[]) => Promise<unknown>,
): Promise<void> {
  const groups = new Map<string, { group: Group; domains: string[] }>()
  for (const row of rows) {
    const key = `${row.agent_id} ${row.route} ${row.document_id} ${row.shown} ${row.status}`
    const known = groups.get(key)
    if (known) known.domains.push(row.publisher_domain)
    else groups.set(key, { group: row, domains: [row.publisher_domain] })
  }
  for (const { group, domains } of groups.values()) for (const chunk of chunksOf(domains)) await work(group, chunk)
}

function matching(group: Group, domains: readonly string[]) {
  return (eb: ExpressionBuilder<Tables, 'directory_claims'>) =>
    eb.and([
      eb('publisher_domain', 'in', domains),
      eb('agent_id', '=', group.agent_id),
      eb('route', '=', group.route),
      eb('document_id', '=', group.document_id),
    ])
}
