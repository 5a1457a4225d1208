import { type FileForm, fileForm } from '../../domain/directory/file-form.ts'
import { POINTER_SETTLES_MS } from '../../domain/directory/freshness.ts'
import type { RowStatus } from '../../domain/directory/lookup-query.ts'
import { blocks, holdEndsAt } from '../../domain/directory/revocation.ts'
import type { Db } from '../../store/database.ts'
import { findDocument, findDocumentById } from '../../store/directory/directory-documents.ts'
import { findExclusion } from '../../store/directory/directory-exclusions.ts'
import { findPublisher } from '../../store/directory/directory-publishers.ts'
import { listClaimSources, listHoldsOn, type SourcedClaim } from '../../store/directory/directory-sources.ts'
import type { DirectoryPublisherRow } from '../../store/directory/rows.ts'
import { wellKnownUrl } from './fetch-adagents.ts'

/** What one file claims for one agent, and whether lookups show it. */
export interface ExplainedClaim {
  readonly agent_url: string
  readonly discovery_method: string
  readonly manager_domain: string | null
  /** Address of the file that the claim comes from. */
  readonly file_url: string
  readonly file_form: FileForm
  readonly status: RowStatus
  readonly properties_authorized: number
  readonly properties_total: number
  readonly signing_keys_pinned: boolean
  readonly last_verified_at: string
  /** Since when the publisher has authorised the agent; null where that was not recorded. */
  readonly since: string | null
  readonly shown: boolean
  /** Why lookups do not show it, in words. */
  readonly hidden_because?: string
}

export interface Explanation {
  readonly claims: readonly ExplainedClaim[]
  /** Why there is no row for the publisher, or for the agent asked about; empty when there is one. */
  readonly not_listed_because: readonly string[]
  /** False: whom the publisher authorises is not known here, because its own address was not asked or gave no usable answer. */
  readonly answered: boolean
  /** What keeps the index from following the publisher's file of now: a changed pointer that waits. */
  readonly notes: readonly string[]
}

/** Explains which claims the index has about a publisher (and one agent) and why lookups show or do not show them. Reads the store only. */
export async function explain(db: Db, domain: string, now: Date, agentUrl?: string): Promise<Explanation> {
  const publisher = await findPublisher(db, domain)
  const claims = (await listClaimSources(db, domain, agentUrl)).map((row) => explainClaim(row, publisher, now))
  // The mark that a revocation leaves for a while is shown, and lists nobody.
  const about = { notes: pointerNotes(publisher), answered: hasAnswered(publisher) }
  if (claims.some(({ shown, status }) => shown && status === 'authorized')) return { claims, not_listed_because: [], ...about }
  const holds = await holdReasons(db, domain, now)
  const excluded = await exclusionReason(db, domain)
  const reasons = [
    ...excluded,
    ...holds,
    ...claims.flatMap(({ hidden_because: reason }) => reason ?? []),
    // What is held back has no claims in the index, whatever its file grants by now.
    ...(holds.length > 0 || claims.length > 0 || (excluded.length > 0 && !publisher)
      ? []
      : [await publisherReasons(db, domain, publisher, agentUrl !== undefined)]),
  ]
  if (reasons.length === 0) reasons.push('it was revoked')
  return { claims, not_listed_because: [...new Set(reasons)], ...about }
}

/** A changed `authoritative_location` that is not followed yet, in words. */
export function waitingPointer(
  publisher: Pick<DirectoryPublisherRow, 'publisher_domain' | 'pointer_adopted' | 'pointer_pending' | 'pointer_pending_since'>,
): string | undefined {
  const { publisher_domain: domain, pointer_adopted: adopted, pointer_pending: pending, pointer_pending_since: since } = publisher
  if (pending === null || since === null) return undefined
  const settles = new Date(Date.parse(since) + POINTER_SETTLES_MS).toISOString()
  return `its authoritative_location leads to ${pending} since ${since}, and ${adopted} stays in force until ${settles} at least ("directory crawl --domain ${domain} --accept-pointer" adopts it now)`
}

function hasAnswered(publisher: DirectoryPublisherRow | undefined): boolean {
  switch (publisher?.serves) {
    case 'inline':
    case 'absent':
      return true
    case 'pointer':
      return publisher.route_document_id !== null
    default:
      return false
  }
}

function pointerNotes(publisher: DirectoryPublisherRow | undefined): readonly string[] {
  const note = publisher && waitingPointer(publisher)
  return note === undefined ? [] : [note]
}

/** A file that authorises an agent while this index shows nothing, because a revocation came before. */
export interface HeldBack {
  /** ISO 8601 UTC: from then on the index may show the agent again. */
  readonly heldUntil: string
  /** Address of the file that revoked the publisher. */
  readonly revokedBy: string
}

/**
 * Until when, at the earliest, revocations that the index has read keep an authorisation out of lookups: those of the publisher's own file and
 * of its manager's. Undefined when none does.
 */
export async function heldBack(
  db: Db,
  { domain, manager, agentUrl }: { readonly domain: string; readonly manager: string | null; readonly agentUrl: string },
  now: Date,
): Promise<HeldBack | undefined> {
  const holds = (await listHoldsOn(db, domain)).filter(
    (hold) => blocks(hold, now.getTime()) && [domain, manager].includes(new URL(hold.fileUrl).hostname),
  )
  if (holds.length === 0) return undefined
  const claims = await listClaimSources(db, domain, agentUrl)
  if (claims.some((claim) => claim.shown === 'authorized')) return undefined
  const [last] = holds.sort((a, b) => holdEndsAt(b) - holdEndsAt(a))
  return last && { heldUntil: new Date(Math.max(holdEndsAt(last), now.getTime())).toISOString(), revokedBy: last.fileUrl }
}

function explainClaim(row: SourcedClaim, publisher: DirectoryPublisherRow | undefined, now: Date): ExplainedClaim {
  const shown = row.shown !== ''
  return {
    agent_url: row.agent_url,
    discovery_method: row.discovery_method,
    manager_domain: row.manager_domain,
    file_url: row.file_url,
    file_form: fileForm(row),
    status: row.status,
    properties_authorized: row.properties_authorized,
    properties_total: row.properties_total,
    signing_keys_pinned: row.signing_keys_pinned === 1,
    last_verified_at: row.verified_at,
    since: row.granted_at,
    shown,
    ...(!shown && { hidden_because: hiddenBecause(row, publisher, now) }),
  }
}

function hiddenBecause(row: SourcedClaim, publisher: DirectoryPublisherRow | undefined, now: Date): string {
  const blockedUntil = publisher?.self_blocked_until ?? ''
  if (blockedUntil > now.toISOString()) return `the publisher's own file revokes it${untilText(blockedUntil)}`
  const word = row.route === 'fanout' ? managerIsSilent(publisher?.serves ?? 'unknown', row.file_url) : undefined
  if (word !== undefined) return word
  return 'a claim with more trust, or the operator of this directory, decides'
}

/** Why the entry of a manager's file does not count for a publisher; undefined where the publisher has no file, so that it does. */
function managerIsSilent(serves: DirectoryPublisherRow['serves'], fileUrl: string): string | undefined {
  switch (serves) {
    case 'inline':
      return `the publisher serves a file of its own, which decides instead of ${fileUrl}`
    case 'pointer':
      return `the publisher's own file says which file decides; an entry in ${fileUrl} alone does not`
    case 'invalid':
      return 'the publisher serves a file of its own that cannot be used: until it is mended or gone nobody else speaks for it'
    case 'unknown':
      return `the publisher's own address has not answered yet whether it has a file: ${fileUrl} speaks for it only where it has none`
    case 'absent':
      return undefined
  }
}

async function exclusionReason(db: Db, domain: string): Promise<string[]> {
  const exclusion = await findExclusion(db, domain)
  return exclusion ? [`${exclusion.kind} on ${exclusion.excluded_at}: ${exclusion.reason}`] : []
}

async function holdReasons(db: Db, domain: string, now: Date): Promise<string[]> {
  return (await listHoldsOn(db, domain))
    .filter((hold) => blocks(hold, now.getTime()))
    .map((hold) =>
      hold.listed
        ? `${hold.fileUrl} lists it in revoked_publisher_domains`
        : `${hold.fileUrl} listed it in revoked_publisher_domains; it is held back until ${new Date(holdEndsAt(hold)).toISOString()}`,
    )
}

/** Why a publisher without any claim has none, by what its own address and the file that speaks for it have answered. */
async function publisherReasons(
  db: Db,
  domain: string,
  publisher: DirectoryPublisherRow | undefined,
  isOfOneAgent: boolean,
): Promise<string> {
  if (!publisher) return unlistedReason(db, domain)
  const end = publisher.route_document_id === null ? undefined : await findDocumentById(db, publisher.route_document_id)
  const granted = isOfOneAgent ? 'this agent none of its properties' : 'no agent any of its properties'
  if (end?.verified_at) return `the file that speaks for it (${end.url}) grants ${granted}`
  if (publisher.serves === 'absent')
    return `it has no file of its own, and no file of a manager that is read here names ${isOfOneAgent ? 'this agent' : 'an agent'} for it`
  if (publisher.barren_since !== null) return `no usable file has been read since ${publisher.barren_since}`
  return publisher.serves === 'unknown' ? 'it has not been visited yet' : 'the file that speaks for it has not been read'
}

async function unlistedReason(db: Db, domain: string): Promise<string> {
  const own = await findDocument(db, wellKnownUrl(domain))
  if (own.verified_at === null) return 'it is not on the crawl list and no file that was read authorises an agent for it'
  return `it is not on the crawl list: ${own.url} is read for the publishers alone that lead to it ("directory add ${domain}" has it asked for itself)`
}

/** `9999-…` means as long as the entry is listed. */
function untilText(until: string): string {
  return until.startsWith('9999') ? '' : `, and holds it back until ${until}`
}
