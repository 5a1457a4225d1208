import type { InlineFile } from '../../domain/directory/adagents-file.ts'
import { agentKey } from '../../domain/directory/agent-url.ts'
import { observePointer, type PointerState } from '../../domain/directory/freshness.ts'
import { type BrandWord, objectionTo, pointedFile } from '../../domain/directory/pointer-change.ts'
import { inTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
import { parseJson } from '../../platform/decode/parse-json.ts'
import { AUTHORITATIVE_POLICY } from '../../platform/net/fetch-policy.ts'
import { keyDocuments } from '../../security/auth/key-documents.ts'
import type { FetchDocument } from '../../security/signing/remote-keys.ts'
import { findKnownAgents } from '../../store/directory/directory-agents.ts'
import { findBody, findDocument } from '../../store/directory/directory-documents.ts'
import { createBrandResolver } from '../brands/resolve-brand.ts'
import { fetchAdagents, readAdagents } from './fetch-adagents.ts'
import type { RefreshDeps } from './shared-documents.ts'
import type { WalkContext } from './walk.ts'

export interface ObservedPointer {
  readonly pointer: PointerState
  /** Why a changed pointer is not adopted by the passing of time alone. */
  readonly objection: string | undefined
}

/**
 * Takes note of where a publisher's pointer leads now. A change that no operator has confirmed is examined: the candidate file (which
 * counts for nothing yet), the file in force, the publisher's brand.json, and which agents are known. Each refresh examines anew, and
 * warns as long as the change waits.
 */
export async function observeChange(
  context: WalkContext,
  before: PointerState,
  seen: { readonly location: string; readonly lastUpdated: number | undefined },
): Promise<ObservedPointer> {
  const { deps, publisher, acceptPointer: confirmed } = context
  const now = deps.clock().getTime()
  const isChange = before.adopted !== undefined && before.adopted !== seen.location
  const objection = isChange && !confirmed ? await examine(context, before.adopted, seen) : undefined
  const pointer = observePointer(before, seen.location, now, { confirmed, objects: objection !== undefined })
  if (pointer.pending !== undefined) {
    const details = { domain: publisher.publisher_domain, adopted: pointer.adopted, pending: pointer.pending, objection }
    deps.warn(details, 'a changed authoritative_location is not adopted yet')
  }
  return { pointer, objection }
}

async function examine(
  { deps, publisher }: WalkContext,
  adopted: string,
  seen: { readonly location: string; readonly lastUpdated: number | undefined },
): Promise<string | undefined> {
  const domain = publisher.publisher_domain
  const pointed = async (file: InlineFile | undefined) => file && (await inTurns(pointedFile(file, domain)))
  const candidate = await pointed(await inlineAt(deps, seen.location))
  return objectionTo({
    publisher: domain,
    pointerUpdated: seen.lastUpdated,
    candidate,
    held: await pointed(await fileInForce(deps, adopted)),
    brand: await brandWordOf(deps, domain),
    known: await findKnownAgents(deps.store.read, candidate?.agents ?? []),
  })
}

async function fileInForce({ store }: RefreshDeps, location: string): Promise<InlineFile | undefined> {
  const row = await findDocument(store.read, location)
  const body = row.verified_at === null ? undefined : await findBody(store.read, row.document_id)
  const file = body === undefined ? undefined : (await readAdagents(body))?.file
  return file?.kind === 'inline' ? file : undefined
}

async function inlineAt(deps: RefreshDeps, location: string): Promise<InlineFile | undefined> {
  const outcome = await fetchAdagents(deps.fetch, location, AUTHORITATIVE_POLICY)
  return outcome.kind === 'fetched' && outcome.content.kind === 'inline' ? outcome.content : undefined
}

/** What the brand.json of a publisher says now. A page in its place (many sites answer every path) is no brand.json. */
async function brandWordOf(deps: RefreshDeps, domain: string): Promise<BrandWord> {
  const resolver = createBrandResolver({ fetchDocument: withRefusalsAsAbsence(keyDocuments(deps.fetch)), parseJson })
  const resolution = await resolver.resolve(domain, { now: deps.clock() })
  if (!resolution.ok) return { kind: resolution.reason === 'unreachable' ? 'unreadable' : 'silent' }
  const { agents, lastUpdated } = resolution.brand
  if (agents.length === 0) return { kind: 'silent' }
  const keys = new Set(agents.flatMap(({ url }) => agentKey(url) ?? []))
  const updated = lastUpdated === undefined ? Number.NaN : Date.parse(lastUpdated)
  return { kind: 'names', agents: keys, lastUpdated: Number.isNaN(updated) ? undefined : updated }
}

/** Object stores and firewalls answer 401 or 403 for a file that is not there. */
function withRefusalsAsAbsence(fetchDocument: FetchDocument): FetchDocument {
  return async (url, limits) => {
    const document = await fetchDocument(url, limits)
    return document.status === 401 || document.status === 403 ? { ...document, status: 404 } : document
  }
}
