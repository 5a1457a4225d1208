import type { Suspension } from '../audience/audience.ts'
import type { OpenWeek } from '../calendar/open-week.ts'
import type { TimeUnit } from '../calendar/time-units.ts'
import type { DeclaredCatalog } from '../catalog/declared-catalog.ts'
import type { Approval } from '../creative/lifecycle.ts'
import type { BilledParty, BrandName, Side } from '../party.ts'
import type { ReachUnit } from '../product/forecast.ts'
import type { CancellationPolicy, Channel, FormatRef, MeasurementTerms, PerformanceStandard } from '../product/offer.ts'
import type { PriceBreakdown, PricingModel } from '../product/pricing-option.ts'
import type { StartDays } from '../product/season.ts'
import type { TargetingOverlay } from '../product/targeting-overlay.ts'
import type { Bidding, WrittenBid } from './bid.ts'
import type { CancellationFee } from './cancellation-fee.ts'
import type { Accepted } from './commercial-terms.ts'
import type { PaceChange } from './feedback.ts'
import type { MakeGood } from './make-good-terms.ts'
import type { OptimizationGoal } from './optimization-goal.ts'
import type { OrderAcceptance, Pacing } from './order-request.ts'

/** The members by which a package names its formats (AdCP 3.1 media-buy/package-request.json); 3.0 has `format_ids` alone. */
export interface FormatSelectors {
  readonly format_option_refs?: readonly unknown[]
  readonly format_ids?: FormatRef[]
  readonly format_kind?: unknown
  readonly params?: unknown
}

/** A half-open stretch of time, ISO 8601 UTC; without `until` it is still running. */
export interface Window {
  readonly from: string
  readonly until?: string
  /** Of a stretch in which a creative served that was then taken off its package. */
  readonly creativeId?: string
}

/** What was agreed on the price of a package, copied from the product so that later rate changes do not reach it. */
export interface Pricing {
  readonly pricingOptionId: string
  readonly model: PricingModel
  readonly basis: 'fixed' | 'auction'
  readonly currency: string
  readonly fixedMicros?: number
  readonly floorMicros?: number
  readonly guideMicros?: number
  /** The bid is a ceiling, not the exact price. */
  readonly maxBid: boolean
  readonly minSpendMicros?: number
  readonly minPoints?: number
  readonly time?: {
    readonly unit: TimeUnit
    readonly min?: number
    readonly max?: number
    /** That of the publisher (IANA), of whose calendar months are; absent: UTC, or units that are no months. */
    readonly timeZone?: string
  }
  /** Hours that one flat price buys; absent: it buys the flight as ordered. */
  readonly slotHours?: number
  /** Impressions that a flat or time price is expected to bring. */
  readonly estimatedImpressions?: number
  readonly priceBreakdown?: PriceBreakdown
  /** On which days a flight at this price starts; absent: any. */
  readonly startDays?: StartDays
}

/** The most that is spent in a day of UTC, in micros (AdCP 3.2, `daily_budget_cap`). */
export interface DailyCap {
  /** Of the package alone. */
  readonly ownMicros?: number
  /** Of the media buy, for all of its packages together. */
  readonly sharedMicros?: number
  /** What a simulated ad server, which knows one line at a time, spends of `sharedMicros` on this package. */
  readonly portionMicros?: number
}

/** One version of the order of a package. A change appends a version; what ran under an earlier one is never recomputed. */
export interface OrderTerms {
  /** When this version took effect. */
  readonly from: string
  readonly startsAt: string
  readonly endsAt: string
  readonly budgetMicros: number
  /** Price of one pricing unit that delivery is charged at: a thousand impressions, a click, a point, an hour … */
  readonly rateMicros: number
  readonly bidMicros?: number
  /** Impression goal, when the buyer set one. */
  readonly impressions?: number
  readonly pacing: Pacing
  /** Absent: a day may cost what the pace brings. */
  readonly dailyCap?: DailyCap
  /** Neither paused nor canceled, buy and package alike. */
  readonly running: boolean
}

export interface Cancellation {
  readonly canceledAt: string
  readonly canceledBy: Side
  readonly reason?: string
}

/** Figures that came from elsewhere than the ad server's report (offline counts, reconciliation); they draw on the same budget. */
export interface RecordedDelivery {
  readonly at: string
  readonly spendMicros: number
  readonly impressions: number
  readonly clicks: number
  readonly conversions: number
  /** Absent where nobody counted them. */
  readonly completedViews?: number
  /** Figures that do not add up: the newest count. */
  readonly audience?: RecordedAudience
  /** How far counting is with all figures up to this one; the newest counts. */
  readonly counted?: RecordedCount
}

/** How far the count of a delivery is (AdCP 3.1, get-media-buy-delivery-response.json): `finalized_at` goes with `is_final`. */
export interface RecordedCount {
  readonly is_final: boolean
  readonly finalized_at?: string
  /** One of the windows that the product declares. */
  readonly measurement_window?: string
}

/** Reach and attention as somebody else measured them, in the words of core/delivery-metrics.json (3.1). */
export interface RecordedAudience {
  readonly reach?: number
  readonly reach_unit?: ReachUnit
  readonly frequency?: number
  readonly reach_window?: object
  readonly viewability?: object
  /** Each of one metric of one vendor (core/vendor-metric-value.json). */
  readonly vendor_metric_values?: readonly object[]
}

/** Assignment of a library creative to a package, as the buyer gave it. */
export interface Assignment {
  readonly creativeId: string
  readonly weight?: number
  readonly placementIds?: readonly string[]
}

/** An audience of a buyer that the publisher took offline while a package targets it. */
export interface OfflineAudience extends Suspension {
  readonly audienceId: string
}

export interface Package {
  readonly packageId: string
  readonly productId: string
  readonly pricing: Pricing
  readonly guaranteed: boolean
  readonly channels: readonly Channel[]
  /** Identifier of the line at the ad server; empty until it is booked. */
  readonly lineId: string
  readonly terms: OrderTerms
  /** Earlier versions, oldest first. */
  readonly pastTerms: readonly OrderTerms[]
  readonly paused: boolean
  readonly cancellation?: Cancellation
  /** What the buyer owes for cancelling it, alone or with the buy; where its product had a policy. */
  readonly cancellationFee?: CancellationFee
  /** False where the seller makes or already has the ad (host-read spots, catalog-driven packages). */
  readonly needsCreatives: boolean
  /** Hours before the flight by which its creatives are due; absent: they are taken as long as it runs. */
  readonly creativeLeadHours?: number
  /** Stretches that earlier assignments served in, closed when those were replaced; an open one where the seller supplies the ad. */
  readonly pastServing: readonly Window[]
  readonly recorded: readonly RecordedDelivery[]
  /** How the buyer judged the package, oldest first; absent before the first. */
  readonly feedback?: readonly PaceChange[]
  /** Impressions held for a guaranteed package, over the flight of `reservedFlight`. */
  readonly reservedImpressions: number
  /** The hours of a week over which they are spread; absent: all, and on packages older than this member. */
  readonly openWeek?: OpenWeek
  /** Every format that the package accepts: those that the buyer named, else all of the product. */
  readonly formatIds: readonly FormatRef[]
  /** Audiences that it targets and that are offline. */
  readonly offlineAudiences?: readonly OfflineAudience[]
  /** How the buyer named its formats; absent when it named none. */
  readonly formatSelectors?: FormatSelectors
  readonly targetingOverlay?: TargetingOverlay
  readonly measurementTerms?: MeasurementTerms
  readonly performanceStandards?: readonly PerformanceStandard[]
  /** The product's when it was ordered. */
  readonly cancellationPolicy?: CancellationPolicy
  /** The bid as its buyer wrote it; absent where the seller bids unasked, and on packages older than this member. */
  readonly writtenBid?: WrittenBid
  readonly optimizationGoals?: OptimizationGoal[]
  readonly catalogs?: DeclaredCatalog[]
  readonly agencyEstimateNumber?: string
  readonly context?: object
  readonly ext?: object
  /** The metrics that are promised to be reported, each with the moment from which (3.1 core/package.json). */
  readonly committedMetrics?: readonly object[]
}

/** One line of the append-only history (get-media-buys-response, `history`). */
export interface HistoryEntry {
  readonly revision: number
  readonly at: string
  readonly actor: string
  readonly action: string
  readonly summary: string
  readonly packageId?: string
  /** The person at the publisher who did it; the buyer sees the publisher alone. */
  readonly person?: string
}

export interface MediaBuy {
  readonly mediaBuyId: string
  readonly accountId: string
  /** Grows by one with each change; compare-and-set token of update_media_buy. */
  readonly revision: number
  readonly currency: string
  readonly startsAt: string
  readonly endsAt: string
  /** Identifier of the order at the ad server. */
  readonly orderId: string
  readonly createdAt: string
  /** The conditions on which people approved it and changes of it, oldest first; absent: none. */
  readonly approvalConditions?: readonly string[]
  /** When the seller committed to it; absent while an ad server still has to approve it. */
  readonly confirmedAt?: string
  readonly updatedAt: string
  readonly paused: boolean
  readonly cancellation?: Cancellation
  readonly rejection?: { readonly rejectedAt: string; readonly reason?: string }
  readonly packages: readonly Package[]
  readonly history: readonly HistoryEntry[]
  /** What was offered for packages that fell short, the oldest first; absent before the first. */
  readonly makeGoods?: readonly MakeGood[]
  readonly brand: BrandName
  /** The buyer's label for people (AdCP 3.2 create_media_buy, `name`). */
  readonly name?: string
  /** The most that all packages together cost in a day. */
  readonly dailyCapMicros?: number
  /** How packages without a bid of their own are bid for (AdCP 3.2 create_media_buy, `bidding`). */
  readonly bidding?: Bidding
  readonly proposalId?: string
  /** The terms that it was made on; absent for a buy of create_media_buy. */
  readonly accepted?: Accepted
  readonly planId?: string
  readonly poNumber?: string
  readonly agencyEstimateNumber?: string
  readonly advertiserIndustry?: string
  readonly invoiceRecipient?: BilledParty
  readonly ioAcceptance?: OrderAcceptance
  readonly ext?: object
  /** The buyer's own data about the buy, shown again with it (3.1 get-media-buys-response.json `media_buys[].context`). */
  readonly context?: object
}

/** What the creative library says of one creative that is assigned to a package. */
export interface CreativeFact extends Assignment {
  /** Absent while no creative of this id is in the library: the assignment waits for it. */
  readonly approval?: Approval
  /** Set while it is its buyer who is to agree to what was made of the brief. */
  readonly awaitsBuyer?: true
  readonly rejectionReason?: string
  /** Set while the publisher refuses it, and since when. */
  readonly offline?: { readonly to: 'suspended' | 'rejected'; readonly since: string }
  readonly formatId?: FormatRef
  /** When it could begin to serve on this package: assigned and approved; absent while it cannot. */
  readonly servesFrom?: string
  /** Closed stretches in which it served on this package, each ended by the loss of its approval. */
  readonly served?: readonly Window[]
}

/** Creatives by package id. A package without an entry has none. */
export type CreativeFacts = ReadonlyMap<string, readonly CreativeFact[]>
