import type { SettingsObject } from '../../ad-serving/backend-setup.ts'
import { foreignJsonIn } from '../../platform/decode/foreign-json.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/is-object.ts'

/** Options of an ad server from a text; undefined for an empty one. Throws INVALID_REQUEST for what is no JSON object. */
export function readOptions(text: string): SettingsObject | undefined {
  if (text.trim() === '') return undefined
  const value = foreignJsonIn(text)
  if (isObject(value)) return value
  throw new AdcpError('INVALID_REQUEST', 'write the options as a JSON object, such as {"network": "123456"}', {
    field: 'options',
  })
}
