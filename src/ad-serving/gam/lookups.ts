import { LRUCache } from 'lru-cache'
import { AdcpError } from '../../protocol/errors.ts'
import type { GamClient, Message } from './client.ts'
import type { GamOptions } from './gam-options.ts'
import { inBatches, nameOf, textOf } from './messages.ts'

/** What the network calls things: looked up once an hour. */
export interface Lookups {
  /** ISO 4217: every line of a network is in its currency. */
  currency(): Promise<string>
  /** Of its days and of dayparts, as IANA names it. */
  timeZone(): Promise<string>
  /** Resource name of the user who is responsible for orders. */
  trafficker(): Promise<string>
  /** Resource name of the advertiser of an account; made when there is none. */
  advertiser(accountId: string): Promise<string>
  /** Resource names of countries, in the order of their codes (ISO 3166-1). */
  countries(codes: readonly string[]): Promise<readonly string[]>
  /** ISO code of a country by its resource name; undefined: it is no country. */
  countryCode(name: string): Promise<string | undefined>
  /** Resource name of the geo target of a region (ISO 3166-2), as the options map it. */
  region(code: string): Promise<string>
  /** Resource name of the metro of a Nielsen DMA. */
  metro(code: string): Promise<string>
  /** Resource names of postal codes of a country, in an order of their own. */
  postalCodes(country: string, codes: readonly string[]): Promise<readonly string[]>
  /** Display name in lower case and resource name of every device category. */
  devices(): Promise<ReadonlyMap<string, string>>
  /** The same of operating systems, and of browser languages. */
  operatingSystems(): Promise<ReadonlyMap<string, string>>
  languages(): Promise<ReadonlyMap<string, string>>
  /** Resource name of the segment that the options map an audience to. */
  segment(audienceId: string): string
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
      throw new AdcpError('UNSUPPORTED_FEATURE', `targeting_overlay.geo_countries: the network knows no country "${code}"`, {
        field: 'targeting_overlay.geo_countries',
      })
    })
  const named = (collection: string) =>
    once(collection, async () => {
      const all = await client.list(`${network}/${collection}`, collection)
      return new Map(all.map((each) => [(textOf(each, 'displayName') ?? '').toLowerCase(), nameOf(each)]))
    })
  return {
    currency: () =>
      once('currency', async () => {
        const code = textOf(await client.get(network), 'currencyCode')
        if (code === undefined) throw new Error('the network names no currency')
        return code
      }),
    timeZone: () =>
      once('time zone', async () => {
        const zone = textOf(await client.get(network), 'timeZone')
        if (zone === undefined) throw new Error('the network names no time zone')
        return zone
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
    region: async (code) => `${network}/geoTargets/${mapped(options.places, code, 'places')}`,
    metro: (code) => once(`metro ${code}`, () => metroOf(client, code)),
    postalCodes: (country, codes) => once(`postal ${country} ${codes.join(' ')}`, () => postalCodesOf(client, country, codes)),
    devices: () => named('deviceCategories'),
    operatingSystems: () => named('operatingSystems'),
    languages: () => named('browserLanguages'),
    segment: (id) => `${network}/audienceSegments/${mapped(options.audiences, id, 'audiences')}`,
  }
}

function mapped(ids: Readonly<Record<string, string>>, key: string, option: 'places' | 'audiences'): string {
  const id = Object.hasOwn(ids, key) ? ids[key] : undefined
  if (id !== undefined) return id
  throw new AdcpError('CONFIGURATION_ERROR', `options.${option} has no "${key}" any more, which an order is targeted by`)
}

/** Metros have the number of their DMA after 200000 (https://developers.google.com/google-ads/api/data/geotargets). */
const METROS = 200_000

async function metroOf(client: GamClient, code: string): Promise<string> {
  const found = await client.find(`${client.network}/geoTargets/${METROS + Number(code)}`)
  if (found && found.targetable !== false && /\bdma\b/i.test(textOf(found, 'type') ?? '')) return nameOf(found)
  throw new AdcpError('UNSUPPORTED_FEATURE', `targeting_overlay.geo_metros: the network knows no DMA ${code}`, {
    field: 'targeting_overlay.geo_metros',
  })
}

/** Postal codes in one filter: a URL has some thousand characters. */
const BATCH = 50

async function postalCodesOf(client: GamClient, country: string, codes: readonly string[]): Promise<readonly string[]> {
  const names: string[] = []
  for (const batch of inBatches(codes, BATCH)) {
    const filter = batch.map((code) => `displayName = ${JSON.stringify(code)}`).join(' OR ')
    const all = await client.list(`${client.network}/geoTargets`, 'geoTargets', { filter })
    const there = all.filter((each) => textOf(each, 'regionCode') === country && /postal/i.test(textOf(each, 'type') ?? ''))
    const byCode = new Map(
      there.filter((each) => each.targetable !== false).map((each) => [textOf(each, 'displayName'), nameOf(each)]),
    )
    for (const code of batch) {
      const name = byCode.get(code)
      if (name === undefined)
        throw new AdcpError(
          'UNSUPPORTED_FEATURE',
          `targeting_overlay.geo_postal_areas: the network knows no ${code} in ${country}`,
          {
            field: 'targeting_overlay.geo_postal_areas',
          },
        )
      names.push(name)
    }
  }
  return names
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
