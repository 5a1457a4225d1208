import type { AnyIdentifier } from '../../domain/directory/property-identifier.ts'
import type { ReadWords } from '../../domain/keyword-match.ts'
import type { TargetingOverlay } from '../../domain/product/targeting-overlay.ts'

type Member<T> = NonNullable<T> extends readonly (infer Value)[] ? Value : never

/** What a decision knows of who looks at a page, and of the page. Nothing here names a person; `viewer` is a pseudonym. */
export interface Visitor {
  /** ISO 3166-1 alpha-2. */
  readonly country?: string
  /** ISO 3166-2. */
  readonly region?: string
  readonly deviceType: Member<TargetingOverlay['device_type']>
  readonly devicePlatform: Member<TargetingOverlay['device_platform']>
  /** Lower case: `chrome`, `firefox`, `safari`, … */
  readonly browser: string
  /** Primary subtag, lower case: `en`. */
  readonly language?: string
  readonly keyValues: ReadonlyMap<string, readonly string[]>
  /** Ids of audiences that the publisher says the visitor is in. */
  readonly audiences: readonly string[]
  /** Words of the page or the search. */
  readonly keywords: ReadWords
  /** The site or app that asks, e.g. `{ type: 'domain', value: 'news.example' }`; absent where nothing says it. */
  readonly property?: AnyIdentifier
  /** What the page says it belongs to: ids of the publisher's collections, or identifiers such as `imdb_id:tt0944947`. */
  readonly collections?: readonly string[]
  /** Pseudonym of the publisher-provided id; absent where there is none, or no consent to use it. */
  readonly viewer?: string
  /** A program that says so. */
  readonly isBot: boolean
}
