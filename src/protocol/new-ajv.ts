import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { addLinearKeywords } from './linear-keywords.ts'
import { addTaggedUnions } from './tagged-unions.ts'

/**
 * The one Ajv configuration: several findings in one answer, at a cost that grows no faster than what is judged. Unknown keywords (`x-entity`, …) are
 * annotations of the official schemas.
 */
export function newAjv(): Ajv {
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: true, messages: true, code: { source: true } })
  addFormats.default(ajv)
  addLinearKeywords(ajv)
  addTaggedUnions(ajv)
  return ajv
}
