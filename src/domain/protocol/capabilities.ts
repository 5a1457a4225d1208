import type { GetAdCPCapabilitiesRequest, GetAdCPCapabilitiesResponse } from '@adcp/sdk/types'
import type { DigestPolicy } from '../../protocol/digest-policy.ts'
import type { Manifest } from '../../protocol/manifest.ts'
import { CHANGE_FEED } from '../account/account-change.ts'
import type { KeptTerms } from '../ad-serving/kept-offer.ts'
import { brandCapabilities, conversationCapabilities } from '../brand/capabilities.ts'
import type { CreativeFeature } from '../creative/features/feature.ts'
import { brandJsonUrlOf } from '../identity/documents.ts'
import { COMPACT_LIFECYCLE } from '../identity/lifecycle.ts'
import type { SigningProfileName } from '../identity/principal.ts'
import { BILLING_PARTIES, type BillingParty } from '../identity/principal.ts'
import { CAP_ZONE } from '../media-buy/present-cap.ts'
import { REFINEMENT_SUPPORT } from '../proposal/refinement-support.ts'
import { reportingCapability } from '../reporting/offering.ts'
import { buyerDataCapabilities } from './buyer-data-capabilities.ts'
import { scenariosOf } from './controller-scenarios.ts'
import { type BuildTarget, creativeCapabilities, creativeFeatures } from './creative-capabilities.ts'
import { executionCapabilities } from './execution-capabilities.ts'
import { experimentalFeatures } from './experimental-features.ts'
import { offersSpecialism, portfolioOf, type WholeOffer } from './offer.ts'
import type { Simulated } from './simulated-backends.ts'
import { isWired, SPECIALISMS, type Specialism } from './specialisms.ts'

type Protocol = GetAdCPCapabilitiesResponse['supported_protocols'][number]
/** The capabilities document of any release. */
export type Capabilities = Omit<GetAdCPCapabilitiesResponse, 'specialisms' | 'media_buy'> & {
  readonly specialisms: readonly Specialism[]
  readonly media_buy?: MediaBuyCapabilities
}
type MediaBuyCapabilities = Omit<NonNullable<GetAdCPCapabilitiesResponse['media_buy']>, 'features'> & {
  readonly features: Readonly<Record<string, unknown>>
}

/** The tasks without which a protocol is not served. */
const PROTOCOLS: readonly (readonly [Protocol, readonly string[]])[] = [
  ['media_buy', ['get_products', 'create_media_buy', 'get_media_buy_delivery']],
  ['creative', ['list_creative_formats', 'sync_creatives', 'list_creatives', 'preview_creative']],
  ['signals', ['get_signals', 'activate_signal']],
  ['brand', ['get_brand_identity']],
  ['sponsored_intelligence', ['si_get_offering', 'si_initiate_session', 'si_send_message', 'si_terminate_session']],
  ['governance', ['create_property_list', 'create_collection_list', 'create_content_standards']],
]

export interface WiredFeatures extends WholeOffer {
  /** Names of the tasks that the publisher offers to this caller. */
  readonly tasks: ReadonlySet<string>
  /** Names of all tasks of the server. */
  readonly built: ReadonlySet<string>
  /** Backends whose results are made up. */
  readonly simulated: readonly Simulated[]
  readonly majors: readonly number[]
  /** Release lines that callers may name. */
  readonly releases: readonly string[]
  /** Specialisms of the release that the answer is given in. */
  readonly specialisms: Manifest['specialisms']
  readonly idempotency: { readonly replayTtlSeconds: number; readonly inFlightMaxSeconds: number }
  /** Whether creatives of the caller may have to pass a person before they serve. */
  readonly reviewsCreatives: boolean
  /** Matched members that an audience needs before it can be targeted. */
  readonly minimumAudienceSize: number
  /** Tasks of which every call changes state, and those of which at least some calls do. */
  readonly changing: readonly string[]
  readonly signable: readonly string[]
  /** The signing policy as it holds for this caller's publisher in the release of the answer. */
  readonly signing: {
    readonly profile: SigningProfileName
    readonly contentDigest: DigestPolicy
    readonly requiredFor: ReadonlySet<string>
    readonly protocolMethodsRequiredFor: ReadonlySet<string>
  }
  readonly publisherDomain: string
  /** Formats that creatives are built in, where the answer lists them. */
  readonly buildTargets: readonly BuildTarget[]
  /** What creatives are evaluated for; empty when nothing is. */
  readonly creativeFeatures: readonly CreativeFeature[]
  /** Undefined: every billing party. */
  readonly billing: readonly BillingParty[] | undefined
  /** What the products on sale can be bought by at their ad servers. */
  readonly kept: KeptTerms
  /** Algorithms of webhook signatures; empty when no webhooks are sent. */
  readonly webhookAlgorithms: readonly ('ed25519' | 'ecdsa-p256-sha256')[]
  readonly protocols: GetAdCPCapabilitiesRequest['protocols']
  /** Domains of the data providers whose signals the publisher resells. */
  readonly dataProviders: readonly string[]
  /** Scheme and host of this agent. */
  readonly origin: string
  /** Whether all ad servers of the caller's orders count by the hour. */
  readonly countsHours: boolean
  /** Whether the release of the answer has the declarations that 3.1 brought. */
  readonly later: boolean
  /** Whether an ad server keeps limits on what a day costs, in a release that has them. */
  readonly dailyCaps: boolean
  /** Whether the release of the answer has policies of bidding. */
  readonly biddingPolicies: boolean
  /** Whether the publisher's packages are matched by Trusted Match. */
  readonly trustedMatch: boolean
}

/** A media buy has the currency of what it buys, and days of delivery and billing are those of UTC, whatever the account (AdCP 3.2). */
const ACCOUNT_MODES = {
  supported_account_currency_modes: ['per_media_buy'],
  timezone: { mode: 'seller_fixed', fixed_timezone: 'UTC' },
} as const

/** The bids that media buys and packages take, each where its price is an auction of its kind (AdCP 3.2 core/bidding-policy-capability.json). */
const BID_MODES = { fixed: { modes: ['automatic', 'bid_amount', 'max_bid'] } } as const
const BIDDING = { bidding_policy: { media_buy: BID_MODES, package: BID_MODES } }

/** Limits on what a day costs (protocol/get-adcp-capabilities-response.json, `media_buy.budget_capping`). */
const DAILY_CAPS = {
  budget_capping: {
    supported_scopes: ['media_buy', 'package'],
    supported_periods: ['day'],
    timezone_basis: 'fixed',
    fixed_timezone: CAP_ZONE,
    buyer_timezone_override: false,
  },
} as const

/** The protocols that the tasks which a publisher offers make up. */
export function servedProtocols(offered: ReadonlySet<string>): readonly Protocol[] {
  return PROTOCOLS.filter(([, tasks]) => tasks.every((task) => offered.has(task))).map(([protocol]) => protocol)
}

/** The capabilities document (AdCP protocol/get-adcp-capabilities): every statement follows from what is wired. */
export function describeCapabilities(wired: WiredFeatures): Capabilities {
  const served = servedProtocols(wired.tasks)
  const asked = (protocol: Protocol): boolean =>
    served.includes(protocol) && (!wired.protocols || (wired.protocols as readonly string[]).includes(protocol))
  const adcp = {
    major_versions: [...wired.majors],
    supported_versions: [...wired.releases],
    idempotency: {
      supported: true as const,
      replay_ttl_seconds: wired.idempotency.replayTtlSeconds,
      ...(wired.later && { in_flight_max_seconds: wired.idempotency.inFlightMaxSeconds }),
    },
  }
  const experimental = experimentalFeatures(wired.tasks, wired.trustedMatch)
  return {
    adcp,
    supported_protocols: served as [Protocol, ...Protocol[]],
    specialisms: SPECIALISMS.filter(
      (specialism) => isWired(specialism, wired.specialisms, wired.built) && offersSpecialism(specialism, wired),
    ),
    account: {
      require_operator_auth: false,
      supported_billing: [...(wired.billing ?? BILLING_PARTIES)] as ['operator'],
      ...(wired.later && ACCOUNT_MODES),
      ...(wired.tasks.has('list_account_changes') && CHANGE_FEED),
      required_for_products: false,
      account_financials: wired.tasks.has('get_account_financials'),
      sandbox: true,
    },
    ...(asked('media_buy') && { media_buy: mediaBuy(wired) }),
    ...(asked('creative') && { creative: creativeCapabilities(wired.tasks, wired.later, wired.buildTargets) }),
    ...(asked('governance') && wired.creativeFeatures.length > 0 && { governance: creativeFeatures(wired.creativeFeatures) }),
    ...(asked('signals') && { signals: signals(wired) }),
    ...(asked('brand') && { brand: brandCapabilities(wired.brands, wired.later) }),
    ...(asked('sponsored_intelligence') && { sponsored_intelligence: conversationCapabilities(wired.origin, wired.brands) }),
    ...(experimental.length > 0 && { experimental_features: [...experimental] }),
    ...(wired.later && {
      wholesale_feed_versioning: { supported: true, pricing_version_separate: false, cache_scope_account: true },
    }),
    request_signing: requestSigning(wired),
    ...(wired.origin.startsWith('https:') && { identity: identity(wired) }),
    ...(wired.webhookAlgorithms.length > 0 && { webhook_signing: webhookSigning(wired) }),
    ...(wired.tasks.has('comply_test_controller') && {
      compliance_testing: {
        scenarios: scenariosOf({ later: wired.later, reports: wired.tasks.has('get_reporting_status') }),
      },
    }),
    ...(wired.simulated.length > 0 && { ext: { simulated_backends: wired.simulated } }),
  }
}

/** The type is that of 3.0, whose list has six names; later releases take any. */
function signals({ dataProviders, later }: WiredFeatures): NonNullable<GetAdCPCapabilitiesResponse['signals']> {
  const [first, ...others] = dataProviders
  return {
    ...(first !== undefined && { data_provider_domains: [first, ...others] as [string] }),
    ...(later && { discovery_modes: ['brief', 'wholesale'] }),
    features: { catalog_signals: first !== undefined },
  }
}

/** Where the chain from this agent's URL to its keys begins (AdCP "Discovering an agent's signing keys via brand_json_url"). */
function identity({
  origin,
  webhookAlgorithms,
}: WiredFeatures): NonNullable<GetAdCPCapabilitiesResponse['identity']> & { brand_json_url: string } {
  return {
    brand_json_url: brandJsonUrlOf({ origin }),
    key_origins: { request_signing: origin, ...(webhookAlgorithms.length > 0 && { webhook_signing: origin }) },
  }
}

/** Signatures are useful where something changes; under 3.1 and 3.2 those tasks require them. */
function requestSigning(wired: WiredFeatures): NonNullable<GetAdCPCapabilitiesResponse['request_signing']> {
  const { tasks, signing, changing, signable, later } = wired
  const methods = [...signing.protocolMethodsRequiredFor].sort()
  const required = signing.profile !== '3.0' ? changing.filter((task) => tasks.has(task)) : []
  return {
    supported: true,
    covers_content_digest: signing.contentDigest,
    required_for: [...new Set([...required, ...[...signing.requiredFor].filter((task) => tasks.has(task))])].sort(),
    supported_for: signable.filter((task) => tasks.has(task)).sort(),
    ...(later && methods.length > 0 && { protocol_methods_supported_for: methods, protocol_methods_required_for: methods }),
  }
}

/** Signed unless the buyer registers a legacy secret, which both schemes of the protocol are served for. */
function webhookSigning({ webhookAlgorithms }: WiredFeatures): NonNullable<GetAdCPCapabilitiesResponse['webhook_signing']> {
  return {
    supported: true,
    profile: 'adcp/webhook-signing/v1',
    algorithms: [...webhookAlgorithms],
    legacy_hmac_fallback: true,
  }
}

/** The media-buy features that are on (AdCP core/media-buy-features); `required_features` of a product filter is held against them. */
export function mediaBuyFeatures(
  tasks: ReadonlySet<string>,
  specialisms: Manifest['specialisms'],
): Readonly<Record<string, boolean>> {
  return {
    inline_creative_management: tasks.has('sync_creatives'),
    // Lists that are stored here; those of another agent are named as not applied.
    property_list_filtering: tasks.has('get_property_list'),
    catalog_management: tasks.has('sync_catalogs'),
    audience_targeting: tasks.has('sync_audiences'),
    conversion_tracking: tasks.has('sync_event_sources') && tasks.has('log_event'),
    content_standards: isWired('content-standards', specialisms, tasks),
  }
}

/** What 3.1 asks a seller of media to declare (protocol/get-adcp-capabilities-response.json, `media_buy`). */
function laterMediaBuy({ tasks, products, reviewsCreatives, kept }: WiredFeatures) {
  const { pricingModels, optimizationMetrics } = products
  return {
    ...(pricingModels.size > 0 && { supported_pricing_models: [...pricingModels].sort() }),
    ...(optimizationMetrics.size > 0 && { supported_optimization_metrics: [...optimizationMetrics].sort() }),
    creative_approval_mode: reviewsCreatives ? 'require_human' : 'auto_approve',
    buying_modes: ['brief', 'wholesale', 'refine'],
    reporting_delivery_methods: ['webhook' as const],
    supports_proposals: true,
    governance_aware: tasks.has('sync_governance'),
    // A rejected or suspended creative shows in `health` and `impairments` of get_media_buys, and subscribers of the media buy are notified.
    propagation_surfaces: ['snapshot', 'webhook'],
    // Who declares it reports reach and frequency of capped delivery; no ad server here counts whom ads reached, simulated delivery does.
    ...(kept.targeting.has('frequency_cap') && tasks.has('comply_test_controller') && { frequency_capping: {} }),
  }
}

/** Those that are served in the release of the answer; the tasks of a release are those that its contract has. */
function lifecycleTools({ tasks }: WiredFeatures) {
  const lifecycle_tools = COMPACT_LIFECYCLE.filter((task) => tasks.has(task))
  const refines = tasks.has('refine_proposals') && { proposal_refinement: REFINEMENT_SUPPORT }
  return lifecycle_tools.length > 0 && { lifecycle_tools, ...refines }
}

function mediaBuy(wired: WiredFeatures): MediaBuyCapabilities {
  return {
    features: { ...mediaBuyFeatures(wired.tasks, wired.specialisms), ...(wired.biddingPolicies && BIDDING) },
    // Artifacts are collected for every channel, and this server does not judge them before the buyer does.
    ...(wired.tasks.has('get_media_buy_artifacts') && {
      content_standards: { supports_local_evaluation: false, supports_webhook_delivery: false },
    }),
    ...buyerDataCapabilities(wired.tasks, wired.minimumAudienceSize),
    ...executionCapabilities(wired.kept, wired.trustedMatch),
    ...(wired.later && laterMediaBuy(wired)),
    ...(wired.dailyCaps && DAILY_CAPS),
    ...lifecycleTools(wired),
    ...(wired.tasks.has('get_reporting_status') && { reporting_delivery: reportingCapability(wired.origin, wired) }),
    portfolio: portfolioOf(wired.publisherDomain, wired.products),
  }
}
