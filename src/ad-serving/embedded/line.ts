import type { DayLimits } from '../../domain/ad-serving/desired-order.ts'
import type { Pricing } from '../../domain/media-buy/media-buy.ts'
import type { Pacing } from '../../domain/media-buy/order-request.ts'
import type { TargetingOverlay } from '../../domain/product/targeting-overlay.ts'
import type { LineLists } from './line-lists.ts'
import type { Matches } from './targeting.ts'

/** What happens to an ad that was shown; `start` to `complete` are the quartiles of video (VAST 4.2, 3.14). */
export const EVENT_KINDS = [
  'impression',
  'viewable',
  'click',
  'start',
  'firstQuartile',
  'midpoint',
  'thirdQuartile',
  'complete',
  'error',
] as const
export type EventKind = (typeof EVENT_KINDS)[number]

/** Which lines go first: sold with a guarantee, sold without one, and the publisher's own ads that fill what is left. */
export const PRIORITIES = ['guaranteed', 'standard', 'house'] as const
export type Priority = (typeof PRIORITIES)[number]

/** A limit on the ads that one visitor sees of a line in a rolling window; null is the whole flight (JSON has no infinite number). */
export interface Cap {
  readonly most: number
  readonly windowMs: number | null
}

/** Dimensions of an order that decisions narrow a line by. */
export const TARGETED = [
  'geo_countries',
  'geo_countries_exclude',
  'geo_regions',
  'geo_regions_exclude',
  'device_type',
  'device_type_exclude',
  'device_platform',
  'language',
  'daypart_targets',
  'audience_include',
  'audience_exclude',
  'keyword_targets',
  'negative_keywords',
] as const satisfies readonly (keyof TargetingOverlay)[]

/** What a line can be narrowed by: dimensions of AdCP core/targeting.json, and those that only the publisher's own orders have. */
export interface LineTargeting extends Pick<TargetingOverlay, (typeof TARGETED)[number]> {
  readonly browsers?: readonly string[]
  /** Labels of competitors, such as `cars`: of the orders whose lines share one, a page shows one alone. */
  readonly labels?: readonly string[]
  /** Values by key: one of the values of each key has to be on the page. */
  readonly keyValues?: Readonly<Record<string, readonly string[]>>
}

/** A line as it is stored: what it may take of the inventory, when, and what it is paid for. */
export interface LineTerms {
  readonly name: string
  readonly priority: Priority
  /** Ids of placements and products that tags ask for. */
  readonly places: readonly string[]
  /** ISO 8601 UTC, `startsAt` < `endsAt`. */
  readonly startsAt: string
  readonly endsAt: string
  readonly pricing: Pick<Pricing, 'model' | 'currency'>
  /** Price of one pricing unit, in micros. */
  readonly rateMicros: number
  /** Billed units over the flight; absent: the line is not limited by them. */
  readonly units?: number
  /** Impressions over the flight, where they are limited beside the units. */
  readonly impressions?: number
  readonly pacing: Pacing
  /** The most that a UTC day may cost, in micros: the line, and the lines of its order together. */
  readonly dailyCap?: DayLimits
  readonly targeting?: LineTargeting
  readonly caps?: readonly Cap[]
  /** Lists of properties and collections that it is narrowed to. */
  readonly lists?: LineLists
  /** IANA name; hours and days of dayparts are those of this zone. */
  readonly timeZone: string
  /** The package of a media buy that the line was booked for. */
  readonly packageId?: string
}

export interface Size {
  readonly width: number
  readonly height: number
}

/** What the address of a file begins with that is hosted here; the name of the file follows (`<id>.png`). */
export const HOSTED = 'hosted:'

/** How a creative is shown. Addresses are http(s), or name a hosted file ({@link HOSTED}); texts are plain. */
export type CreativeContent =
  | { readonly kind: 'image'; readonly url: string; readonly alt: string }
  | { readonly kind: 'html'; readonly html: string }
  | {
      readonly kind: 'bundle'
      /** Id of an HTML5 bundle that is hosted here. */
      readonly bundleId: string
      /** Path of its page. */
      readonly entryPoint: string
    }
  | { readonly kind: 'script'; readonly code?: string; readonly src?: string }
  | {
      readonly kind: 'native'
      readonly title: string
      readonly body?: string
      readonly cta?: string
      readonly sponsor?: string
      readonly image?: string
      readonly logo?: string
    }
  | {
      readonly kind: 'video'
      readonly url: string
      readonly mimeType: string
      readonly durationMs: number
      /** The length is not the file's own: nothing says what that is. */
      readonly isAssumed?: boolean
      /** Its length is its buyer's word alone: its format has none. */
      readonly isDeclared?: true
      readonly bitrateKbps?: number
      readonly width: number
      readonly height: number
    }
  | { readonly kind: 'vast'; readonly url: string; readonly durationMs?: number; readonly isDeclared?: true }

/** A creative as it is stored. */
export interface CreativeTerms {
  readonly name: string
  readonly content: CreativeContent
  /** Absent for cards and video, which take the size of their place. */
  readonly size?: Size
  readonly clickUrl?: string
  /** Called for each impression. */
  readonly trackers: readonly string[]
  /** Called when the ad was viewable, and for each click. Absent: none. */
  readonly viewTrackers?: readonly string[]
  readonly clickTrackers?: readonly string[]
}

/** A creative on a line. */
export interface AssignedCreative {
  readonly creativeId: string
  /** Its id in the system that booked it; absent: the same as here. */
  readonly externalId?: string
  readonly terms: CreativeTerms
  /** Share of the line's impressions against the other creatives; more than 0. */
  readonly weight: number
  /** Places that it is limited to; absent: all of the line. */
  readonly places?: readonly string[]
}

/** A line that can be decided on: with its creatives. */
export interface ServableLine {
  readonly tenantId: string
  readonly lineId: string
  /** What its order is written under: lines of one order are no competitors. Absent: it is alone. */
  readonly order?: string
  readonly terms: LineTerms
  readonly creatives: readonly AssignedCreative[]
  /** The media buy that it was booked for; absent for the publisher's own orders. */
  readonly mediaBuyId?: string
  /** Tests of its lists, as they were read last; absent: it has none. */
  readonly listTests?: readonly Matches[]
}
