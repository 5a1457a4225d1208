import type { AdagentsFile } from '../../domain/directory/adagents-file.ts'
import type { RouteMethod } from '../../domain/directory/claim.ts'
import type { Served } from '../../domain/directory/crawled-publisher.ts'
import { expiresAt, type PointerState } from '../../domain/directory/freshness.ts'
import type { FileIndex } from '../../domain/directory/resolve.ts'
import { findBody, findDocument, saveBody, saveDocument } from '../../store/directory/directory-documents.ts'
import type { DirectoryDocumentRow, DirectoryPublisherRow } from '../../store/directory/rows.ts'
import { type ObservedPointer, observeChange } from './examine-pointer.ts'
import { adsTxtUrl, type FileOutcome, fetchManagerDomain, isUnusable, wellKnownUrl } from './fetch-adagents.ts'
import { type RefreshDeps, refuseUnaskedUnchanged, type SharedDocument, type SharedDocuments } from './shared-documents.ts'

/** Where a publisher's own discovery walk ends, and what its own address serves. */
export interface Walk {
  readonly serves: Served
  readonly pointer: PointerState
  readonly route:
    | { readonly method: 'direct'; readonly manager: null }
    | { readonly method: Exclude<RouteMethod, 'direct'>; readonly manager: string; readonly end: WalkEnd }
    | undefined
  /** Why the walk did not end at a file, in words. */
  readonly reason: string | undefined
}

/** A shared file at the end of a walk; without an index nothing of it counts at the moment. */
export interface WalkEnd {
  readonly row: DirectoryDocumentRow
  readonly index: FileIndex | undefined
}

export interface WalkContext {
  readonly deps: RefreshDeps
  readonly shared: SharedDocuments
  readonly publisher: DirectoryPublisherRow
  /** The row of the publisher's own file before this refresh. */
  readonly own: DirectoryDocumentRow
  readonly outcome: FileOutcome<AdagentsFile>
  /** An operator confirms a changed pointer. */
  readonly acceptPointer: boolean
  readonly maxAgeMs: number
}

/**
 * Follows a publisher's discovery: its own file, one pointer hop, or the manager that its ads.txt names.
 * Source: AdCP publisher directory page, AdCP managed networks page.
 */
export async function walkFrom(context: WalkContext): Promise<Walk> {
  const { outcome, publisher, own } = context
  const pointer = pointerOf(publisher)
  switch (outcome.kind) {
    case 'fetched':
      if (outcome.content.kind === 'inline') return direct()
      return followPointer(context, await observeChange(context, pointer, outcome.content))
    case 'unchanged': {
      if (publisher.serves === 'inline') return direct()
      const lastUpdated = own.last_updated === null ? undefined : Date.parse(own.last_updated)
      const location = pointer.pending ?? pointer.adopted ?? ''
      return followPointer(context, await observeChange(context, pointer, { location, lastUpdated }))
    }
    case 'invalid':
      return { serves: 'invalid', pointer: NO_POINTER, route: undefined, reason: outcome.reason }
    case 'absent':
      if (!outcome.fallback) return { serves: 'absent', pointer: NO_POINTER, route: undefined, reason: outcome.reason }
      return followAdsTxt(context, outcome.reason)
    case 'failed':
      return holdOn(context, outcome.reason)
  }
}

const NO_POINTER: PointerState = { adopted: undefined, pending: undefined, pendingSince: undefined }

function direct(): Walk {
  return { serves: 'inline', pointer: NO_POINTER, route: { method: 'direct', manager: null }, reason: undefined }
}

/** The own address gave nothing this time: what is held stays in force within its lifetime. */
async function holdOn(context: WalkContext, reason: string): Promise<Walk> {
  const { publisher, own, deps, outcome } = context
  const failingSince = own.failing_since === null ? nowOf(context) : Date.parse(own.failing_since)
  const verifiedAt = own.verified_at === null ? Number.POSITIVE_INFINITY : Date.parse(own.verified_at)
  const isOver = expiresAt({ verifiedAt, failingSince }, deps.limits) <= nowOf(context)
  if (isOver || publisher.serves === 'unknown') {
    return { serves: isUnusable(outcome) ? 'invalid' : 'unknown', pointer: NO_POINTER, route: undefined, reason }
  }
  if (publisher.serves === 'inline') return { ...direct(), reason }
  if (publisher.serves === 'pointer')
    return { ...(await followPointer(context, { pointer: pointerOf(publisher), objection: undefined })), reason }
  if (publisher.route_method === 'ads_txt_managerdomain') return followAdsTxt(context, reason)
  return { serves: publisher.serves, pointer: NO_POINTER, route: undefined, reason }
}

async function followPointer(context: WalkContext, { pointer, objection }: ObservedPointer): Promise<Walk> {
  const { shared, publisher, maxAgeMs } = context
  const location = pointer.adopted
  if (location === undefined || location === wellKnownUrl(publisher.publisher_domain)) {
    return { serves: 'pointer', pointer, route: undefined, reason: 'authoritative_location points back at the file itself' }
  }
  const end = await shared.get(location, { kind: 'authoritative_location', fansOut: true, maxAgeMs })
  const nested = end.file?.kind === 'pointer' ? 'the authoritative_location is itself a pointer' : undefined
  const held = objection === undefined ? 'awaits adoption' : `is held back: ${objection}`
  const changed = pointer.pending === undefined ? undefined : `a changed authoritative_location (${pointer.pending}) ${held}`
  return {
    serves: 'pointer',
    pointer,
    route: { method: 'authoritative_location', manager: new URL(location).hostname, end },
    reason: nested ?? (end.index === undefined ? `authoritative_location: ${end.reason}` : changed),
  }
}

async function followAdsTxt(context: WalkContext, reason: string): Promise<Walk> {
  const { publisher, shared, maxAgeMs } = context
  const none = (why: string): Walk => ({ serves: 'absent', pointer: NO_POINTER, route: undefined, reason: `${reason}; ${why}` })
  const { manager, reason: why } = await managerOf(context)
  if (manager === undefined) return none(why ?? 'ads.txt names no manager')
  if (manager === publisher.publisher_domain) return none('ads.txt names the publisher itself as its manager')
  let end: SharedDocument = await shared.get(wellKnownUrl(manager), { kind: 'well_known', fansOut: false, maxAgeMs })
  if (end.file?.kind === 'pointer') {
    end = await shared.get(end.file.location, { kind: 'authoritative_location', fansOut: false, maxAgeMs })
  }
  if (end.index === undefined) return none(`manager ${manager}: ${end.reason ?? 'its file is only a pointer'}`)
  return { serves: 'absent', pointer: NO_POINTER, route: { method: 'ads_txt_managerdomain', manager, end }, reason: undefined }
}

/** The manager that ads.txt names now, or named when it was last readable, within the lifetime of a file. */
async function managerOf(context: WalkContext): Promise<{ manager: string | undefined; reason?: string }> {
  const { deps, publisher } = context
  const before = await findDocument(deps.store.read, adsTxtUrl(publisher.publisher_domain))
  const held = before.verified_at === null ? undefined : await findBody(deps.store.read, before.document_id)
  const validators = held === undefined ? {} : { etag: before.etag ?? undefined, lastModified: before.last_modified ?? undefined }
  const answer = await fetchManagerDomain(deps.fetch, publisher.publisher_domain, validators)
  const outcome = held === undefined ? refuseUnaskedUnchanged(answer) : answer
  const now = deps.clock()
  if (outcome.kind === 'fetched' || outcome.kind === 'unchanged') {
    const body = outcome.kind === 'fetched' ? outcome.body : (held ?? '')
    await deps.store.transaction(async (tx) => {
      const fresh = outcome.kind === 'fetched' ? { etag: outcome.etag ?? null, last_modified: outcome.lastModified ?? null } : {}
      const verified = { verified_at: now.toISOString(), attempted_at: now.toISOString(), failing_since: null }
      await saveDocument(tx, { ...before, ...fresh, ...verified, refresh: before.refresh + 1 })
      await saveBody(tx, before.document_id, body)
    })
    return { manager: body === '' ? undefined : body }
  }
  const isGone = outcome.kind !== 'failed'
  const failingSince = before.failing_since ?? now.toISOString()
  const lasts =
    held !== undefined &&
    !isGone &&
    expiresAt({ verifiedAt: Date.parse(before.verified_at ?? ''), failingSince: Date.parse(failingSince) }, deps.limits) >
      now.getTime()
  await deps.store.transaction((tx) =>
    saveDocument(tx, {
      ...before,
      attempted_at: now.toISOString(),
      failing_since: failingSince,
      ...(!lasts && { verified_at: null, etag: null, last_modified: null }),
    }),
  )
  return lasts && held !== '' ? { manager: held } : { manager: undefined, reason: `ads.txt: ${outcome.reason}` }
}

function pointerOf(publisher: DirectoryPublisherRow): PointerState {
  return {
    adopted: publisher.pointer_adopted ?? undefined,
    pending: publisher.pointer_pending ?? undefined,
    pendingSince: publisher.pointer_pending_since === null ? undefined : Date.parse(publisher.pointer_pending_since),
  }
}

function nowOf(context: WalkContext): number {
  return context.deps.clock().getTime()
}
