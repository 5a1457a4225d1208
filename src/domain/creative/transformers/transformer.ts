import type { Style } from '../build/style.ts'
import type { Format } from '../formats/format.ts'
import type { FormatKey } from '../formats/format-id.ts'

export type ParamValue = string | number | boolean

/** One setting of a transformer (AdCP 3.1, core/transformer-param.json). */
export type TransformerParam = { readonly field: string; readonly description: string } & (
  | { readonly source: 'choice'; readonly type: 'string' | 'boolean'; readonly values: readonly ParamValue[] }
  | { readonly source: 'range'; readonly minimum: number; readonly maximum: number }
  | { readonly source: 'text'; readonly maxLength: number }
  /** Something that the account has; its ids are listed on demand (`expand_params`). */
  | { readonly source: 'account'; readonly what: 'catalog' }
)

/** One value of a setting that the account decides. */
export interface ParamOption {
  readonly value: string
  readonly label: string
  readonly metadata: Readonly<Record<string, string | number>>
}

/** Values for the settings of a transformer, by `field`. */
export type TransformerConfig = Readonly<Record<string, ParamValue>>

/** Parts of an ad that a configuration may word. */
export type WordedPart = 'headline' | 'body' | 'cta'

/** What a configuration changes of an ad. What it leaves out stays as message, brief, assets and brand have it. */
export interface BuildConfig {
  readonly style: Partial<Style>
  readonly texts: { readonly [P in WordedPart]?: string }
  readonly withoutPicture: boolean
  /** The synced catalog that the ad shows items of. */
  readonly catalogId?: string
}

/** A way of making creatives that buyers select by its id (AdCP 3.1, core/transformer.json). */
export interface Transformer {
  readonly id: string
  readonly name: string
  readonly description: string
  /** Words of a brief that speak of it, in lower case. */
  readonly keywords: readonly string[]
  readonly params: readonly TransformerParam[]
  /** Whether a creative of this format holds something that it works from. */
  takes(format: Format): boolean
  /** Whether it makes creatives of this format; `formatId` may say the size. */
  makes(format: Format, formatId: FormatKey): boolean
  /** Configurations that differ visibly, the plain one first, for alternatives of the same creative. One entry: no alternatives. */
  readonly themes: ReadonlyMap<string, TransformerConfig>
}

/** Creatives of one call along the items of a catalog (`max_creatives`). */
export const MOST_CREATIVES = 20
/** Alternatives of one creative (`max_variants`). */
export const MOST_VARIANTS = 8
/** Builds of one call, all axes together. */
export const MOST_LEAVES = 160
