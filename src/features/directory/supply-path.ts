import { publisherDomain } from '../../domain/directory/publisher-domain.ts'
import { judgeSupplyPath } from '../../domain/directory/supply-path/supply-path.ts'
import type { SupplyPathInput, SupplyPathVerdict } from '../../domain/directory/supply-path/types.ts'
import { AUTHORITATIVE_POLICY, WELL_KNOWN_POLICY } from '../../platform/net/fetch-policy.ts'
import type { SafeFetch } from '../../platform/net/safe-fetch.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { requireAgent } from './client.ts'
import { type FileOutcome, fetchAdagents, fetchInventoryPartners, isAnswer, wellKnownUrl } from './fetch-adagents.ts'

export interface SupplyPathRequest {
  /** Domain of the publisher whose inventory carries the collection. */
  readonly hostDomain: string
  /** Domain of the publisher whose collection it is. */
  readonly ownerDomain: string
  readonly agentUrl: string
  /** Absent: whichever collection of the owner has the strongest path. */
  readonly collectionId?: string | undefined
}

/** What was judged, and the verdict. */
export interface SupplyPathReport extends SupplyPathVerdict {
  readonly owner_domain: string
  readonly host_domain: string
  readonly agent_url: string
  /** Why a file gave nothing; empty when both did. */
  readonly unread: readonly string[]
  /** False: a file could not be fetched, so that a stronger path may exist. A domain that has no file has answered. */
  readonly answered: boolean
}

/**
 * Asks owner and host for their files, and the host for its ads.txt and app-ads.txt, and judges the path between them. `held` are revocations that
 * the files do not list any more and that a directory still holds. Throws INVALID_REQUEST for a bad agent URL or domain.
 * Source: AdCP registry, verify/supply-path.
 */
export async function checkSupplyPath(
  { collectionId, ...asked }: SupplyPathRequest,
  { fetch, held }: { readonly fetch: SafeFetch; readonly held?: SupplyPathInput['heldRevocations'] },
): Promise<SupplyPathReport> {
  const ownerDomain = requireDomain('owner_domain', asked.ownerDomain)
  const hostDomain = requireDomain('host_domain', asked.hostDomain)
  const agentUrl = requireAgent(asked.agentUrl)
  const [owner, host, ads, appAds] = await Promise.all([
    readManifest(fetch, ownerDomain),
    readManifest(fetch, hostDomain),
    fetchInventoryPartners(fetch, hostDomain, 'ads.txt'),
    fetchInventoryPartners(fetch, hostDomain, 'app-ads.txt'),
  ])
  const verdict = judgeSupplyPath({
    ownerDomain,
    hostDomain,
    agentUrl,
    collectionId,
    ownerManifest: owner.manifest,
    hostManifest: host.manifest,
    requireExplicitOwnerPublisherDomain: owner.isShared,
    requireExplicitHostPublisherDomain: host.isShared,
    heldRevocations: held,
    hostInventoryPartnerDomains: null,
    hostInventoryPartnerDomainsByFile: { 'ads.txt': ads, 'app-ads.txt': appAds },
  })
  const unread = [owner, host].flatMap(({ reason }) => reason ?? [])
  const answered = owner.answered && host.answered
  return { owner_domain: ownerDomain, host_domain: hostDomain, agent_url: agentUrl, ...verdict, unread, answered }
}

interface ReadManifest {
  readonly manifest: unknown
  /** The file lies with somebody else, so that only what names the publisher is the publisher's. */
  readonly isShared: boolean
  readonly answered: boolean
  readonly reason?: string
}

/** The file of a publisher, after one pointer at most. */
async function readManifest(fetch: SafeFetch, domain: string): Promise<ReadManifest> {
  const own = await fetchAdagents(fetch, wellKnownUrl(domain), WELL_KNOWN_POLICY)
  if (own.kind !== 'fetched') return unread(domain, own)
  if (own.content.kind === 'inline') return { manifest: own.document, isShared: false, answered: true }
  const { location } = own.content
  const end = await fetchAdagents(fetch, location, AUTHORITATIVE_POLICY)
  if (end.kind !== 'fetched') return unread(domain, end)
  if (end.content.kind !== 'inline')
    return { manifest: null, isShared: true, answered: true, reason: `${domain}: ${location} is itself a pointer` }
  return { manifest: end.document, isShared: new URL(location).hostname !== domain, answered: true }
}

function unread(
  domain: string,
  outcome: FileOutcome<unknown> & { readonly reason?: string; readonly publicReason?: string },
): ReadManifest {
  return {
    manifest: null,
    isShared: false,
    answered: isAnswer(outcome),
    reason: `${domain}: ${outcome.publicReason ?? outcome.reason ?? 'the file gives nothing'}`,
  }
}

function requireDomain(field: string, text: string): string {
  const domain = publisherDomain(text)
  if (domain === undefined) throw new AdcpError('INVALID_REQUEST', `"${text.slice(0, 300)}" is not a domain`, { field })
  return domain
}
