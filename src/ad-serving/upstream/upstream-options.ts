import type { DeliveryType } from '../../domain/product/offer.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/is-object.ts'
import type { SettingsObject } from '../backend-setup.ts'

/** Where a seller's HTTP API is, and what it can do. */
export interface UpstreamOptions {
  /** Address before `/v1`, without a slash at its end. */
  readonly url: string
  /** Sent as `X-Network-Code`. */
  readonly network: string
  /** `guaranteed`: orders are approved by a person there and creatives are attached to lines; `non_guaranteed`: orders are confirmed at once. */
  readonly sells: DeliveryType
  /** The API's product id by ours; products that are missing have the same id there. */
  readonly products: ReadonlyMap<string, string>
  /** The API's format id by ours; formats that are missing have the same id there. */
  readonly formats: ReadonlyMap<string, string>
  /** The creative ad server whose tags are trafficked; undefined: creatives go to the seller's own library. */
  readonly creatives: { readonly url: string; readonly network: string } | undefined
}

const KNOWN = ['url', 'network', 'sells', 'products', 'formats', 'creatives']

/** Reads the options of an ad server of type upstream. Throws CONFIGURATION_ERROR naming the option. */
export function readUpstreamOptions(options: SettingsObject): UpstreamOptions {
  const unknown = Object.keys(options).find((name) => !KNOWN.includes(name))
  if (unknown !== undefined) throw wrong(unknown, `is no option; there are ${KNOWN.join(', ')}`)
  const { sells = 'guaranteed', creatives } = options
  if (sells !== 'guaranteed' && sells !== 'non_guaranteed') throw wrong('sells', 'must be guaranteed or non_guaranteed')
  if (creatives !== undefined && !isObject(creatives)) throw wrong('creatives', 'must be {"url": …, "network": …}')
  return {
    url: readUrl('url', options.url),
    network: readText('network', options.network),
    sells,
    products: readIds('products', options.products),
    formats: readIds('formats', options.formats),
    creatives: creatives && {
      url: readUrl('creatives.url', creatives.url),
      network: readText('creatives.network', creatives.network),
    },
  }
}

function readUrl(name: string, value: unknown): string {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined
  if (typeof value !== 'string' || !url || !/^https?:$/.test(url.protocol))
    throw wrong(name, 'must be the address of the API, such as https://ads.example')
  // Options are stored and shown as they are.
  if (value.includes('?') || value.includes('#') || url.username !== '' || url.password !== '')
    throw wrong(
      name,
      'takes no query, fragment or user information; the key belongs into the credentials (adservers credentials)',
    )
  return value.replace(/\/$/, '')
}

function readText(name: string, value: unknown): string {
  if (typeof value === 'string' && /^[\x21-\x7e]{1,200}$/.test(value)) return value
  throw wrong(name, 'must be a text of 1 to 200 printable characters')
}

function readIds(name: string, value: unknown): ReadonlyMap<string, string> {
  if (value === undefined) return new Map()
  if (!isObject(value)) throw wrong(name, 'must be an object of their id by ours')
  return new Map(Object.entries(value).map(([ours, theirs]) => [ours, readText(`${name}.${ours}`, theirs)]))
}

function wrong(name: string, message: string): AdcpError {
  return new AdcpError('CONFIGURATION_ERROR', `options.${name} ${message}`, { field: `options.${name}` })
}
