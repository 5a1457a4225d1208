import type { AdagentsFile } from '../../domain/directory/adagents-file.ts'
import { expiresAt, type FreshnessLimits, isRollback } from '../../domain/directory/freshness.ts'
import { identifiersOf } from '../../domain/directory/identifiers.ts'
import { type FileIndex, indexInSteps } from '../../domain/directory/resolve.ts'
import { type Hold, observeRevocations } from '../../domain/directory/revocation.ts'
import { inTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
import type { Db } from '../../store/database.ts'
import { directoryId } from '../../store/directory/directory-agents.ts'
import {
  listHolds,
  replaceBody,
  saveBody,
  saveDocument,
  saveHolds,
  touchVerified,
} from '../../store/directory/directory-documents.ts'
import { recordFile } from '../../store/directory/directory-feed.ts'
import { replaceIdentifiers } from '../../store/directory/directory-identifiers.ts'
import type { DirectoryDocumentRow } from '../../store/directory/rows.ts'
import { NOT_LEASED } from '../../store/leases.ts'
import type { FileOutcome } from './fetch-adagents.ts'
import { dropDocumentClaims, indexDocument, selfChanges } from './index-document.ts'

/** How a refresh of a file ended. `held` says whether an earlier copy still counts. */
export interface Applied {
  readonly row: DirectoryDocumentRow
  readonly result: 'verified' | 'failed' | 'absent' | 'invalid'
  readonly reason: string | undefined
  readonly file: AdagentsFile | undefined
  readonly index: FileIndex | undefined
  readonly holds: readonly Hold[]
}

export interface ApplyContext {
  readonly now: Date
  readonly limits: FreshnessLimits
  /** The publisher whose well-known address this is; its row is up to date. */
  readonly owner?: string | undefined
  /** The caller derives the own claims of `owner` anew in the same transaction, from wherever its walk ends. */
  readonly walksOn?: boolean
  /** Whether to keep the text, because several publishers share the file. A text that is stored already stays up to date. */
  readonly keepBody: boolean
  /** The file that was fetched; the one that an earlier refresh left where none was, for a 304 that has to derive anew. */
  readonly index?: FileIndex | undefined
}

/** A fetched file that is older than the one held counts as a failed fetch. */
export function withoutRollback(row: DirectoryDocumentRow, outcome: FileOutcome<AdagentsFile>): FileOutcome<AdagentsFile> {
  const held = row.last_updated === null || row.verified_at === null ? undefined : Date.parse(row.last_updated)
  if (outcome.kind !== 'fetched' || !isRollback(held, outcome.content.lastUpdated)) return outcome
  return { kind: 'failed', reason: 'last_updated is older than that of the file held (rollback)' }
}

/** What a transaction needs of a file that was fetched, made before it begins: others write meanwhile. */
export async function indexFetched(outcome: FileOutcome<AdagentsFile>): Promise<FileIndex | undefined> {
  if (outcome.kind !== 'fetched' || outcome.content.kind !== 'inline') return undefined
  return inTurns(indexInSteps(outcome.content))
}

/**
 * Writes the outcome of asking for a file: times, revocation holds, and the claims derived from it. Belongs into the
 * transaction of the refresh. `outcome` has passed {@link withoutRollback}.
 */
export async function applyDocument(
  tx: Db,
  before: DirectoryDocumentRow,
  outcome: FileOutcome<AdagentsFile>,
  context: ApplyContext,
): Promise<Applied> {
  switch (outcome.kind) {
    case 'fetched':
      return applyVerified(tx, before, context, outcome)
    case 'unchanged':
      return applyUnchanged(tx, before, context)
    case 'failed':
      return applyFailure(tx, before, context, outcome.reason)
    case 'absent':
    case 'invalid': {
      const row = await forgetFile(tx, before, context)
      return { row, result: outcome.kind, reason: outcome.reason, file: undefined, index: undefined, holds: [] }
    }
  }
}

async function applyVerified(
  tx: Db,
  before: DirectoryDocumentRow,
  context: ApplyContext,
  outcome: Extract<FileOutcome<AdagentsFile>, { kind: 'fetched' }>,
): Promise<Applied> {
  const file = outcome.content
  const { index } = context
  const verified = verifiedRow(before, context)
  const known = await listHolds(tx, before.document_id)
  const holds = observeRevocations(known, file.kind === 'inline' ? file.revoked : new Map(), context.now.getTime())
  if (known.length > 0 || holds.length > 0) await saveHolds(tx, before.document_id, holds)
  const row: DirectoryDocumentRow = {
    ...verified,
    content: file.kind,
    short_form: file.kind === 'inline' && file.isShortForm ? 1 : 0,
    digest: directoryId(outcome.body),
    etag: outcome.etag ?? null,
    last_modified: outcome.lastModified ?? null,
    last_updated: file.lastUpdated === undefined ? null : new Date(file.lastUpdated).toISOString(),
  }
  if (context.owner !== undefined && row.digest !== before.digest) {
    await recordFile(tx, context.owner, before.digest === null ? 'discovered' : 'changed', context.now)
  }
  if (context.keepBody) await saveBody(tx, row.document_id, outcome.body)
  else await replaceBody(tx, row.document_id, outcome.body)
  return derive(tx, row, { file, index, holds, isNew: row.digest !== before.digest }, context)
}

async function applyUnchanged(tx: Db, before: DirectoryDocumentRow, context: ApplyContext): Promise<Applied> {
  const row = verifiedRow(before, context)
  if (before.rederive === 1 && context.index) {
    const index = context.index
    const holds = observeRevocations(await listHolds(tx, row.document_id), index.file.revoked, context.now.getTime())
    await saveHolds(tx, row.document_id, holds)
    return derive(tx, row, { file: index.file, index, holds, isNew: false }, context)
  }
  await saveDocument(tx, row)
  await touchVerified(tx, row.document_id, context.now)
  return { row, result: 'verified', reason: undefined, file: context.index?.file, index: context.index, holds: [] }
}

async function derive(
  tx: Db,
  verified: DirectoryDocumentRow,
  content: { file: AdagentsFile; index: FileIndex | undefined; holds: readonly Hold[]; isNew: boolean },
  context: ApplyContext,
): Promise<Applied> {
  const { file, index, holds, isNew } = content
  if (!index) {
    const row = { ...verified, rederive: 0, soonest_at: null }
    await saveDocument(tx, row)
    if (isNew) await replaceIdentifiers(tx, row.document_id, [])
    await dropDocumentClaims(tx, row.document_id, [], context.now, sparedBy(context))
    return { row, result: 'verified', reason: undefined, file, index, holds }
  }
  const changes = selfChanges({ index, holds }, context.now.getTime())
  const row: DirectoryDocumentRow = {
    ...verified,
    rederive: changes.rederive ? 1 : 0,
    soonest_at: changes.soonestAt === undefined ? null : new Date(changes.soonestAt).toISOString(),
  }
  await saveDocument(tx, row)
  if (isNew) await replaceIdentifiers(tx, row.document_id, await inTurns(identifiersOf(index.file)))
  await indexDocument(tx, { row, index, holds, refreshMs: context.limits.refreshMs }, context.owner, context.now)
  return { row, result: 'verified', reason: undefined, file, index, holds }
}

async function applyFailure(tx: Db, before: DirectoryDocumentRow, context: ApplyContext, reason: string): Promise<Applied> {
  const failingSince = before.failing_since ?? context.now.toISOString()
  const nothing = { result: 'failed', reason, file: undefined, index: undefined, holds: [] } as const
  const attempted = {
    ...before,
    attempted_at: context.now.toISOString(),
    failing_since: failingSince,
    ...NOT_LEASED,
  }
  if (before.verified_at === null) {
    await saveDocument(tx, attempted)
    return { row: attempted, ...nothing }
  }
  const expires = expiresAt(
    { verifiedAt: Date.parse(before.verified_at), failingSince: Date.parse(failingSince) },
    context.limits,
  )
  if (expires <= context.now.getTime()) return { row: await forgetFile(tx, attempted, context), ...nothing }
  const row = { ...attempted, expires_at: new Date(expires).toISOString() }
  await saveDocument(tx, row)
  return { row, ...nothing, index: context.index, file: context.index?.file, holds: await listHolds(tx, row.document_id) }
}

/** The file no longer counts: its claims go without tombstones, its holds stay, unlisted. */
export async function forgetFile(
  tx: Db,
  before: DirectoryDocumentRow,
  context: Pick<ApplyContext, 'now' | 'owner' | 'walksOn'>,
): Promise<DirectoryDocumentRow> {
  const row: DirectoryDocumentRow = {
    ...before,
    verified_at: null,
    expires_at: null,
    failing_since: null,
    content: null,
    short_form: 0,
    digest: null,
    etag: null,
    last_modified: null,
    last_updated: null,
    rederive: 0,
    soonest_at: null,
    attempted_at: context.now.toISOString(),
    ...NOT_LEASED,
  }
  const known = await listHolds(tx, row.document_id)
  if (known.length > 0) await saveHolds(tx, row.document_id, observeRevocations(known, new Map(), context.now.getTime()))
  await saveDocument(tx, row)
  await saveBody(tx, row.document_id, undefined)
  await replaceIdentifiers(tx, row.document_id, [])
  const domains = context.owner === undefined ? [] : [context.owner]
  await dropDocumentClaims(tx, row.document_id, domains, context.now, sparedBy(context))
  return row
}

/** Whose own claims stay for now, so that the file at which the walk ends instead finds what was granted before: it may revoke it. */
function sparedBy({ owner, walksOn }: Pick<ApplyContext, 'owner' | 'walksOn'>): string | undefined {
  return walksOn === true ? owner : undefined
}

function verifiedRow(before: DirectoryDocumentRow, { now, limits }: ApplyContext): DirectoryDocumentRow {
  return {
    ...before,
    refresh: before.refresh + 1,
    verified_at: now.toISOString(),
    attempted_at: now.toISOString(),
    failing_since: null,
    expires_at: new Date(expiresAt({ verifiedAt: now.getTime(), failingSince: undefined }, limits)).toISOString(),
    ...NOT_LEASED,
  }
}
