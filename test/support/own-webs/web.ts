/** A generated web of publishers, managers and shared files: what each address serves. The same seed makes the same web and the same changes. */

export interface OwnProperty {
  readonly id: string
  readonly tags: readonly string[]
  /** Absent: it belongs to whoever the file speaks for. */
  readonly domain?: string | undefined
}

/** What an agent may sell: by ids, by tags, or of named publishers all or what has a tag. */
export interface OwnEntry {
  readonly agent: string
  readonly ids?: readonly string[]
  readonly tags?: readonly string[]
  readonly domains?: readonly string[]
  /** With `domains`: only properties with this tag. */
  readonly tag?: string | undefined
}

export type OwnPage =
  | {
      readonly kind: 'inline'
      readonly properties: readonly OwnProperty[]
      readonly entries: readonly OwnEntry[]
      readonly revoked: readonly string[]
      /** Names its agents in the short form; each may sell every property. */
      readonly isShort: boolean
    }
  | { readonly kind: 'pointer'; readonly to: string }
  | { readonly kind: 'redirect'; readonly to: string }
  | { readonly kind: 'ads'; readonly manager: string }
  /** A document that is no adagents.json. */
  | { readonly kind: 'broken' }

export interface OwnWeb {
  readonly publishers: readonly string[]
  /** Managers that are crawled themselves, so that their files speak for the publishers that they name. */
  readonly crawled: readonly string[]
  /** Managers that only ads.txt leads to. */
  readonly uncrawled: readonly string[]
  readonly agents: readonly string[]
  /** Addresses of shared files on hosts of their own. */
  readonly shared: readonly string[]
  readonly pages: Map<string, OwnPage>
}

export const wellKnownOf = (domain: string): string => `https://${domain}/.well-known/adagents.json`
export const adsOf = (domain: string): string => `https://${domain}/ads.txt`

const TAGS = ['news', 'sport', 'video']
const IDS = ['a', 'b', 'c', 'd']

/** Chance and what is drawn with it. */
export class Draw {
  readonly chance: () => number

  constructor(chance: () => number) {
    this.chance = chance
  }

  upTo(most: number): number {
    return Math.floor(this.chance() * most)
  }

  one<Value>(values: readonly Value[]): Value {
    const value = values[this.upTo(values.length)]
    if (value === undefined) throw new Error('nothing to draw from')
    return value
  }

  /** At least one of the values. */
  some<Value>(values: readonly Value[]): readonly Value[] {
    const drawn = values.filter(() => this.chance() < 0.5)
    return drawn.length > 0 ? drawn : [this.one(values)]
  }
}

/** Ten publishers, two managers of each kind and two shared files, by a number that makes their names unlike those of other webs. */
export function makeWeb(number: number, draw: Draw): OwnWeb {
  const named = (kind: string, count: number) => Array.from({ length: count }, (_each, at) => `${kind}${at}-${number}.example`)
  const web: OwnWeb = {
    publishers: named('p', 10),
    crawled: named('m', 2),
    uncrawled: named('u', 2),
    agents: named('agent', 3).map((host) => `https://${host}/mcp`),
    shared: named('cdn', 2).map((host) => `https://${host}/files/adagents.json`),
    pages: new Map(),
  }
  for (const url of web.shared) web.pages.set(url, sharedFile(web, draw))
  for (const manager of web.crawled) web.pages.set(wellKnownOf(manager), sharedFile(web, draw))
  web.uncrawled.forEach((manager, at) => {
    const file = sharedFile(web, draw)
    // The second manager has its file on a host of its own, one pointer away.
    const elsewhere = `https://files-of-${manager}/adagents.json`
    web.pages.set(wellKnownOf(manager), at === 0 ? file : { kind: 'pointer', to: elsewhere })
    if (at === 1) web.pages.set(elsewhere, file)
  })
  const [first = '', second = '', third = '', fourth = '', ...others] = web.publishers
  // These four stay as they are: each uncrawled manager is always led to, and two redirects, of which the second leaves the domain.
  web.pages.set(adsOf(first), { kind: 'ads', manager: web.uncrawled[0] ?? '' })
  web.pages.set(adsOf(second), { kind: 'redirect', to: `https://cdn-of-ads-${number}.example/ads.txt` })
  web.pages.set(`https://cdn-of-ads-${number}.example/ads.txt`, { kind: 'ads', manager: web.uncrawled[1] ?? '' })
  web.pages.set(wellKnownOf(third), { kind: 'redirect', to: `https://www.${third}/adagents.json` })
  web.pages.set(`https://www.${third}/adagents.json`, ownFile(web, third, draw))
  web.pages.set(wellKnownOf(fourth), { kind: 'redirect', to: `https://stranger-${number}.example/adagents.json` })
  web.pages.set(`https://stranger-${number}.example/adagents.json`, ownFile(web, fourth, draw))
  for (const publisher of others) settle(web, publisher, draw)
  return web
}

/** Publishers whose pages change. */
export const movable = (web: OwnWeb): readonly string[] => web.publishers.slice(4)

/** Gives a publisher one of the ways to be found, or none. */
export function settle(web: OwnWeb, publisher: string, draw: Draw): void {
  web.pages.delete(wellKnownOf(publisher))
  web.pages.delete(adsOf(publisher))
  const way = draw.one(['own', 'own', 'short', 'pointer', 'pointer', 'dead pointer', 'ads', 'ads', 'none', 'broken'])
  if (way === 'broken') web.pages.set(wellKnownOf(publisher), { kind: 'broken' })
  if (way === 'own') web.pages.set(wellKnownOf(publisher), ownFile(web, publisher, draw))
  if (way === 'short') web.pages.set(wellKnownOf(publisher), { ...ownFile(web, publisher, draw), isShort: true })
  if (way === 'pointer') {
    web.pages.set(wellKnownOf(publisher), { kind: 'pointer', to: draw.one([...web.shared, ...web.crawled.map(wellKnownOf)]) })
  }
  if (way === 'dead pointer') web.pages.set(wellKnownOf(publisher), { kind: 'pointer', to: `https://gone.${publisher}/a.json` })
  if (way === 'ads') web.pages.set(adsOf(publisher), { kind: 'ads', manager: draw.one([...web.uncrawled, ...web.crawled]) })
}

function ownFile(web: OwnWeb, publisher: string, draw: Draw): Extract<OwnPage, { kind: 'inline' }> {
  const properties = draw
    .some(IDS)
    .map((id) => ({ id, tags: draw.some(TAGS), ...(draw.chance() < 0.3 && { domain: publisher }) }))
  return { kind: 'inline', properties, entries: entriesOf(web, [publisher], draw), revoked: [], isShort: false }
}

/** A file that names properties of several publishers; two such files may name the same ones. */
function sharedFile(web: OwnWeb, draw: Draw): Extract<OwnPage, { kind: 'inline' }> {
  const domains = draw.some(web.publishers)
  const properties = domains.flatMap((domain) =>
    draw.some(IDS).map((id) => ({ id: `${id}-${domain}`, tags: draw.some(TAGS), domain })),
  )
  return { kind: 'inline', properties, entries: entriesOf(web, domains, draw), revoked: [], isShort: false }
}

export function entriesOf(web: OwnWeb, domains: readonly string[], draw: Draw): readonly OwnEntry[] {
  return draw.some(web.agents).map((agent) => {
    const kind = draw.upTo(3)
    if (kind === 0)
      return { agent, ids: [...draw.some(IDS), ...domains.flatMap((domain) => draw.some(IDS).map((id) => `${id}-${domain}`))] }
    if (kind === 1) return { agent, tags: draw.some(TAGS) }
    return { agent, domains: draw.some(domains), tag: draw.chance() < 0.5 ? draw.one(TAGS) : undefined }
  })
}

/** Changes one thing of the web and says what. */
export function changeWeb(web: OwnWeb, draw: Draw): string {
  const files = [...web.pages].flatMap(([url, page]) => (page.kind === 'inline' ? [{ url, page }] : []))
  const { url, page } = draw.one(files)
  const put = (more: Partial<Extract<OwnPage, { kind: 'inline' }>>) => void web.pages.set(url, { ...page, ...more })
  const named = [...new Set(page.properties.flatMap(({ domain }) => domain ?? []))]
  const self = web.publishers.find((publisher) => url === wellKnownOf(publisher))
  const domains = self !== undefined ? [self] : named.length > 0 ? named : web.publishers
  const what = draw.one(['settle', 'settle', 'revoke', 'revoke', 'take back', 'agents', 'properties'])
  if (what === 'settle') {
    const publisher = draw.one(movable(web))
    settle(web, publisher, draw)
    return `${publisher} is found in another way`
  }
  if (what === 'revoke') {
    const publisher = self ?? (named.length === 0 ? undefined : draw.one(named))
    if (publisher !== undefined && !page.revoked.includes(publisher)) put({ revoked: [...page.revoked, publisher] })
    return `${url} revokes ${publisher}`
  }
  if (what === 'take back') put({ revoked: page.revoked.slice(1) })
  else if (what === 'agents') put({ entries: entriesOf(web, domains, draw) })
  else put({ properties: page.properties.slice(1), ...(page.properties.length < 2 && { properties: page.properties }) })
  return `${url}: ${what}`
}
