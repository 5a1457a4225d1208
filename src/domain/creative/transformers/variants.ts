import { AdcpError } from '../../../protocol/errors.ts'
import { checkedValue, paramOf } from './check-config.ts'
import { MOST_VARIANTS, type ParamValue, type Transformer, type TransformerConfig, type TransformerParam } from './transformer.ts'

/** The dimension along which alternatives of a creative differ (AdCP 3.1, media-buy/build-creative-request.json `variant_axis`). */
export interface VariantAxis {
  readonly dimension: string
  readonly field?: string
  readonly values?: readonly unknown[]
}

/** One alternative: the settings that make it, and the value of the axis that it represents. */
export interface Variation {
  readonly config: TransformerConfig
  readonly axisValue?: ParamValue
}

export const VARIANT_DIMENSIONS = ['theme', 'best_of_n', 'transformer_config'] as const

export interface VariantsAsked {
  readonly axis: VariantAxis | undefined
  /** `max_variants`. */
  readonly most: number | undefined
  /** Settings that all alternatives share. */
  readonly config: TransformerConfig
}

/**
 * The alternatives to make of each creative: one for each value of the axis, else up to `most`, as many as differ. Without a transformer there is one.
 * Throws INVALID_REQUEST for values that the axis does not have, and UNSUPPORTED_FEATURE for another dimension.
 */
export function variationsOf({ axis, most, config }: VariantsAsked, transformer: Transformer | undefined): readonly Variation[] {
  const count = Math.min(most ?? (axis ? MOST_VARIANTS : 1), MOST_VARIANTS)
  if (axis?.values && axis.values.length > MOST_VARIANTS) {
    throw new AdcpError(
      'INVALID_REQUEST',
      `variant_axis.values holds ${axis.values.length} values; at most ${MOST_VARIANTS} variants are made of a creative`,
      {
        field: 'variant_axis.values',
      },
    )
  }
  if (axis?.dimension === 'transformer_config') return sweep(axis, required(transformer), { count, config })
  if (axis && !['theme', 'best_of_n'].includes(axis.dimension)) {
    throw new AdcpError(
      'UNSUPPORTED_FEATURE',
      `variants along ${axis.dimension} are not made here; use one of: ${VARIANT_DIMENSIONS.join(', ')}`,
      {
        field: 'variant_axis.dimension',
      },
    )
  }
  const themes = transformer?.themes ?? new Map<string, TransformerConfig>([['plain', {}]])
  const names =
    axis?.values?.map((value, index) => themeNamed(value, [...themes.keys()], index)) ?? [...themes.keys()].slice(0, count)
  const made = names.map((name) => ({ config: { ...themes.get(name), ...config }, ...(names.length > 1 && { axisValue: name }) }))
  return axis?.values ? made : distinct(made)
}

/** Settings of the caller outrank those of a theme, so that two themes may come to the same. */
function distinct(variations: readonly Variation[]): Variation[] {
  const seen = new Set<string>()
  return variations.filter(({ config }) => {
    const key = JSON.stringify(Object.entries(config).toSorted())
    return !seen.has(key) && seen.add(key)
  })
}

function required(transformer: Transformer | undefined): Transformer {
  if (transformer) return transformer
  throw new AdcpError(
    'INVALID_REQUEST',
    'variants along transformer_config need a transformer_id; list_transformers lists them',
    {
      field: 'transformer_id',
    },
  )
}

function themeNamed(value: unknown, names: readonly string[], index: number): string {
  const name = names.find((each) => each === value)
  if (name !== undefined) return name
  const field = `variant_axis.values[${index}]`
  throw new AdcpError('INVALID_REQUEST', `${field} must be one of: ${names.join(', ')}`, { field })
}

function sweep(
  { field, values }: VariantAxis,
  transformer: Transformer,
  { count, config }: { readonly count: number; readonly config: TransformerConfig },
): Variation[] {
  if (field === undefined) {
    throw new AdcpError('INVALID_REQUEST', 'variant_axis.field has to name the setting that varies', {
      field: 'variant_axis.field',
    })
  }
  const param = paramOf(transformer, field, 'variant_axis.field.')
  const chosen =
    values?.map((value, index) => checkedValue(value, param, `variant_axis.values[${index}]`)) ?? samples(param, count)
  return chosen.map((value) => ({ config: { ...config, [field]: value }, axisValue: value }))
}

/** Values of a setting when the caller names none: the first choices, or even steps from the least to the most. */
function samples(param: TransformerParam, count: number): ParamValue[] {
  if (param.source === 'choice') return param.values.slice(0, count)
  if (param.source === 'text' || param.source === 'account') {
    throw new AdcpError('INVALID_REQUEST', `variant_axis.values has to hold the values for ${param.field}`, {
      field: 'variant_axis.values',
    })
  }
  const step = count > 1 ? (param.maximum - param.minimum) / (count - 1) : 0
  return Array.from({ length: count }, (_each, index) => Math.round((param.minimum + index * step) * 100) / 100)
}
