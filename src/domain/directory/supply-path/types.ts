/** Strongest first. */
export const SUPPLY_PATH_STATES = ['verified_owner_sold', 'host_delegated', 'owner_attested', 'unverified'] as const
export type SupplyPathState = (typeof SUPPLY_PATH_STATES)[number]

export type LegFailure =
  | 'manifest_not_found'
  | 'publisher_revoked'
  | 'collection_not_declared'
  | 'collection_leg_failed'
  | 'no_distribution_for_host'
  | 'host_manifest_not_found'
  | 'property_ids_unresolved'
  | 'agent_not_declared_by_owner'
  | 'no_agent_entry'
  | 'collection_scope_mismatch'
  | 'property_scope_mismatch'
  | 'unsupported_constraints'
  | 'ads_txt_unavailable'
  | 'not_declared'
  | 'not_evaluated'
  | 'evaluation_limit_exceeded'

export type Leg = { readonly ok: true } | { readonly ok: false; readonly failure: LegFailure }

export interface SupplyPathLegs {
  readonly owner_collection_declared: Leg
  readonly owner_distribution_carriage: Leg
  readonly owner_agent_declared: Leg
  readonly host_authorization: Leg
  /** What the host's ads.txt or app-ads.txt says of the owner. */
  readonly inventory_partner_domain: Leg
}

export interface SupplyPathVerdict {
  readonly semantics_version: string
  readonly state: SupplyPathState
  readonly legs: SupplyPathLegs
  /** The collection that the verdict is about; absent when the owner declares none such. */
  readonly resolved_collection_id?: string
}

/** Files of the host that name inventory partners (IAB ads.txt 1.1, INVENTORYPARTNERDOMAIN). */
export type PartnerFile = 'ads.txt' | 'app-ads.txt'

export interface SupplyPathInput {
  readonly ownerDomain: string
  readonly hostDomain: string
  readonly agentUrl: string
  /** Absent: any collection that the owner declares. */
  readonly collectionId?: string | undefined
  /** Decoded adagents.json files; null where there is none. */
  readonly ownerManifest: unknown
  readonly hostManifest: unknown
  /** `null`: not available; `[]`: read, and it names none. */
  readonly hostInventoryPartnerDomains: readonly string[] | null
  /** The same for each file; overrides the combined list. */
  readonly hostInventoryPartnerDomainsByFile?: Readonly<Partial<Record<PartnerFile, readonly string[] | null>>> | undefined
  readonly inventoryPartnerDomainEvaluated?: boolean | undefined
  /** Properties of the host that the sale is about, beside those that carry the collection. */
  readonly requiredHostPropertyIds?: readonly string[] | undefined
  /** The file is shared by several publishers, so that only what names the owner (the host) is theirs. */
  readonly requireExplicitOwnerPublisherDomain?: boolean | undefined
  readonly requireExplicitHostPublisherDomain?: boolean | undefined
  /** Domains that a file revoked within the last seven days, and no longer lists. */
  readonly heldRevocations?: { readonly owner?: readonly string[]; readonly host?: readonly string[] } | undefined
}

export type Manifest = Readonly<Record<string, unknown>>

/** An input in canonical form. */
export interface Path {
  readonly ownerDomain: string
  readonly hostDomain: string
  /** Undefined for a URL that names no agent. */
  readonly agent: string | undefined
  readonly owner: Manifest | undefined
  readonly host: Manifest | undefined
  readonly collectionId: string | undefined
  readonly requiredHostPropertyIds: readonly string[]
  readonly ownerMustBeNamed: boolean
  readonly hostMustBeNamed: boolean
  readonly revocations: Revocations
  readonly partners: {
    readonly evaluated: boolean
    readonly combined: readonly string[] | null
    readonly byFile: SupplyPathInput['hostInventoryPartnerDomainsByFile']
  }
}

export interface Revocations {
  /** The owner's file revokes the owner. */
  readonly ownerItself: boolean
  /** The host's file revokes the host. */
  readonly hostItself: boolean
  /** One of them revokes the other, or has a list that cannot be read. */
  readonly betweenThem: boolean
}

export const OK: Leg = { ok: true }

export function failed(failure: LegFailure): Leg {
  return { ok: false, failure }
}
