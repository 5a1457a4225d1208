import { AdcpError } from '../../../protocol/errors.ts'
import { instead, quoted } from '../../../protocol/nearest-name.ts'
import type { ParamValue, Transformer, TransformerConfig, TransformerParam } from './transformer.ts'

/**
 * A configuration as it was sent, held strictly against the settings of its transformer (AdCP 3.1, media-buy/build-creative-request.json `config`). Throws
 * INVALID_REQUEST naming the setting (`config.voice`).
 */
export function checkConfig(config: Readonly<Record<string, unknown>>, transformer: Transformer): TransformerConfig {
  return Object.fromEntries(
    Object.entries(config).map(([name, value]) => [
      name,
      checkedValue(value, paramOf(transformer, name, 'config.'), `config.${name}`),
    ]),
  )
}

/** The setting of a name. `prefix` and the name are the field of the error. Throws INVALID_REQUEST for a name that is none. */
export function paramOf({ id, params }: Transformer, name: string, prefix: string): TransformerParam {
  const param = params.find(({ field }) => field === name)
  if (param) return param
  const names = params.map(({ field }) => field)
  const hint = instead(name, names, `it has: ${names.join(', ')}`)
  throw new AdcpError('INVALID_REQUEST', `${quoted(name)} is no setting of the transformer ${id}${hint}`, {
    field: `${prefix}${name}`,
  })
}

/** A value that a setting takes. Throws INVALID_REQUEST for any other; `field` is its path in the request. */
export function checkedValue(value: unknown, param: TransformerParam, field: string): ParamValue {
  const wanted = wantedBy(param)
  if (isAllowed(value, param)) return value
  throw new AdcpError('INVALID_REQUEST', `${field} must be ${wanted}`, { field })
}

function isAllowed(value: unknown, param: TransformerParam): value is ParamValue {
  switch (param.source) {
    case 'choice':
      return param.values.some((each) => each === value)
    case 'range':
      return typeof value === 'number' && value >= param.minimum && value <= param.maximum
    case 'account':
      return typeof value === 'string' && value !== ''
    case 'text':
      return typeof value === 'string' && value.trim() !== '' && value.length <= param.maxLength
  }
}

function wantedBy(param: TransformerParam): string {
  switch (param.source) {
    case 'choice':
      return `one of: ${param.values.join(', ')}`
    case 'range':
      return `a number from ${param.minimum} to ${param.maximum}`
    case 'account':
      return `the id of a ${param.what} of the account; list_transformers with expand_params lists them`
    case 'text':
      return `text of 1 to ${param.maxLength} characters`
  }
}
