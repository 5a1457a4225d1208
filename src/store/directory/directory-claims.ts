import type { ExpressionBuilder } from 'kysely'
import { eachInTurns, yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import { chunksOf } from '../chunks.ts'
import type { Db } from '../database.ts'
import type { Tables } from '../tables.ts'
import { bumpAgents } from './directory-agents.ts'
import { claimsOfDomains, insertClaims, withIds } from './directory-claim-rows.ts'
import { isRecording, recordChanges, type ShownChange } from './directory-feed.ts'
import { chooseShown, type NewClaimHead, type NewClaimRow } from './directory-shown.ts'
import { CLAIM_COLUMNS, type ClaimHead, type DirectoryClaimRow } from './rows.ts'

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
  const concerned = new Set(domains)
  const replaced = new Map<string, DirectoryClaimRow>()
  await eachInTurns(previous, (row) => {
    concerned.add(row.publisher_domain)
    replaced.set(claimKey(row), row)
  })
  await eachInTurns(next, (row) => concerned.add(row.publisher_domain))
  const others: ClaimHead[] = []
  await eachInTurns(await claimsOfDomains(tx, [...concerned]), (row) => {
    if (!replaced.has(claimKey(row))) others.push(row)
  })
  const shown = await chooseShown(tx, [...next, ...others], [...concerned], now)
  const since = await beginnings([...previous, ...others])
  const inserts: DirectoryClaimRow[] = []
  const unchanged = new Set<DirectoryClaimRow>()
  await eachInTurns(next, (claim) => {
    const granted_at = claim.status === 'authorized' ? (since.get(pairKey(claim)) ?? now.toISOString()) : null
    const row: DirectoryClaimRow = { ...claim, granted_at, shown: shown.has(claim) ? claim.status : '' }
    const before = replaced.get(claimKey(row))
    if (before && isSame(before, row)) unchanged.add(before)
    else inserts.push(row)
  })
  const deletes = previous.filter((row) => !unchanged.has(row))
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
  const flipped = new Set(flips)
  const othersAfter = others.map((row) =>
    flipped.has(row) ? { ...row, shown: shown.has(row) ? row.status : ('' as const) } : row,
  )
  const changes = await shownChanges([...previous, ...others], [...unchanged, ...inserts, ...othersAfter])
  await recordChanges(tx, await completed(tx, changes), now)
}

/** Since when each agent has been authorised by each publisher: it stays so when another file comes to say the same. */
async function beginnings(rows: readonly ClaimHead[]): Promise<ReadonlyMap<string, string>> {
  const since = new Map<string, string>()
  await eachInTurns(rows, (row) => {
    if (row.shown === 'authorized' && row.granted_at !== null) since.set(pairKey(row), row.granted_at)
  })
  return since
}

/** Agents and publishers for which another claim, or another content of it, is shown than before. */
async function shownChanges(before: readonly ClaimHead[], after: readonly ClaimHead[]): Promise<readonly HeadChange[]> {
  const changes = new Map<string, { before: ClaimHead | undefined; after: ClaimHead | undefined }>()
  const changeOf = (row: ClaimHead) => {
    const key = pairKey(row)
    const change = changes.get(key) ?? { before: undefined, after: undefined }
    changes.set(key, change)
    return change
  }
  await eachInTurns(before, (row) => {
    if (row.shown !== '') changeOf(row).before = row
  })
  await eachInTurns(after, (row) => {
    if (row.shown !== '') changeOf(row).after = row
  })
  return [...changes.values()].filter((change) => change.before !== change.after)
}

interface HeadChange {
  readonly before: ClaimHead | undefined
  readonly after: ClaimHead | undefined
}

/** Changes with the ids of their claims: those that other files make are read now, the few of them that are shown otherwise than before. */
async function completed(tx: Db, changes: readonly HeadChange[]): Promise<readonly ShownChange[]> {
  const complete: ShownChange[] = []
  for (const { before, after } of changes) {
    if (complete.length % STATEMENTS_A_TURN === STATEMENTS_A_TURN - 1) await yieldToEventLoop()
    complete.push({ before: before && (await withIds(tx, before)), after: after && (await withIds(tx, after)) })
  }
  return complete
}

function pairKey(row: NewClaimHead): string {
  return `${row.publisher_domain} ${row.agent_id}`
}

function claimKey(row: NewClaimHead): string {
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

const STATEMENTS_A_TURN = 50

/** Walks rows in groups that one statement can name: same agent, route and file, many domains. */
async function forEachGroup(
  rows: readonly ClaimHead[],
  work: (group: Group, domains: readonly string[]) => Promise<unknown>,
): Promise<void> {
  const groups = new Map<string, { group: Group; domains: string[] }>()
  await eachInTurns(rows, (row) => {
    const key = `${row.agent_id} ${row.route} ${row.document_id} ${row.shown} ${row.status}`
    const known = groups.get(key)
    if (known) known.domains.push(row.publisher_domain)
    else groups.set(key, { group: row, domains: [row.publisher_domain] })
  })
  let statements = 0
  for (const { group, domains } of groups.values()) {
    for (const chunk of chunksOf(domains)) {
      // Many agents of one domain each are as many statements.
      if (++statements % STATEMENTS_A_TURN === 0) await yieldToEventLoop()
      await work(group, chunk)
    }
  }
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
