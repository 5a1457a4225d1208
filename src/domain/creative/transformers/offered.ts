import { containing } from '../../normal-text.ts'
import type { CatalogFormat, Format } from '../formats/format.ts'
import type { FormatKey } from '../formats/format-id.ts'
import { formatTest } from '../formats/format-test.ts'
import type { Transformer } from './transformer.ts'

/** A transformer with the formats of a publisher that it reads and makes. */
export interface OfferedTransformer {
  readonly transformer: Transformer
  readonly inputs: readonly Format[]
  readonly outputs: readonly Format[]
}

/** The transformers that make at least one of the formats that a caller sees. */
export function offeredTransformers(
  transformers: readonly Transformer[],
  formats: readonly CatalogFormat[],
): OfferedTransformer[] {
  const all = formats.map(({ format }) => format)
  return transformers
    .map((transformer) => ({
      transformer,
      inputs: all.filter((format) => transformer.takes(format)),
      outputs: all.filter((format) => transformer.makes(format, format.format_id)),
    }))
    .filter(({ outputs }) => outputs.length > 0)
}

/** Filters of AdCP 3.1, creative/list-transformers-request.json. */
export interface TransformerFilters {
  readonly transformer_ids?: readonly string[]
  readonly input_format_ids?: readonly FormatKey[]
  readonly output_format_ids?: readonly FormatKey[]
  readonly name_search?: string
  readonly brief?: string
}

/**
 * The transformers that pass every filter. A brief puts those first, and leaves the others out, that it speaks of; one that speaks of none
 * leaves all in.
 */
export function selectTransformers(offered: readonly OfferedTransformer[], filters: TransformerFilters): OfferedTransformer[] {
  const { transformer_ids: ids, name_search: name, brief } = filters
  const isNamed = name === undefined ? undefined : containing(name)
  const reads = filters.input_format_ids && formatTest(filters.input_format_ids)
  const makes = filters.output_format_ids && formatTest(filters.output_format_ids)
  const passing = offered.filter(
    ({ transformer, inputs, outputs }) =>
      (!ids || ids.includes(transformer.id)) &&
      (!isNamed || isNamed(transformer.name)) &&
      (!reads || inputs.some(({ format_id }) => reads(format_id))) &&
      (!makes || outputs.some(({ format_id }) => makes(format_id))),
  )
  return brief === undefined ? passing : byBrief(passing, brief)
}

function byBrief(offered: readonly OfferedTransformer[], brief: string): OfferedTransformer[] {
  const words = new Set(brief.toLowerCase().match(/[a-z0-9]+/g))
  const scored = offered.map((each) => ({ each, score: each.transformer.keywords.filter((word) => words.has(word)).length }))
  const fitting = scored.filter(({ score }) => score > 0)
  return (fitting.length > 0 ? fitting : scored).toSorted((a, b) => b.score - a.score).map(({ each }) => each)
}
