import { ownValidator } from '../../protocol/own-validators.ts'

/** Where people book a product at their ad server. */
export interface ManualProduct {
  /** Names of its places there, e.g. `Home page / top`. */
  readonly units: readonly string[]
  /** `width x height` in pixels, e.g. `300x250`. */
  readonly sizes?: readonly string[]
}

/** Settings of an ad server without an API. */
export interface ManualOptions {
  /** What products are there, by product id. */
  readonly products: Readonly<Record<string, ManualProduct>>
}

/** Name that the build compiles their validator under. */
export const MANUAL_OPTIONS = 'options of manual'

/** What {@link readManualOptions} reads. */
export const MANUAL_OPTIONS_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['products'],
  properties: {
    products: {
      type: 'object',
      minProperties: 1,
      additionalProperties: {
        type: 'object',
        additionalProperties: false,
        required: ['units'],
        properties: {
          units: { type: 'array', minItems: 1, maxItems: 100, items: { type: 'string', minLength: 1, maxLength: 200 } },
          sizes: { type: 'array', maxItems: 50, items: { type: 'string', pattern: '^[0-9]{1,5}x[0-9]{1,5}$' } },
        },
      },
    },
  },
} as const

/** Reads the options of the type `manual`. Throws an Error that names the member, what is wrong with it and what belongs there. */
export function readManualOptions(options: Readonly<Record<string, unknown>>): ManualOptions {
  const check = ownValidator<ManualOptions>(MANUAL_OPTIONS, MANUAL_OPTIONS_SCHEMA)
  const value: unknown = options
  if (check(value)) return value
  const faults = (check.errors ?? [])
    .slice(0, 10)
    .map(({ instancePath, message }) => `options${instancePath.replaceAll('/', '.')} ${message}`)
  throw new Error(`${faults.join('; ')}; such as {"products": {"homepage": {"units": ["Home page / top"]}}}`)
}
