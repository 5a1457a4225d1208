import { isObject } from '../../../protocol/is-object.ts'
import { agentKey } from '../agent-url.ts'
import { publisherDomain } from '../publisher-domain.ts'
import { exceedsLimits } from './evaluation-limits.ts'
import { judgeHost } from './host-leg.ts'
import { judgeCarriage, judgeCollection, judgeOwnerAgent } from './owner-legs.ts'
import { judgePartner } from './partner-leg.ts'
import { collectionsOf } from './read-manifest.ts'
import { readRevocations } from './revocations.ts'
import {
  type Leg,
  type LegFailure,
  type Path,
  SUPPLY_PATH_STATES,
  type SupplyPathInput,
  type SupplyPathLegs,
  type SupplyPathState,
  type SupplyPathVerdict,
} from './types.ts'

/** Version of the rules, which a consumer compares before it relies on a verdict. */
export const SEMANTICS_VERSION = '1'

const LEGS = [
  'owner_collection_declared',
  'owner_distribution_carriage',
  'owner_agent_declared',
  'host_authorization',
  'inventory_partner_domain',
] as const satisfies readonly (keyof SupplyPathLegs)[]

/**
 * Whether an agent may sell a collection of an owner on the inventory of a host, judged from the two parties' files alone: both name the
 * agent, the owner says where the collection is carried, the host says for which collections of whom. Without a collection the strongest
 * single one counts. What the rules do not know (countries, times, placements, unknown members) grants nothing. Never throws.
 * Source: AdCP registry, verify/supply-path, semantics version 1 (test-vectors/supply-path).
 */
export function judgeSupplyPath(input: SupplyPathInput): SupplyPathVerdict {
  if (exceedsLimits(input)) return refused('evaluation_limit_exceeded')
  const path = pathOf(input)
  if (path.collectionId !== undefined) return judgePath(path, path.collectionId)
  const ids = [
    ...new Set(collectionsOf(path.owner, path).flatMap(({ collection_id: id }) => (typeof id === 'string' ? [id] : []))),
  ]
  const verdicts = ids.map((id) => judgePath(path, id))
  const [first = judgePath(path, undefined)] = verdicts
  return verdicts.reduce((best, verdict) => (rank(verdict) < rank(best) ? verdict : best), first)
}

function pathOf(input: SupplyPathInput): Path {
  const { ownerDomain, hostDomain } = input
  const [owner, host] = [input.ownerManifest, input.hostManifest].map((manifest) => (isObject(manifest) ? manifest : undefined))
  const domains = { ownerDomain: publisherDomain(ownerDomain) ?? '', hostDomain: publisherDomain(hostDomain) ?? '' }
  return {
    ...domains,
    agent: agentKey(input.agentUrl),
    owner,
    host,
    collectionId: input.collectionId,
    requiredHostPropertyIds: input.requiredHostPropertyIds ?? [],
    ownerMustBeNamed: input.requireExplicitOwnerPublisherDomain === true,
    hostMustBeNamed: input.requireExplicitHostPublisherDomain === true,
    revocations: readRevocations(owner, host, domains, input.heldRevocations),
    partners: {
      evaluated: input.inventoryPartnerDomainEvaluated !== false,
      combined: input.hostInventoryPartnerDomains,
      byFile: input.hostInventoryPartnerDomainsByFile,
    },
  }
}

function judgePath(path: Path, collectionId: string | undefined): SupplyPathVerdict {
  const { leg: declared, collection } = judgeCollection(path, collectionId)
  const { leg: carriage, carried, isProof } = judgeCarriage(path, collection)
  const legs: SupplyPathLegs = {
    owner_collection_declared: declared,
    owner_distribution_carriage: carriage,
    owner_agent_declared: judgeOwnerAgent(path, collectionId),
    host_authorization: judgeHost(path, { collectionId, carried: carriage.ok && isProof ? carried : undefined }),
    inventory_partner_domain: judgePartner(path, carried),
  }
  const verdict = { semantics_version: SEMANTICS_VERSION, state: stateOf(path, legs), legs }
  return declared.ok && collectionId !== undefined ? { ...verdict, resolved_collection_id: collectionId } : verdict
}

/** The evidence of `inventorypartnerdomain` is weaker: it names the owner, and neither an agent nor a property. */
function stateOf({ revocations }: Path, legs: SupplyPathLegs): SupplyPathState {
  if (!legs.owner_collection_declared.ok) return 'unverified'
  const agentIsDeclared = legs.owner_agent_declared.ok
  if (agentIsDeclared && legs.owner_distribution_carriage.ok && legs.host_authorization.ok) return 'verified_owner_sold'
  const isRevoked = revocations.betweenThem || revocations.hostItself
  return agentIsDeclared && legs.inventory_partner_domain.ok && !isRevoked ? 'host_delegated' : 'owner_attested'
}

/** Lower is stronger: the state, then the number of legs that hold. */
function rank({ state, legs }: SupplyPathVerdict): number {
  return SUPPLY_PATH_STATES.indexOf(state) * 10 - LEGS.filter((leg) => legs[leg].ok).length
}

function refused(failure: LegFailure): SupplyPathVerdict {
  const leg: Leg = { ok: false, failure }
  return {
    semantics_version: SEMANTICS_VERSION,
    state: 'unverified',
    legs: {
      owner_collection_declared: leg,
      owner_distribution_carriage: leg,
      owner_agent_declared: leg,
      host_authorization: leg,
      inventory_partner_domain: leg,
    },
  }
}
