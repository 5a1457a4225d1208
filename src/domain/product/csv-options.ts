import { asJson, type CellReader, type CsvRow, fieldsOf, type Json, jsonCell } from './csv-cells.ts'

/** The pricing option of a row. Without an id it is named for its model, currency, and whether its price is fixed. */
export function fieldsOfOption(row: CsvRow, reader: CellReader): Json {
  const fields = fieldsOf(row, 'option', reader)
  const basis = fields.fixed_price === undefined ? 'auction' : 'fixed'
  const id = [fields.pricing_model, String(fields.currency ?? '').toLowerCase(), basis].join('_')
  return { pricing_option_id: id, ...fields, ...jsonCell(row, 'pricing_json', reader) }
}

/** A selector of properties with how it selects: by id, by tag, or all of the domain. */
export function withSelectionType(selector: unknown): Json {
  const { property_ids, property_tags, ...rest } = asJson(selector)
  if (property_ids !== undefined) return { ...rest, selection_type: 'by_id', property_ids }
  if (property_tags !== undefined) return { ...rest, selection_type: 'by_tag', property_tags }
  return { ...rest, selection_type: 'all' }
}
