import type { Format } from '../formats/format.ts'
import { firstPrice, type KnownPrice } from '../prices.ts'
import type { OfferedTransformer } from './offered.ts'
import { MOST_CREATIVES, MOST_VARIANTS, type ParamOption, type TransformerParam } from './transformer.ts'
import { VARIANT_DIMENSIONS } from './variants.ts'

/** Values of a setting that a page shows, with the cursor to the next. */
export interface OptionPage {
  readonly options: readonly ParamOption[]
  readonly options_cursor?: string
}

/** A transformer as buyers read it (AdCP 3.1, core/transformer.json). `optionsOf` gives the values of a setting that the caller asked for. */
export function presentTransformer(
  { transformer, inputs, outputs }: OfferedTransformer,
  optionsOf: (param: TransformerParam) => OptionPage | undefined,
  priced: boolean,
): object {
  const prices = priced ? transformerPrices(outputs) : []
  return {
    transformer_id: transformer.id,
    name: transformer.name,
    description: transformer.description,
    metadata: { method: 'fixed_templates' },
    input_format_ids: inputs.map(({ format_id }) => format_id),
    output_format_ids: outputs.map(({ format_id }) => format_id),
    params: transformer.params.map((param) => ({ ...presentParam(param), ...optionsOf(param) })),
    ...(prices.length > 0 && { pricing_options: prices }),
    multiplicity: {
      supports_catalog_fanout: transformer.params.some(({ source }) => source === 'account'),
      max_creatives_limit: MOST_CREATIVES,
      supports_variants: true,
      max_variants_limit: MOST_VARIANTS,
      variant_dimensions: transformer.themes.size > 1 ? [...VARIANT_DIMENSIONS] : ['transformer_config'],
    },
  }
}

function presentParam(param: TransformerParam): object {
  const { field, description } = param
  switch (param.source) {
    case 'choice':
      return { field, type: param.type, value_source: 'inline', allowed_values: [...param.values], description }
    case 'range':
      return {
        field,
        type: 'number',
        value_source: 'range',
        minimum: param.minimum,
        maximum: param.maximum,
        default: 1,
        description,
      }
    case 'text':
      return { field, type: 'string', value_source: 'free_text', max_length: param.maxLength, description }
    case 'account':
      return { field, type: 'string', value_source: 'enumerable', description }
  }
}

/** A price with the formats that it is for; without them it is the default. */
type TransformerPrice = KnownPrice & { readonly applies_to_output_format_ids?: readonly Format['format_id'][] }

/** Outputs without a price of their own cost nothing where others have one (core/vendor-pricing-option.json: an output needs an option). */
export const NO_CHARGE = 'no_charge'

/** The rate card of a transformer: the price of each format that it makes. Empty where nothing has a price. */
export function transformerPrices(outputs: readonly Format[]): TransformerPrice[] {
  const byId = new Map<string, { price: KnownPrice; formats: Format['format_id'][] }>()
  for (const { format_id, pricing_options } of outputs) {
    const price = firstPrice(pricing_options ?? [])
    if (!price) continue
    const known = byId.get(price.pricing_option_id) ?? { price, formats: [] }
    known.formats.push(format_id)
    byId.set(price.pricing_option_id, known)
  }
  const scoped = [...byId.values()].map(({ price, formats }) => ({ ...price, applies_to_output_format_ids: formats }))
  const pricedFormats = scoped.reduce((sum, { applies_to_output_format_ids: formats }) => sum + formats.length, 0)
  const [first] = scoped
  if (!first || pricedFormats === outputs.length) return scoped
  return [...scoped, noCharge(first.currency)]
}

function noCharge(currency: string): KnownPrice {
  return { pricing_option_id: NO_CHARGE, model: 'per_unit', unit: 'creative', unit_price: 0, currency }
}
