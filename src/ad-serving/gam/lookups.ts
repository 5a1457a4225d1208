import { LRUCache } from 'lru-cache'
import { AdcpError } from '../../protocol/errors.ts'
import type { GamClient, Message } from './client.ts'
import type { GamOptions } from './gam-options.ts'
import { nameOf, textOf } from './messages.ts'

/** What the network calls things: looked up once an hour. */
export interface Lookups {
  /** ISO 4217: every line of a network is in its currency. */
  currency(): Promise<string>
  /** Resource name of the user who is responsible for orders. */
  trafficker(): Promise<string>
  /** Resource name of the advertiser of an account; made when there is none. */
  advertiser(accountId: string): Promise<string>
  /** Resource names of countries, in the order of their codes (ISO 3166-1). */
  countries(codes: readonly string[]): Promise<readonly string[]>
  /** ISO code of a country by its resource name; undefined: it is no country. */
  countryCode(name: string): Promise<string | undefined>
  /** Display name in lower case and resource name of every device category. */
  devices(): Promise<ReadonlyMap<string, string>>
}

const TTL_MS = 3_600_000
const MOST = 2_000

export function createLookups(client: GamClient, options: GamOptions, ownEmail: () => Promise<string>): Lookups {
  const known = new LRUCache<string, Promise<unknown>>({ max: MOST, ttl: TTL_MS })
  const { network } = client
  /** Asks once; what fails is not remembered. */
  const once = <T>(key: string, ask: () => Promise<T>): Promise<T> => {
    const found = known.get(key) as Promise<T> | undefined
    if (found) return found
    const asked = ask()
    known.set(key, asked)
    asked.catch(() => known.delete(key))
    return asked
  }
  const country = (code: string) =>
    once(`country ${code}`, async () => {
      const all = await client.list(`${network}/geoTargets`, 'geoTargets', {
        filter: `regionCode = "${code}" AND type = "Country"`,
      })
      const found = all.find((each) => each.targetable !== false)
      if (found) return nameOf(found)
      throw new AdcpError('UNSUPPORTED_FEATURE', `targeting_overlay.geo_countries: the network knows no country "${code}"`)
    })
  return {
    currency: () =>
      once('currency', async () => {
        const code = textOf(await client.get(network), 'currencyCode')
        if (code === undefined) throw new Error('the network names no currency')
        return code
      }),
    trafficker: () =>
      once('trafficker', async () => {
        const email = options.trafficker ?? (await ownEmail())
        const [user] = await client.list(`${network}/users`, 'users', { filter: `email = "${email}"` })
        if (user) return nameOf(user)
        throw new AdcpError('CONFIGURATION_ERROR', `the network has no user ${email}; add it there, or set options.trafficker`)
      }),
    advertiser: (accountId) => once(`advertiser ${accountId}`, () => advertiserOf(client, options, accountId)),
    countries: (codes) => Promise.all(codes.map(country)),
    countryCode: (name) => once(`name ${name}`, async () => regionOf(await client.get(name))),
    devices: () =>
      once('devices', async () => {
        const all = await client.list(`${network}/deviceCategories`, 'deviceCategories')
        return new Map(all.map((each) => [(textOf(each, 'displayName') ?? '').toLowerCase(), nameOf(each)]))
      }),
  }
}

function regionOf(geo: Message): string | undefined {
  return textOf(geo, 'type')?.toLowerCase() === 'country' ? textOf(geo, 'regionCode') : undefined
}

/** The company that the configuration names, the one with the account as its external id, or a new one. */
async function advertiserOf(client: GamClient, { advertisers }: GamOptions, accountId: string): Promise<string> {
  const { network } = client
  const named = Object.hasOwn(advertisers, accountId) ? advertisers[accountId] : undefined
  if (named !== undefined) return `${network}/companies/${named}`
  const known = async () =>
    (await client.list(`${network}/companies`, 'companies', { filter: `externalId = "${accountId}" AND type = ADVERTISER` }))[0]
  const found = await known()
  if (found) return nameOf(found)
  const company = { displayName: `Account ${accountId}`.slice(0, 127), type: 'ADVERTISER', externalId: accountId }
  const body = { requests: [{ parent: network, company }] }
  const made = await client.post(`${network}/companies:batchCreate`, body, 'creation')
  const [first] = Array.isArray(made.companies) ? made.companies : []
  return nameOf(first ?? (await known()) ?? {})
}
