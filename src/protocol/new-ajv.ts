import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'

/** The one Ajv configuration. Unknown keywords (`x-entity`, …) are annotations of the official schemas. */
export function newAjv(): Ajv {
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: true, messages: true, code: { source: true } })
  addFormats.default(ajv)
  return ajv
}
