import { type Claim, fanOutClaims, idsWriter, ownClaims } from '../../domain/directory/claim.ts'
import { countProperties, domainsOf, type FileIndex, nextWindowEdge, unansweredDomains } from '../../domain/directory/resolve.ts'
import { blocks, type HeldClaim, type Hold, holdEndsAt, nextClaims } from '../../domain/directory/revocation.ts'
import type { Steps } from '../../platform/concurrency/steps.ts'
import { inTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
import type { Db } from '../../store/database.ts'
import { directoryId, registerAgents } from '../../store/directory/directory-agents.ts'
import { claimsOfDomains, listOwnClaims } from '../../store/directory/directory-claim-rows.ts'
import { replaceClaims } from '../../store/directory/directory-claims.ts'
import { touchVerified } from '../../store/directory/directory-documents.ts'
import { listExcluded } from '../../store/directory/directory-exclusions.ts'
import { addPublishers, countUnvisited, listDependants, withoutListed } from '../../store/directory/directory-publishers.ts'
import type { NewClaimRow } from '../../store/directory/directory-shown.ts'
import { listDocumentClaims } from '../../store/directory/document-claims.ts'
import type { ClaimHead, DirectoryDocumentRow, DirectoryPublisherRow } from '../../store/directory/rows.ts'

/** Most domains that one file puts on the crawl list. */
const MAX_NAMED_DOMAINS = 50_000
/** Names that one file only mentions and that wait for their first visit: a file may name any number of hosts that are not its own. */
const MAX_UNVISITED = 10_000

/** A verified file: its row, its content and the revocations that apply to it. */
export interface DocumentInHand {
  readonly row: DirectoryDocumentRow
  readonly index: FileIndex
  readonly holds: readonly Hold[]
  /** Time between two refreshes, in milliseconds: a tombstone lives at least this long. */
  readonly refreshMs: number
}

/**
 * Derives every claim of a file: for the publishers whose own walk ends at it, and for those it fans out to. Runs inside
 * the transaction of the file's refresh, so that a reader sees all of it or nothing.
 * `owner` is the publisher whose well-known address this is.
 */
export async function indexDocument(tx: Db, document: DocumentInHand, owner: string | undefined, now: Date): Promise<void> {
  const { row, index } = document
  const at = now.getTime()
  const dependants = await listDependants(tx, row.document_id)
  const own: Claim[] = []
  for (const publisher of dependants) for (const claim of await routeClaims(index, publisher, at)) own.push(claim)
  const fanned = row.fans_out === 1 ? await inTurns(fanOutClaims(index, row.host, at)) : []
  const previous = await listDocumentClaims(tx, row.document_id)
  const claims = {
    own: previous.filter((claim) => claim.route === 'own'),
    fanout: previous.filter((claim) => claim.route === 'fanout'),
  }
  const revokedElsewhere = owner === undefined ? [] : await shownElsewhere(tx, owner, document)
  const next = [
    ...(await inTurns(nextRows(document, 'own', [...claims.own, ...revokedElsewhere], own, at))),
    ...(await inTurns(nextRows(document, 'fanout', claims.fanout, fanned, at))),
  ]
  const speaksForItself = row.fans_out === 1 || dependants.some((publisher) => publisher.route_method !== 'ads_txt_managerdomain')
  const referenced = speaksForItself ? index.file.agents.map((entry) => entry.agent) : own.map((claim) => claim.agent)
  await registerAgents(tx, referenced, now)
  await replaceClaims(tx, previous, next, owner === undefined ? [] : [owner], now)
  await touchVerified(tx, row.document_id, now)
  if (row.fans_out === 1) await addNamedDomains(tx, document, new Set(fanned.map((claim) => claim.publisher)), now)
}

/** Derives the own claims of one publisher whose walk ends at a file that others share; without one it has none. */
export async function indexPublisher(
  tx: Db,
  publisher: DirectoryPublisherRow,
  document: DocumentInHand | undefined,
  now: Date,
): Promise<void> {
  const previous = await listOwnClaims(tx, publisher.publisher_domain)
  const granted = document ? await routeClaims(document.index, publisher, now.getTime()) : []
  // A tombstone belongs to the file that spoke it: with another file in force it is over.
  const carried = previous.filter((claim) => claim.status === 'authorized' || claim.document_id === document?.row.document_id)
  const next = document ? await inTurns(nextRows(document, 'own', carried, granted, now.getTime())) : []
  if (document && granted.length > 0)
    await registerAgents(
      tx,
      granted.map((claim) => claim.agent),
      now,
    )
  await replaceClaims(tx, previous, next, [publisher.publisher_domain], now)
}

/** Removes what other files claim by the walk of a publisher that now ends at its own file: that file alone says who may sell for it. */
export async function dropEarlierWalk(tx: Db, publisher: string, ownDocumentId: string, now: Date): Promise<void> {
  const earlier = (await listOwnClaims(tx, publisher)).filter((claim) => claim.document_id !== ownDocumentId)
  if (earlier.length > 0) await replaceClaims(tx, earlier, [], [publisher], now)
}

/** Removes every claim of a file, without tombstones, except those of the own walk of `spared`. */
export async function dropDocumentClaims(
  tx: Db,
  documentId: string,
  domains: readonly string[],
  now: Date,
  spared?: string,
): Promise<void> {
  const claims = await listDocumentClaims(tx, documentId)
  const previous = claims.filter(({ route, publisher_domain: publisher }) => route !== 'own' || publisher !== spared)
  await replaceClaims(tx, previous, [], domains, now)
}

/** Removes what a file claims for publishers that do not lead to it, without tombstones. */
export async function dropFannedOutClaims(tx: Db, documentId: string, now: Date): Promise<void> {
  const claims = await listDocumentClaims(tx, documentId)
  await replaceClaims(
    tx,
    claims.filter(({ route }) => route === 'fanout'),
    [],
    [],
    now,
  )
}

/** Whether and when the claims of a file change although the file does not. */
export function selfChanges(
  document: Pick<DocumentInHand, 'index' | 'holds'>,
  now: number,
): { rederive: boolean; soonestAt: number | undefined } {
  const holdEnds = document.holds.filter((hold) => !hold.listed && blocks(hold, now)).map(holdEndsAt)
  const edge = nextWindowEdge(document.index.file, now)
  const moments = edge === undefined ? holdEnds : [...holdEnds, edge]
  const soonestAt = moments.length === 0 ? undefined : moments.reduce((first, moment) => Math.min(first, moment))
  return { rederive: document.holds.length > 0 || edge !== undefined, soonestAt }
}

async function routeClaims(index: FileIndex, publisher: DirectoryPublisherRow, now: number): Promise<readonly Claim[]> {
  if (publisher.route_method === null) return []
  const { publisher_domain, route_method: method, route_manager: manager } = publisher
  return inTurns(ownClaims(index, { publisher: publisher_domain, method, manager }, now))
}

/** What other files show for a publisher that now revokes itself: those rows get their tombstone from its own file. */
async function shownElsewhere(tx: Db, owner: string, document: DocumentInHand): Promise<ClaimHead[]> {
  if (!document.holds.some((hold) => hold.publisher === owner && hold.listed)) return []
  const rows = await claimsOfDomains(tx, [owner])
  return rows.filter((row) => row.document_id !== document.row.document_id && row.shown === 'authorized')
}

/** The new rows of a file, from its previous rows and what it grants now. */
export function* nextRows(
  document: DocumentInHand,
  route: 'own' | 'fanout',
  previous: readonly ClaimHead[],
  granted: readonly Claim[],
  now: number,
): Steps<NewClaimRow[]> {
  const holds = new Map(document.holds.map((hold) => [hold.publisher, hold]))
  const before: HeldClaim[] = []
  for (const row of previous) {
    yield
    before.push(heldClaim(row))
  }
  const claims: Claim[] = []
  for (const claim of granted) {
    yield
    claims.push({ ...claim, agent: directoryId(claim.agent) })
  }
  const at = { now, verifiedAt: verifiedAt(document.row), refreshMs: document.refreshMs }
  const totalOf = ({ publisher, method }: Claim) =>
    countProperties(document.index, {
      publisher,
      impliedByLocation: route === 'own' && method !== 'ads_txt_managerdomain',
    })
  const rows: NewClaimRow[] = []
  const textOf = idsWriter()
  for (const claim of yield* nextClaims(before, claims, holds, at, totalOf)) {
    yield
    rows.push({ ...claimRow(claim, route, document.row), property_ids: textOf(claim.propertyIds) })
  }
  return rows
}

/** The stored claim as the rules see it, with the agent's id in place of its URL; ids of properties are not needed again. */
function heldClaim(row: ClaimHead): HeldClaim {
  return {
    agent: row.agent_id,
    publisher: row.publisher_domain,
    method: row.discovery_method,
    manager: row.manager_domain,
    propertyIds: [],
    total: row.properties_total,
    pinned: row.signing_keys_pinned === 1,
    status: row.status,
    observedAt: row.observed_at === null ? undefined : Date.parse(row.observed_at),
  }
}

function claimRow(claim: HeldClaim, route: 'own' | 'fanout', document: DirectoryDocumentRow): Omit<NewClaimRow, 'property_ids'> {
  return {
    agent_id: claim.agent,
    publisher_domain: claim.publisher,
    route,
    document_id: document.document_id,
    status: claim.status,
    observed_at: claim.observedAt === undefined ? null : new Date(claim.observedAt).toISOString(),
    discovery_method: claim.method,
    manager_domain: claim.manager,
    properties_authorized: claim.propertyIds.length,
    properties_total: claim.total,
    signing_keys_pinned: claim.pinned ? 1 : 0,
    verified_at: new Date(verifiedAt(document)).toISOString(),
  }
}

/** Unix milliseconds. Throws for a file that was never verified, of which no claim can be derived. */
function verifiedAt({ url, verified_at }: DirectoryDocumentRow): number {
  if (verified_at === null) throw new Error(`${url} was never verified`)
  return Date.parse(verified_at)
}

/**
 * Domains that the file speaks about join the crawl at once, since a file of their own decides instead of this one: those that it has properties of as others that are due, those that
 * it only mentions behind all others.
 */
async function addNamedDomains(tx: Db, document: DocumentInHand, granted: ReadonlySet<string>, now: Date): Promise<void> {
  const { row } = document
  const named = await addableDomains(tx, document, granted, now)
  if (named.answered.length === 0 && named.mentioned.length === 0) return
  const mentioned = named.mentioned.slice(0, Math.max(0, MAX_UNVISITED - (await countUnvisited(tx, row.document_id))))
  await addPublishers(
    tx,
    [
      ...named.answered.map((domain) => ({ domain, origin: 'manager' as const, dueAt: now })),
      ...mentioned.map((domain) => ({ domain, origin: 'manager' as const, dueAt: now, mentionedBy: row.document_id })),
    ],
    now,
  )
}

/** Names that the file has properties of (its own host among them, which speaks for itself once it is asked), and names that only its selectors mention, without those that stay off the crawl list. */
async function addableDomains(tx: Db, { row, index }: DocumentInHand, granted: ReadonlySet<string>, now: Date) {
  const answers = new Set([...domainsOf(index)].slice(0, MAX_NAMED_DOMAINS))
  const unanswered = await inTurns(unansweredDomains(index))
  const others = [...unanswered].filter((domain) => domain !== row.host && !answers.has(domain))
  const mentions = others.slice(0, MAX_NAMED_DOMAINS)
  const excluded = await listExcluded(tx, { domains: [...answers, ...mentions], granted }, now)
  const unknown = await withoutListed(tx, mentions)
  return {
    answered: [...answers].filter((domain) => !excluded.has(domain)),
    mentioned: unknown.filter((domain) => !excluded.has(domain)),
  }
}
