import type { Condition } from '../../domain/governance/remark.ts'
import { foreignJsonIn } from '../../platform/decode/foreign-json.ts'
import { AdcpError } from '../../protocol/errors.ts'

/** `reporting_webhook.reporting_frequency=daily: weekly figures` or, in words only, `packages: no increase`. Throws INVALID_REQUEST. */
export function readCondition(text: string): Condition {
  const [, field, value, reason] = /^([A-Za-z0-9_.[\]]+)(?:=(.*?))?:\s+(\S.*)$/.exec(text) ?? []
  if (field === undefined || reason === undefined)
    throw new AdcpError('INVALID_REQUEST', 'a condition is written "field=value: reason" or "field: reason"', {
      field: 'condition',
    })
  return { field, ...(value !== undefined && { requiredValue: jsonOrText(value) }), reason }
}

/** JSON where it is JSON, so that 25000 is a number; else the text itself. */
function jsonOrText(text: string): unknown {
  const value = foreignJsonIn(text)
  return value === undefined ? text : value
}
