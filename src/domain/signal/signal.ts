import type { AccountName } from '../party.ts'
import type { VendorPrice } from '../vendor-price.ts'

/** What a signal costs. */
export type SignalPrice = VendorPrice

/** Whose data it is made of (AdCP enums/signal-catalog-type.json). */
export type SignalType = 'marketplace' | 'custom' | 'owned'
/** What it says of somebody (AdCP enums/signal-value-type.json). */
export type SignalValueType = 'binary' | 'categorical' | 'numeric'

/** A platform that the segment can be delivered to. Sales agents need no entry: every signal can be activated on any of them. */
export interface PlatformOffer {
  readonly platform: string
  /** How long the platform takes until the segment is live, in minutes; absent or 0 = at once. */
  readonly activation_minutes?: number
  /** The segment's id on the platform, where all buyers share one; absent = one for each buyer. */
  readonly segment_id?: string
}

/** A signal of the import file (schemas/signals-import.json). */
export interface SignalDocument {
  readonly signal_agent_segment_id: string
  readonly name: string
  readonly description: string
  readonly signal_type: SignalType
  readonly value_type: SignalValueType
  readonly categories?: readonly string[]
  readonly range?: { readonly min: number; readonly max: number }
  /** Domain of the provider, one of the file's `data_providers`; absent for the publisher's own signals. */
  readonly data_provider_domain?: string
  /** Id within the provider's catalog; absent = the segment's own. */
  readonly signal_id?: string
  readonly coverage_percentage: number
  readonly keywords?: readonly string[]
  /** Countries that it covers, ISO 3166-1 alpha-2; absent = no restriction. */
  readonly countries?: readonly string[]
  readonly restricted_attributes?: readonly string[]
  readonly policy_categories?: readonly string[]
  readonly pricing_options: readonly SignalPrice[]
  /** Prices agreed with single accounts, in place of `pricing_options`. */
  readonly account_pricing?: readonly { readonly account: AccountName; readonly pricing_options: readonly SignalPrice[] }[]
  readonly platforms?: readonly PlatformOffer[]
  /** Agents that it is offered to, by principal id; absent = all. */
  readonly offered_to?: readonly string[]
}

export interface DataProvider {
  readonly domain: string
  readonly name: string
}

/** An import file that was found right (schemas/signals-import.json). */
export interface SignalsFile {
  readonly version: 1
  readonly data_providers?: readonly DataProvider[]
  readonly signals: readonly SignalDocument[]
}

/** A signal on offer, with the party whose data it is. */
export interface Signal {
  readonly segmentId: string
  readonly document: SignalDocument
  /** Domain of the provider whose published catalog lists it; undefined for one that is native to this agent. */
  readonly providerDomain: string | undefined
  readonly providerName: string
}

/** The signal of a document; `publisherName` represents the publisher's own data. */
export function signalOf(document: SignalDocument, providers: readonly DataProvider[], publisherName: string): Signal {
  const provider = providers.find(({ domain }) => domain === document.data_provider_domain)
  return {
    segmentId: document.signal_agent_segment_id,
    document,
    providerDomain: document.data_provider_domain,
    providerName: provider?.name ?? document.data_provider_domain ?? publisherName,
  }
}

/** Whether a signal is offered to an agent. */
export function isOfferedTo({ document }: Signal, principalId: string): boolean {
  return document.offered_to?.includes(principalId) ?? true
}
